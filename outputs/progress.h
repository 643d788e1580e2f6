#pragma once

#include <cstddef>
#include <cstdint>
#include <iosfwd>
#include <optional>
#include <string>

#include "core/clock.h"
#include "core/run/energies.h"
#include "core/units.h"
#include "outputs/step_rate.h"

namespace dropmd {

struct ProgressOptions {
  bool terminal = false;        ///< one line that overwrites itself; otherwise plain lines
  std::size_t columns = 80;     ///< of the terminal; a plain line is as long as it is
  double plain_interval = 10;   ///< seconds between plain lines, at least
  std::int64_t first_step = 0;  ///< a resumed run does not start at 0
  double first_time = 0;
  std::int64_t last_step = 0;
};

/// Tells a person how a run gets on. update() may be called every step: it reads the clock and seldom writes.
class Progress {
 public:
  Progress(std::ostream& out, const Units& units, const ProgressOptions& options, Clock clock = steady_seconds);
  Progress(const Progress&) = delete;
  Progress& operator=(const Progress&) = delete;
  /// Ends an open line of the terminal, so that an error message starts on its own.
  ~Progress();

  /// The latest energies known; shown with the steps that follow.
  void set_energies(const EnergyRow& row) { energies_ = row; }
  void update(std::int64_t step, double time);
  /// The last line, written whatever the clock says.
  void finish(std::int64_t step, double time);

 private:
  void show(std::int64_t step, double time, double now);
  std::string text(std::int64_t step, double time, double now) const;

  std::ostream& out_;
  Units units_;
  ProgressOptions options_;
  Clock clock_;
  StepRate rate_;
  double next_;  ///< moment from which on a line may be written
  std::optional<std::int64_t> shown_step_{};
  std::optional<EnergyRow> energies_{};
  bool line_open_ = false;
};

}  // namespace dropmd
