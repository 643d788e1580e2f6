#pragma once

#include <cstdint>
#include <filesystem>
#include <string>

#include "core/timings.h"

namespace dropmd {

/// timings.csv: the wall time of a run by phase, for each part of the run. A part begins where the run started or
/// resumed; steps that a killed run had made after its last checkpoint are in two parts. The file is replaced
/// atomically each time. It is not a result: failures to write it are ignored, and a file of that name that no run
/// wrote stays as it is.
class TimingsCsv {
 public:
  /// timings: those of the part that begins; they must outlive this object. resumes: whether the parts in the file
  /// belong to this run.
  TimingsCsv(std::filesystem::path path, const Timings& timings, std::int64_t first_step, bool resumes);
  /// Writes the times of the current part up to a step, below those of earlier parts.
  void write(std::int64_t step) const;

 private:
  std::filesystem::path path_;
  const Timings& timings_;
  std::int64_t first_step_;
  std::string before_;  ///< header and rows of earlier parts
  std::int64_t part_ = 1;
};

}  // namespace dropmd
