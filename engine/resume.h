#pragma once

#include <filesystem>
#include <optional>

#include "core/checkpoint.h"
#include "inputs/run_config.h"

namespace dropmd {

/// A checkpoint, and the run that goes on from it.
struct ResumedRun {
  Checkpoint from;
  RunConfig config;  ///< file: the checkpoint; outputs: in the folder where it lies
};

/// path: a checkpoint, or the folder of a run: of its two checkpoints the latest that is whole.
/// given: a configuration whose settings hold instead of the checkpoint's, where its physics is the same. Throws
/// InputError for a file that is no checkpoint, a folder without one, or another physics.
ResumedRun resume_run(const std::filesystem::path& path, const std::optional<RunConfig>& given = std::nullopt);

}  // namespace dropmd
