#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "core/run/invariance.h"
#include "core/run/map_grid.h"
#include "engine/methods/method.h"
#include "inputs/run_file/run_config.h"

namespace dropmd {

/// The resources that a run will need, estimated before it starts.
struct Estimate {
  std::size_t n_atoms = 0;
  Method method;
  std::uint64_t memory = 0;         ///< bytes of host memory
  std::uint64_t device_memory = 0;  ///< bytes of GPU memory; 0 without a GPU
  std::uint64_t disk = 0;           ///< bytes of output files
  FormChoices fields;               ///< walls and fields, with the wall's radius filled in
  Invariance invariance;            ///< of all force terms
  std::uint64_t maps = 0;           ///< number of potential maps of the run
  MapGrid map_grid{};               ///< of the maps; without points if there are none
  double seconds_per_map = 0;  ///< from a timed part of a map, or by the cost model of a mesh; 0: too large to time
  std::string map_mesh;        ///< of maps by a mesh, in words; empty: there is none
  /// From an evaluation of the forces, or from steps on a GPU; 0: too large to time.
  double seconds_per_step = 0;
  std::vector<std::string> mesh;  ///< of the Coulomb term, in the words of fit_mesh(); empty: there is none
  double seconds = 0;             ///< of the whole run, including maps
  std::string in_effect;          ///< masses, charges, ... and their origin, as comment lines
  std::vector<std::string> warnings;
};

/// Reads the structure, fits a mesh to its error, and times some steps on a GPU, or one evaluation of the forces, and
/// part of a map. Writes nothing.
Estimate estimate_run(const RunConfig& config);

/// Returns the estimate as comment lines of a run file.
std::string describe(const Estimate& estimate);

}  // namespace dropmd
