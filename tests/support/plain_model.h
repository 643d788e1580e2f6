#pragma once

#include "forces/pair/pair_model.h"

namespace dropmd {

/// A model for tests that only need its contact distance and k_e: Lennard-Jones of ε = σ = 1 without a cutoff.
inline PairModel plain_model(double coulomb_constant = 1) {
  PairModel model;
  model.lj = FormChoice{"none"};
  model.lj_parameters = {{1.0, 1.0}};
  model.coulomb_constant = coulomb_constant;
  return model;
}

}  // namespace dropmd
