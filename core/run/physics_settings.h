#pragma once

#include <functional>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "core/errors.h"
#include "core/form.h"
#include "core/units.h"

namespace dropmd {

enum class Mixing { lorentz_berthelot, geometric };

/// One [[species]] entry. sigma is stored whatever was written: sigma = r_min / 2^(1/6).
struct SpeciesConfig {
  std::string name;
  std::optional<double> mass;
  std::optional<double> charge;
  double epsilon = 0;
  double sigma = 1;
  SourcePlace place{};
};

/// Born-Mayer-Huggins of two species: A exp((sigma - r)/rho) - C/r^6 - D/r^8.
struct BornMayerValues {
  double a = 0;
  double rho = 1;
  double sigma = 0;
  double c = 0;
  double d = 0;

  friend bool operator==(const BornMayerValues&, const BornMayerValues&) = default;
};

/// One [[pair]] entry: replaces mixing for two species, or has their Born-Mayer parameters.
struct PairConfig {
  std::string first, second;
  double epsilon = 0;
  double sigma = 1;
  SourcePlace place{};
  BornMayerValues born_mayer{};  ///< used with [born-mayer]
};

/// [lennard-jones]; `treatment.form` is the word of at-cutoff, its values hold `cutoff` and, for switch,
/// `switch-from`. All atoms alike (epsilon, sigma) unless species entries exist.
struct LennardJonesConfig {
  std::optional<double> epsilon;
  std::optional<double> sigma;
  FormChoice treatment;
  Mixing mixing = Mixing::lorentz_berthelot;
  SourcePlace switch_from_place{};  ///< where `switch-from` is written
};

/// [born-mayer]; `treatment` as for [lennard-jones]. All atoms alike (`values`) unless species entries exist; then
/// every two species of the structure have a [[pair]].
struct BornMayerConfig {
  std::optional<BornMayerValues> values;
  FormChoice treatment;
  SourcePlace place{};
};

/// What acts on the atoms.
struct PhysicsSettings {
  UnitSystem units = UnitSystem::lj;
  std::optional<LennardJonesConfig> lennard_jones;  ///< none: no such term
  std::optional<BornMayerConfig> born_mayer;        ///< in its place
  std::vector<SpeciesConfig> species;
  std::vector<PairConfig> pairs;
  std::optional<FormChoice> coulomb;  ///< none: charges do not interact
  /// Walls and external fields, by section. A wall's values: stiffness and, unless it is the structure's, radius.
  FormChoices fields;
  std::map<std::string, SourcePlace, std::less<>> field_places;  ///< of these sections
};

}  // namespace dropmd
