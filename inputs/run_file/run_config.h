#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "core/errors.h"
#include "core/run/output_settings.h"
#include "core/run/physics_settings.h"
#include "core/run/run_settings.h"
#include "core/run/topology_settings.h"

namespace dropmd {

/// A run file with every default filled in, except those that depend on the structure (optional members). Numbers are
/// in the units of `units`.
struct RunConfig : PhysicsSettings, RunSettings, OutputSettings {
  std::filesystem::path file;  ///< the run file or, for a bare structure, the structure file
  /// Free text.
  std::string title;

  SourcePlace system_place{};  ///< place of [system], for messages about missing keys
  /// Structure file; relative paths are joined to the folder of the run file.
  std::filesystem::path structure;
  SourcePlace structure_place{};  ///< place of the key `structure`, for messages; empty if there is no key
  TopologySettings topology;      ///< molecules
  std::optional<double> mass;     ///< mass of atoms that have none from the structure or their species
  /// Temperature of the initial velocities; nullopt: at rest.
  std::optional<double> temperature;

  std::vector<std::string> warnings;  ///< to be shown to the user once
};

}  // namespace dropmd
