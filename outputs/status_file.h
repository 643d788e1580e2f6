#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>

#include "core/clock.h"
#include "core/run/energies.h"
#include "outputs/step_rate.h"

namespace dropmd {

struct RunStatus {
  std::int64_t step = 0, steps = 0;
  double time = 0;
  std::optional<double> energy{}, temperature{};  ///< of the last step with energies
  std::optional<double> conserved{};              ///< of the same step, in a run with a ledger
  std::optional<double> steps_per_second{}, eta_seconds{};
  std::string_view state{};
  std::optional<std::int64_t> checkpoint_step{};
};

/// A JSON object; what is unknown or not finite is null.
std::string status_text(const RunStatus& status);

/// status.json, for those who look at a run from afar: replaced at once every few seconds. It is no result: what keeps
/// it from being written is passed over, and a file of that name that no run wrote stays as it is.
class StatusFile {
 public:
  struct Options {
    std::int64_t first_step = 0, last_step = 0;
    std::optional<std::int64_t> checkpoint_step{};  ///< from which the run goes on
    double interval = 5;                            ///< seconds between two writes, at least
  };

  StatusFile(std::filesystem::path path, const Options& options, Clock clock = steady_seconds);
  StatusFile(const StatusFile&) = delete;
  StatusFile& operator=(const StatusFile&) = delete;
  /// A run without an end has failed.
  ~StatusFile();

  void set_energies(const EnergyRow& row) { energies_ = row; }
  void set_checkpoint(std::int64_t step) { status_.checkpoint_step = step; }
  /// May be called every step: it reads the clock and seldom writes.
  void update(std::int64_t step, double time);
  /// The last one: "finished", "stopped" or "failed".
  void end(std::string_view state);

 private:
  void write(std::string_view state, double now);

  std::filesystem::path path_;
  Options options_;
  Clock clock_;
  StepRate rate_;
  double next_;  ///< moment from which on it may be written
  RunStatus status_;
  std::optional<EnergyRow> energies_{};
  bool ended_ = false;
};

}  // namespace dropmd
