#pragma once

#include <cmath>
#include <limits>
#include <vector>

#include "core/errors.h"
#include "forces/pair/pair_model.h"

namespace dropmd {

/// The model's coefficients [n_species][n_species] in the precision of a kernel. Throws InputError where they leave its
/// range: ε σ¹² of very large or very small atoms in fp32.
template <class Real>
std::vector<LjCoefficients<Real>> pair_table(const PairModel& model) {
  std::vector<LjCoefficients<Real>> table;
  for (const LjCoefficients<double>& c : model.lj_coefficients()) {
    const bool in_range = c.f12 == 0 || (c.f12 <= std::numeric_limits<Real>::max() &&
                                         std::fmin(c.f12, c.f6) >= std::numeric_limits<Real>::min());
    if (!in_range)
      throw InputError(
          "epsilon and sigma give a Lennard-Jones term that single precision cannot hold "
          "(use --precision double, or other units of length)");
    table.push_back(
        {static_cast<Real>(c.f12), static_cast<Real>(c.f6), static_cast<Real>(c.shift), static_cast<Real>(c.slope)});
  }
  return table;
}

}  // namespace dropmd
