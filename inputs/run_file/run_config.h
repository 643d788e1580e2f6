#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "core/errors.h"
#include "core/run/output_settings.h"
#include "core/run/physics_settings.h"
#include "core/run/run_settings.h"

namespace dropmd {

/// A run as resolved: every default filled in, except where it depends on the structure (optional members).
struct RunConfig : PhysicsSettings, RunSettings, OutputSettings {
  std::filesystem::path file;  ///< the run file or, for a bare structure, the structure file
  std::string title;

  SourcePlace system_place{};       ///< of [system], for messages about what it lacks
  std::filesystem::path structure;  ///< relative paths of the file already joined to its folder
  std::optional<double> mass;       ///< for structures without masses
  std::optional<double> temperature;

  std::vector<std::string> warnings;  ///< to be shown to the user once
};

}  // namespace dropmd
