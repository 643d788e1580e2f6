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

/// Prepares the resumption of a run. path: a checkpoint, or the folder of a run, of whose two checkpoints the latest
/// complete one is used. given: a configuration with the same physics, whose settings replace those of the checkpoint.
/// settings: of the command line, already contained in `given`; without `given` they replace those of the checkpoint.
/// Throws InputError for a file that is not a checkpoint, a folder without one, or different physics.
ResumedRun resume_run(const std::filesystem::path& path, const std::optional<RunConfig>& given = std::nullopt,
                      std::span<const Setting> settings = {});

}  // namespace dropmd
