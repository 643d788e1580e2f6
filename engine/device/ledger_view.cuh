#pragma once

#include <cstddef>

#include "core/run/ledger.h"

namespace dropmd {

/// Memory in which the kernels of a step book the energy that an atom receives from outside: [n_atoms] for each cause,
/// by host index, so that reordering leaves it as it is; null for causes that the run does not have.
struct LedgerView {
  double* bath = nullptr;
  double* field = nullptr;
  double* recentring = nullptr;
  double* momentum = nullptr;
  double per_mv2 = 0;  ///< kinetic energy per mass (length/time)²
};

}  // namespace dropmd
