#pragma once

#include <optional>
#include <string_view>

namespace dropmd {

/// The unit systems of a run; Units describes them.
enum class UnitSystem { real, lj };

/// Constants and unit names of a unit system.
///
/// real: Å, kcal/mol, g/mol, e, fs, K. lj: σ, ε, m, reduced charge, τ, ε/k_B.
struct Units {
  UnitSystem system;      ///< the system to which these units belong
  std::string_view name;  ///< the word in run files
  double coulomb;         ///< k_e: energy length charge⁻²
  double boltzmann;       ///< k_B: energy per temperature unit
  double acceleration;    ///< acceleration (length/time²) of a unit mass under a unit force
  /// Unit names for headers and messages.
  std::string_view length, energy, mass, charge, time, temperature;
};

/// Units `real`: k_e and k_B in kcal/mol, and acceleration as 4184 J/kcal in Å, g/mol and fs.
inline constexpr Units kRealUnits{
    UnitSystem::real, "real", 332.063713299, 0.00198720425864083, 4.184e-4, "A", "kcal/mol", "g/mol", "e", "fs", "K"};
/// Units `lj`: all constants are 1.
inline constexpr Units kLjUnits{UnitSystem::lj, "lj", 1.0,       1.0,   1.0,          "sigma",
                                "epsilon",      "m",  "reduced", "tau", "epsilon/k_B"};

/// A potential of 1 kcal/mol/e in volts: 4184 J/mol over the Faraday constant of the SI of 2019.
inline constexpr double kVoltPerEnergy = 0.0433641042418;

/// The units of a system.
constexpr const Units& units_of(UnitSystem system) { return system == UnitSystem::real ? kRealUnits : kLjUnits; }

/// Returns the system that a run file's word names; nullopt for another word.
constexpr std::optional<UnitSystem> unit_system_named(std::string_view name) {
  if (name == kRealUnits.name) return UnitSystem::real;
  if (name == kLjUnits.name) return UnitSystem::lj;
  return std::nullopt;
}

}  // namespace dropmd
