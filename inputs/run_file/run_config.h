#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "core/errors.h"
#include "core/form.h"
#include "core/run/choices.h"
#include "core/run/map_choices.h"
#include "core/units.h"

namespace dropmd {

enum class Mixing { lorentz_berthelot, geometric };
enum class Recenter { geometric, mass, none };
enum class RemoveMomentum { none, linear, angular, both };

/// One [[species]] entry. sigma is stored whatever was written: sigma = r_min / 2^(1/6).
struct SpeciesConfig {
  std::string name;
  std::optional<double> mass;
  std::optional<double> charge;
  double epsilon = 0;
  double sigma = 1;
  SourcePlace place{};
};

/// One [[pair]] entry: replaces mixing for two species.
struct PairConfig {
  std::string first, second;
  double epsilon = 0;
  double sigma = 1;
  SourcePlace place{};
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

/// [map]: potential maps during the run.
struct MapConfig {
  MapChoices choices{};
  std::int64_t every = 100;  ///< 0: none
  bool average = true;
  std::string file = "potential.dx";  ///< of the last map, in the output directory
};

/// A run as resolved: every default filled in, except where it depends on the structure (optional members).
struct RunConfig {
  std::filesystem::path file;  ///< the run file or, for a bare structure, the structure file
  std::string title;
  UnitSystem units = UnitSystem::lj;

  SourcePlace system_place{};       ///< of [system], for messages about what it lacks
  std::filesystem::path structure;  ///< relative paths of the file already joined to its folder
  std::optional<double> mass;       ///< for structures without masses
  std::optional<double> temperature;
  std::uint64_t random_seed = 1;

  std::optional<LennardJonesConfig> lennard_jones;  ///< none: no van der Waals term
  std::vector<SpeciesConfig> species;
  std::vector<PairConfig> pairs;
  std::optional<FormChoice> coulomb;  ///< none: charges do not interact
  /// Walls and external fields, by section. A wall's values: stiffness and, unless it is the structure's, radius.
  FormChoices fields;
  std::map<std::string, SourcePlace, std::less<>> field_places;  ///< of these sections

  NeighborMethod neighbor = NeighborMethod::automatic;
  std::optional<double> skin;     ///< none: auto
  bool tune = false;              ///< what is open is chosen by the time that steps take, not by rule
  std::filesystem::path choices;  ///< choices.csv of a run to be made again, instead of method and skin; empty: none

  Backend backend = Backend::automatic;
  Precision precision = Precision::mixed;
  int device = 0;
  int threads = 0;  ///< 0: all processors this process may use

  FormChoice integrator;

  std::int64_t steps = 1000;
  std::int64_t recenter_every = 100;  ///< 0: never
  std::optional<Recenter> recenter;   ///< none: recentring() says
  RemoveMomentum remove_momentum = RemoveMomentum::none;

  std::filesystem::path output_directory;  ///< relative to the working directory
  std::int64_t energy_every = 100;         ///< 0: no energy.csv rows
  std::int64_t trajectory_every = 1000;    ///< 0: no trajectory
  std::int64_t checkpoint_every = 10'000;  ///< 0: not by steps
  double checkpoint_minutes = 10;          ///< of wall time since the last one; 0: not by time
  std::string final_file = "final.xyz";    ///< in the output directory; empty: none

  std::optional<MapConfig> map;  ///< none: no maps

  std::vector<std::string> warnings;  ///< to be shown to the user once
};

/// Whether a run has checkpoints at intervals and at its end; one that is interrupted always leaves one.
inline bool makes_checkpoints(const RunConfig& config) {
  return config.checkpoint_every > 0 || config.checkpoint_minutes > 0;
}

}  // namespace dropmd
