#pragma once

#include <cstdint>
#include <string>

#include "engine/force_field.h"
#include "inputs/run_config.h"

namespace dropmd {

/// What a run will need, estimated before it starts.
struct Estimate {
  std::size_t n_atoms = 0;
  Method method;
  std::uint64_t memory = 0;     ///< bytes on the host
  std::uint64_t disk = 0;       ///< bytes of output
  double seconds_per_step = 0;  ///< one evaluation of the forces, timed; 0 if the system is too large to try
  double seconds = 0;           ///< of the whole run
};

/// Reads the structure and times one evaluation of the forces; writes nothing.
Estimate estimate_run(const RunConfig& config);

/// The estimate as comment lines of a run file.
std::string describe(const Estimate& estimate);

}  // namespace dropmd
