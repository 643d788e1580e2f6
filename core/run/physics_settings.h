#pragma once

#include <functional>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "core/errors.h"
#include "core/forms/form.h"
#include "core/run/coulomb_settings.h"
#include "core/units.h"

namespace dropmd {

/// How σ and ε of unlike species follow from those of like ones: arithmetic σ and geometric ε, or both geometric.
enum class Mixing { lorentz_berthelot, geometric };

/// One [[species]] entry. sigma is stored whether the run file has sigma or r-min: sigma = r_min / 2^(1/6).
struct SpeciesConfig {
  std::string name;              ///< as in the structure
  std::optional<double> mass;    ///< mass; nullopt: the structure's, or [system] mass
  std::optional<double> charge;  ///< charge; nullopt: the structure's, or 0
  double epsilon = 0;            ///< ε, energy
  double sigma = 1;              ///< σ, length
  SourcePlace place{};           ///< place of the entry, for messages
};

/// Born-Mayer-Huggins parameters of two species: A exp((σ - r)/ρ) - C/r⁶ - D/r⁸.
struct BornMayerValues {
  double a = 0;      ///< A, energy
  double rho = 1;    ///< ρ, length
  double sigma = 0;  ///< σ, length
  double c = 0;      ///< C, energy length⁶
  double d = 0;      ///< D, energy length⁸

  friend bool operator==(const BornMayerValues&, const BornMayerValues&) = default;
};

/// One [[pair]] entry: it replaces mixing for two species, or has their Born-Mayer parameters.
struct PairConfig {
  std::string first, second;     ///< names of the species; the order does not matter
  double epsilon = 0;            ///< ε, energy; used with [lennard-jones]
  double sigma = 1;              ///< σ, length; used with [lennard-jones]
  SourcePlace place{};           ///< place of the entry, for messages
  BornMayerValues born_mayer{};  ///< used with [born-mayer]
};

/// [lennard-jones]. All atoms are alike (epsilon, sigma) unless there are species entries.
struct LennardJonesConfig {
  std::optional<double> epsilon;  ///< ε of all atoms, energy
  std::optional<double> sigma;    ///< σ of all atoms, length
  /// Form: the word of at-cutoff; values: `cutoff` and, for switch, `switch-from`.
  FormChoice treatment;
  Mixing mixing = Mixing::lorentz_berthelot;  ///< rule for species without a [[pair]]
  SourcePlace switch_from_place{};            ///< place of `switch-from`, for messages
};

/// [born-mayer]. All atoms are alike (`values`) unless there are species entries; then every two species of the
/// structure need a [[pair]].
struct BornMayerConfig {
  std::optional<BornMayerValues> values;  ///< parameters of all atoms
  FormChoice treatment;                   ///< as in LennardJonesConfig
  SourcePlace place{};                    ///< place of the section, for messages
};

/// The interactions of the atoms.
struct PhysicsSettings {
  UnitSystem units = UnitSystem::lj;                ///< units of all quantities
  std::optional<LennardJonesConfig> lennard_jones;  ///< nullopt: no such term
  std::optional<BornMayerConfig> born_mayer;        ///< instead of lennard_jones; nullopt: no such term
  std::vector<SpeciesConfig> species;               ///< [[species]]
  std::vector<PairConfig> pairs;                    ///< [[pair]]
  std::optional<FormChoice> coulomb;                ///< nullopt: charges do not interact
  CoulombSettings coulomb_settings;                 ///< of the form "exact"
  /// Walls and external fields by section, such as "wall" and "field". A wall's radius may be left out where the
  /// structure has one.
  FormChoices fields;
  /// Places of these sections, for messages.
  std::map<std::string, SourcePlace, std::less<>> field_places;
};

}  // namespace dropmd
