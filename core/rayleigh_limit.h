#pragma once

#include <cmath>
#include <numbers>

namespace dropmd {

/// Returns Rayleigh's limit of the charge of a drop, in e: 8π √(ε₀ γ R³) (Rayleigh, Phil. Mag. 14, 184 (1882)). radius
/// in Å, surface tension in N/m.
inline double rayleigh_limit(double radius, double surface_tension) {
  constexpr double kVacuumPermittivity = 8.8541878128e-12;  // F/m
  constexpr double kElementaryCharge = 1.602176634e-19;     // C
  const double metres = 1e-10 * radius;
  return 8 * std::numbers::pi * std::sqrt(kVacuumPermittivity * surface_tension * metres * metres * metres) /
         kElementaryCharge;
}

}  // namespace dropmd
