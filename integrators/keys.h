#pragma once

#include "core/form.h"

namespace dropmd {

/// The key `timestep`: 1 fs in units real, 0.005 τ in units lj unless given.
inline constexpr FormKey timestep_key() {
  return {"timestep", "time", Range::positive, false, /*required=*/false, 1.0, 0.005};
}

}  // namespace dropmd
