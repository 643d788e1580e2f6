#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>

#include "core/run/map_choices.h"

namespace dropmd {

/// [map]: potential maps during the run.
struct MapConfig {
  MapChoices choices{};               ///< what is computed
  std::int64_t every = 100;           ///< steps between maps; 0: none
  bool average = true;                ///< whether the average of all maps is also written
  std::string file = "potential.dx";  ///< file of the last map, in the output directory
};

/// What a run writes.
struct OutputSettings {
  std::filesystem::path output_directory;  ///< relative to the working directory
  std::int64_t energy_every = 100;         ///< steps between rows of energy.csv; 0: none
  /// File of the frames, in the output directory; its extension determines the format.
  std::string trajectory_file = "trajectory.xyz";
  std::int64_t trajectory_every = 1000;    ///< steps between frames; 0: no trajectory
  std::int64_t checkpoint_every = 10'000;  ///< steps between checkpoints; 0: not by steps
  double checkpoint_minutes = 10;          ///< minutes of wall time between checkpoints; 0: not by time
  std::string final_file = "final.xyz";    ///< final structure, in the output directory; empty: none

  std::optional<MapConfig> map;  ///< nullopt: no maps
};

/// Returns whether a run writes checkpoints at intervals and at its end; an interrupted run always writes one.
inline bool makes_checkpoints(const OutputSettings& settings) {
  return settings.checkpoint_every > 0 || settings.checkpoint_minutes > 0;
}

}  // namespace dropmd
