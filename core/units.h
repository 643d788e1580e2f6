#pragma once

#include <optional>
#include <string_view>

namespace dropmd {

enum class UnitSystem { real, lj };

/// Constants and names of a unit system.
///
/// real: Å, kcal/mol, g/mol, e, fs.  lj: σ, ε, m, reduced charge, τ.
struct Units {
  UnitSystem system;
  std::string_view name;
  double coulomb;       ///< k_e: energy length charge⁻²
  double boltzmann;     ///< k_B: energy per temperature unit
  double acceleration;  ///< acceleration (length/time²) of a unit force on a unit mass
  std::string_view length, energy, mass, charge, time, temperature;  ///< unit names for headers and messages
};

inline constexpr Units kRealUnits{
    UnitSystem::real, "real", 332.063713299, 0.00198720425864083, 4.184e-4, "A", "kcal/mol", "g/mol", "e", "fs", "K"};
inline constexpr Units kLjUnits{UnitSystem::lj, "lj", 1.0,       1.0,   1.0,          "sigma",
                                "epsilon",      "m",  "reduced", "tau", "epsilon/k_B"};

/// A potential of 1 kcal/mol/e in volts: 4184 J/mol over the Faraday constant of the SI of 2019.
inline constexpr double kVoltPerEnergy = 0.0433641042418;

constexpr const Units& units_of(UnitSystem system) { return system == UnitSystem::real ? kRealUnits : kLjUnits; }

constexpr std::optional<UnitSystem> unit_system_named(std::string_view name) {
  if (name == kRealUnits.name) return UnitSystem::real;
  if (name == kLjUnits.name) return UnitSystem::lj;
  return std::nullopt;
}

}  // namespace dropmd
