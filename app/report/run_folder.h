#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>

#include "engine/jobs/resume.h"

namespace dropmd {

/// The contents of status.json.
struct ReadStatus {
  std::string state;  ///< "running", "finished", "stopped" or "failed"
  std::optional<double> step{}, steps{}, time{}, energy{}, temperature{}, steps_per_second{}, eta_seconds{},
      checkpoint_step{};
  double age = 0;  ///< seconds since it was written
};

/// What the output folder of a run tells of the run as a whole. A part that is missing or cannot be read has a reason
/// instead.
struct RunFolder {
  std::filesystem::path path;
  std::optional<ReadStatus> status{};
  std::string no_status{};          ///< why there is no status
  std::optional<ResumedRun> run{};  ///< of the newest checkpoint that can be read
  std::string no_run{};             ///< why there is none

  /// Whether a file of the folder exists.
  bool has(const std::filesystem::path& name) const;
  /// Returns the title of the run; empty: not known.
  std::string title() const;
};

/// Reads status.json and the checkpoint of a folder. Throws InputError for a folder that does not exist, or in which no
/// run has left anything.
RunFolder read_run_folder(const std::filesystem::path& path);

}  // namespace dropmd
