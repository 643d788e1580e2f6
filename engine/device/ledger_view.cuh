#pragma once

#include <cstddef>

#include "core/run/ledger.h"

namespace dropmd {

/// Where the kernels of a step book what comes to an atom from outside: [n_atoms] each, by the atom's number, so that
/// sorting leaves them as they are; null for a cause that the run has not.
struct LedgerView {
  double* bath = nullptr;
  double* field = nullptr;
  double* recentring = nullptr;
  double* momentum = nullptr;
  double per_mv2 = 0;  ///< kinetic energy of a unit of mass (length/time)²
};

}  // namespace dropmd
