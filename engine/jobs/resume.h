#pragma once

#include <filesystem>
#include <optional>
#include <span>

#include "core/run/checkpoint.h"
#include "inputs/run_file/run_config.h"
#include "inputs/run_file/settings/setting.h"

namespace dropmd {

/// A checkpoint, and the run that resumes from it.
struct ResumedRun {
  Checkpoint from;
  RunConfig config;  ///< its file is the checkpoint; outputs go to the checkpoint's folder
};

/// Returns whether two runs differ in nothing but the settings that may change when a run resumes.
bool same_physics(const RunConfig& a, const RunConfig& b);

/// Prepares the resumption of a run. path: a checkpoint, or the folder of a run; the latest complete one of its two
/// checkpoints is then used. given: a configuration with the same physics, whose settings replace those of the
/// checkpoint. settings: of the command line, already contained in `given`; without `given` they replace those of the
/// checkpoint. Throws InputError for a file that is not a checkpoint, a folder without one, or different physics.
ResumedRun resume_run(const std::filesystem::path& path, const std::optional<RunConfig>& given = std::nullopt,
                      std::span<const Setting> settings = {});

}  // namespace dropmd
