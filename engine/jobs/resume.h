#pragma once

#include <filesystem>
#include <optional>
#include <span>

#include "core/run/checkpoint.h"
#include "inputs/run_file/run_config.h"
#include "inputs/run_file/setting.h"

namespace dropmd {

/// A checkpoint, and the run that resumes from it.
struct ResumedRun {
  Checkpoint from;
  RunConfig config;  ///< file: the checkpoint; outputs: in the folder where it lies
};

/// path: a checkpoint, or the folder of a run: of its two checkpoints the latest that is whole.
/// given: a configuration whose settings hold instead of the checkpoint's, where its physics is the same. settings: of
/// the command line, already in `given`; without `given` they hold instead of the checkpoint's in the same way. Throws
/// InputError for a file that is no checkpoint, a folder without one, or another physics.
ResumedRun resume_run(const std::filesystem::path& path, const std::optional<RunConfig>& given = std::nullopt,
                      std::span<const Setting> settings = {});

}  // namespace dropmd
