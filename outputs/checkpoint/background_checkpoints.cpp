#include "outputs/checkpoint/background_checkpoints.h"

#include <string>
#include <system_error>
#include <utility>
#include <vector>

#include "core/clock.h"
#include "outputs/checkpoint/checkpoint_file.h"

namespace dropmd {

BackgroundCheckpoints::~BackgroundCheckpoints() {
  if (thread_.joinable()) thread_.join();
}

void BackgroundCheckpoints::begin(const Checkpoint& checkpoint, std::vector<UnsyncedFile> outputs) {
  outputs_ = std::move(outputs);
  file_ = image_.hand_over(checkpoint);
  error_ = nullptr;
  done_ = false;
  under_way_ = true;
  const auto write = [this] {
    const double begin = steady_seconds();
    try {
      for (UnsyncedFile& output : outputs_) sync(std::move(output));
      write_checkpoint(path_, file_);
    } catch (...) {
      error_ = std::current_exception();
    }
    seconds_ = steady_seconds() - begin;
    done_ = true;
  };
  try {
    thread_ = std::thread(write);
  } catch (const std::system_error&) {  // no more threads may be started
    write();
  }
}

void BackgroundCheckpoints::end() {
  if (thread_.joinable()) thread_.join();
  under_way_ = done_ = false;
  outputs_.clear();
  std::string().swap(file_);  // frees its memory
  if (error_) std::rethrow_exception(std::exchange(error_, nullptr));
}

}  // namespace dropmd
