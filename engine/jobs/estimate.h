#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "core/run/map_grid.h"
#include "engine/methods/method.h"
#include "inputs/run_file/run_config.h"

namespace dropmd {

/// What a run will need, estimated before it starts.
struct Estimate {
  std::size_t n_atoms = 0;
  Method method;
  std::uint64_t memory = 0;         ///< bytes on the host
  std::uint64_t device_memory = 0;  ///< bytes on the GPU; 0 without one
  std::uint64_t disk = 0;           ///< bytes of output
  FormChoices fields;               ///< the wall's radius filled in
  std::uint64_t maps = 0;           ///< potential maps of the run
  MapGrid map_grid{};               ///< of the maps; no points without any
  double seconds_per_map = 0;       ///< part of one, timed; 0: too large to try
  double seconds_per_step = 0;      ///< an evaluation of the forces, or steps on a GPU, timed; 0: too large to try
  double seconds = 0;               ///< of the whole run, maps included
  std::string in_effect;            ///< masses, charges, ... and where they come from, as comment lines
  std::vector<std::string> warnings;
};

/// Reads the structure and times some steps on a GPU, or one evaluation of the forces, and part of a map; writes
/// nothing.
Estimate estimate_run(const RunConfig& config);

/// The estimate as comment lines of a run file.
std::string describe(const Estimate& estimate);

}  // namespace dropmd
