#pragma once

#include <random>

#include "tests/support/charged_atoms.h"

namespace dropmd {

/// n³ sites of a simple cubic lattice, each displaced by up to `disorder` along every axis, with charges of alternating
/// sign.
inline ChargedAtoms loose_lattice(int n, double spacing, double disorder, double charge) {
  std::mt19937 random(11);
  std::uniform_real_distribution<double> uniform(-disorder, disorder);
  ChargedAtoms atoms;
  for (int i = 0; i < n; ++i)
    for (int j = 0; j < n; ++j)
      for (int k = 0; k < n; ++k)
        atoms.add({spacing * i + uniform(random), spacing * j + uniform(random), spacing * k + uniform(random)},
                  (i + j + k) % 2 == 0 ? charge : -charge);
  return atoms;
}

}  // namespace dropmd
