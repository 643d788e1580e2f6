#pragma once

#include "core/forms/form.h"

/// Keys that several integrators share.
namespace dropmd {

/// The key `timestep`: by default 1 fs in units real, 0.005 τ in units lj.
inline constexpr FormKey timestep_key() {
  return {"timestep", "time", Range::positive, false, /*required=*/false, 1.0, 0.005};
}

/// The key `temperature` of a bath. It has no default, as no temperature is more likely than another.
inline constexpr FormKey temperature_key() { return {"temperature", "temperature", Range::not_negative}; }

}  // namespace dropmd
