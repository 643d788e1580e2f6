#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <iosfwd>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

#include "app/command.h"
#include "app/commands/ensemble/ensemble_plan.h"
#include "outputs/share_progress.h"

namespace dropmd {

/// Shows how the runs of an ensemble end, and how far they are. Any thread may call its functions, but only one show().
class EnsembleDisplay {
 public:
  EnsembleDisplay(const EnsemblePlan& plan, bool quiet, Streams& streams);

  /// A run has come to a step.
  void reached(std::size_t index, std::int64_t step) { step_[index] = step; }
  void ended(std::size_t index, const Replica& replica);
  void warn(const std::string& what);
  /// Writes what has happened since the last call.
  void show();

 private:
  std::ostream& out_;
  bool quiet_, terminal_;
  std::size_t n_runs_, n_over_;
  std::vector<std::atomic<std::int64_t>> step_;  ///< by run
  std::int64_t begin_, end_;                     ///< sums of the steps of all runs: at the start, and when all are over
  std::optional<ShareProgress> progress_{};
  std::mutex mutex_;
  std::string lines_{};
};

}  // namespace dropmd
