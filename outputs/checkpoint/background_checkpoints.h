#pragma once

#include <atomic>
#include <exception>
#include <filesystem>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "core/run/checkpoint.h"
#include "outputs/checkpoint/checkpoint_image.h"
#include "outputs/files/file_writer.h"

namespace dropmd {

/// Writes the checkpoints of a run, one at a time, on a thread of their own: a small droplet would otherwise wait for
/// the storage as long as it takes to perform hundreds of steps.
class BackgroundCheckpoints {
 public:
  explicit BackgroundCheckpoints(std::filesystem::path path) : path_(std::move(path)) {}
  /// Waits for the last one.
  ~BackgroundCheckpoints();
  BackgroundCheckpoints(const BackgroundCheckpoints&) = delete;
  BackgroundCheckpoints& operator=(const BackgroundCheckpoints&) = delete;

  /// Makes the file of a checkpoint in memory and begins to write it, as write_checkpoint() does, once the outputs that
  /// it marks are on the storage. The previous checkpoint must have been ended.
  void begin(const Checkpoint& checkpoint, std::vector<UnsyncedFile> outputs = {});
  /// Whether one has been begun but not ended.
  bool under_way() const { return under_way_; }
  /// Whether end() would not wait for it.
  bool done() const { return done_; }
  /// Waits until it is on the storage. Throws OutputError if it could not be written, or an output could not be synced;
  /// what was there before is then unchanged.
  void end();
  /// Returns the seconds that writing the last one took.
  double seconds() const { return seconds_; }

 private:
  std::filesystem::path path_;
  CheckpointImage image_;
  std::vector<UnsyncedFile> outputs_;  ///< of the one under way, as is `file_`
  std::string file_;
  std::thread thread_;
  std::exception_ptr error_;
  double seconds_ = 0;
  std::atomic<bool> done_ = false;
  bool under_way_ = false;
};

}  // namespace dropmd
