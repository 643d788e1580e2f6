#pragma once

#include <cstdint>
#include <filesystem>
#include <string>

#include "core/timings.h"

namespace dropmd {

/// timings.csv: the wall time of a run by phase, for each part of the run. A part begins where the run started or
/// resumed; steps that a killed run had made behind its last checkpoint are in two parts. The file is replaced
/// atomically each time. It is not a result: failures to write it are ignored, and a file of that name that no run
/// wrote stays as it is.
class TimingsCsv {
 public:
  /// timings: of the part that begins, must outlive this object. resumes: whether the parts that are in the file
  /// belong to this run.
  TimingsCsv(std::filesystem::path path, const Timings& timings, std::int64_t first_step, bool resumes);
  /// Writes the times of the present part up to a step, below those of the parts before.
  void write(std::int64_t step) const;

 private:
  std::filesystem::path path_;
  const Timings& timings_;
  std::int64_t first_step_;
  std::string before_;  ///< header and rows of the parts before
  std::int64_t part_ = 1;
};

}  // namespace dropmd
