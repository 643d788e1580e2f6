#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include "core/clock.h"
#include "core/run/energies.h"
#include "outputs/step_rate.h"

namespace dropmd {

/// The contents of status.json.
struct RunStatus {
  std::int64_t step = 0, steps = 0;
  double time = 0;
  std::optional<double> energy{}, temperature{};  ///< of the last step with energies
  std::optional<double> conserved{};              ///< of the same step, in a run with a ledger
  std::optional<double> steps_per_second{}, eta_seconds{};
  std::string_view state{};
  std::optional<std::int64_t> checkpoint_step{};
};

/// Returns a JSON object; values that are unknown or not finite are null.
std::string status_text(const RunStatus& status);

/// status.json, for monitoring a run: replaced atomically every few seconds. It is not a result: failures to write it
/// are ignored, and a file of that name that no run wrote stays as it is.
class StatusFile {
 public:
  struct Options {
    std::int64_t first_step = 0, last_step = 0;
    std::optional<std::int64_t> checkpoint_step{};  ///< from which the run resumed
    double interval = 5;                            ///< shortest time between two writes, seconds
  };

  StatusFile(std::filesystem::path path, const Options& options, Clock clock = steady_seconds);
  StatusFile(const StatusFile&) = delete;
  StatusFile& operator=(const StatusFile&) = delete;
  /// A run that did not call end() has failed.
  ~StatusFile();

  void set_energies(const EnergyRow& row) { energies_ = row; }
  /// The next update() writes the file, so that a run that is killed leaves it no older than the checkpoint.
  void set_checkpoint(std::int64_t step) {
    status_.checkpoint_step = step;
    next_ = clock_();
  }
  /// Calls a function each time the file has been written, with the step in it. It must not throw.
  void on_written(std::function<void(std::int64_t step)> written) { written_ = std::move(written); }
  /// May be called every step: it reads the clock and rarely writes.
  void update(std::int64_t step, double time);
  /// Writes the final state: "finished", "stopped" or "failed".
  void end(std::string_view state);

 private:
  void write(std::string_view state, double now);

  std::filesystem::path path_;
  Options options_;
  Clock clock_;
  StepRate rate_;
  double next_;  ///< time from which it may be written
  RunStatus status_;
  std::optional<EnergyRow> energies_{};
  std::function<void(std::int64_t step)> written_ = [](std::int64_t) {};
  bool ended_ = false;
};

}  // namespace dropmd
