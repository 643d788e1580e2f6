#pragma once

#include <cstddef>
#include <cstdint>
#include <iosfwd>
#include <optional>
#include <string>

#include "core/clock.h"
#include "core/run/droplet_rows.h"
#include "core/run/energies.h"
#include "core/units.h"
#include "outputs/step_rate.h"

namespace dropmd {

/// Where and how often progress is shown.
struct ProgressOptions {
  bool terminal = false;        ///< whether to overwrite one line; otherwise plain lines are written
  std::size_t columns = 80;     ///< of the terminal; plain lines have any length
  double plain_interval = 10;   ///< shortest time between plain lines, seconds
  std::int64_t first_step = 0;  ///< a resumed run does not start at 0
  double first_time = 0;
  std::int64_t last_step = 0;
};

/// Shows the progress of a run to a person. update() may be called every step: it reads the clock and rarely writes.
class Progress {
 public:
  Progress(std::ostream& out, const Units& units, const ProgressOptions& options, Clock clock = steady_seconds);
  Progress(const Progress&) = delete;
  Progress& operator=(const Progress&) = delete;
  /// Ends an open line of the terminal, so that an error message starts on a new line.
  ~Progress();

  /// Sets the latest energies, which are shown with the steps that follow.
  void set_energies(const EnergyRow& row) { energies_ = row; }
  /// Sets the droplet of the latest labels.
  void set_droplet(const DropletRow& row) { droplet_ = row; }
  void update(std::int64_t step, double time);
  /// Writes the last line, whatever the clock says.
  void finish(std::int64_t step, double time);

 private:
  void show(std::int64_t step, double time, double now);
  std::string text(std::int64_t step, double time, double now) const;

  std::ostream& out_;
  Units units_;
  ProgressOptions options_;
  Clock clock_;
  StepRate rate_;
  double next_;  ///< time from which a line may be written
  std::optional<std::int64_t> shown_step_{};
  std::optional<EnergyRow> energies_{};
  std::optional<DropletRow> droplet_{};
  bool line_open_ = false;
};

}  // namespace dropmd
