#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>

#include "core/run/map_choices.h"

namespace dropmd {

/// [map]: potential maps during the run.
struct MapConfig {
  MapChoices choices{};
  std::int64_t every = 100;  ///< 0: none
  bool average = true;
  std::string file = "potential.dx";  ///< of the last map, in the output directory
};

/// What a run writes.
struct OutputSettings {
  std::filesystem::path output_directory;  ///< relative to the working directory
  std::int64_t energy_every = 100;         ///< 0: no energy.csv rows
  std::int64_t trajectory_every = 1000;    ///< 0: no trajectory
  std::int64_t checkpoint_every = 10'000;  ///< 0: not by steps
  double checkpoint_minutes = 10;          ///< of wall time since the last one; 0: not by time
  std::string final_file = "final.xyz";    ///< in the output directory; empty: none

  std::optional<MapConfig> map;  ///< none: no maps
};

/// Whether a run has checkpoints at intervals and at its end; one that is interrupted always leaves one.
inline bool makes_checkpoints(const OutputSettings& settings) {
  return settings.checkpoint_every > 0 || settings.checkpoint_minutes > 0;
}

}  // namespace dropmd
