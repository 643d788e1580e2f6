#pragma once

#include <cstdint>
#include <string_view>

#include "outputs/files/file_writer.h"
#include "outputs/trajectories/trajectory_writer.h"

namespace dropmd {

/// A trajectory whose frames are added to the end of one file.
class OneFileTrajectory : public TrajectoryWriter {
 public:
  FlushedMark flushed_mark() final { return file_.flushed_mark(); }
  void close() final {
    file_.sync();
    file_.close();
  }

 protected:
  /// Opens the file of a target: a new one, or one that is cut off at the mark.
  explicit OneFileTrajectory(const TrajectoryTarget& target);

  FileWriter file_;
};

/// Returns the number of lines up to the target's mark that begin with a text; 0 for a new file.
std::int64_t count_lines(const TrajectoryTarget& target, std::string_view begin);

}  // namespace dropmd
