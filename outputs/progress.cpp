#include "outputs/progress.h"

#include <fmt/core.h>

#include <cmath>
#include <ostream>
#include <string_view>
#include <utility>
#include <vector>

namespace dropmd {
namespace {

constexpr double kTerminalInterval = 0.2;  // seconds
constexpr double kSecondsPerDay = 86400.0;
constexpr double kNanosecondsPerFemtosecond = 1e-6;

std::string hours_minutes_seconds(double seconds) {
  const auto whole = static_cast<std::int64_t>(std::llround(seconds));
  return fmt::format("{}:{:02}:{:02}", whole / 3600, whole / 60 % 60, whole % 60);
}

/// Joins with two spaces as many of the first parts as fit.
std::string join_within(const std::vector<std::string>& parts, std::size_t columns) {
  std::string line;
  for (const std::string& part : parts) {
    const std::string_view gap = line.empty() ? "" : "  ";
    if (line.size() + gap.size() + part.size() > columns) break;
    line.append(gap).append(part);
  }
  return line;
}

}  // namespace

Progress::Progress(std::ostream& out, const Units& units, const ProgressOptions& options, Clock clock)
    : out_(out), units_(units), options_(options), clock_(std::move(clock)), start_(clock_()), next_(start_) {}

Progress::~Progress() {
  if (line_open_) out_ << std::endl;
}

void Progress::update(std::int64_t step, double time) {
  const double now = clock_();
  if (now >= next_) show(step, time, now);
}

void Progress::finish(std::int64_t step, double time) {
  if (options_.terminal || shown_step_ != step) show(step, time, clock_());
  if (line_open_) out_ << std::endl;
  line_open_ = false;
}

void Progress::show(std::int64_t step, double time, double now) {
  constexpr std::string_view kEraseToEnd = "\x1b[K";
  const std::string line = text(step, time, now);
  if (options_.terminal)
    out_ << '\r' << line << kEraseToEnd << std::flush;
  else
    out_ << line << std::endl;
  line_open_ = options_.terminal;
  next_ = now + (options_.terminal ? kTerminalInterval : options_.plain_interval);
  shown_step_ = step;
}

std::string Progress::text(std::int64_t step, double time, double now) const {
  // In the order of importance: a narrow terminal loses the last ones.
  std::vector<std::string> parts{fmt::format("step {}/{}", step, options_.last_step),
                                 fmt::format("t {:.6g} {}", time, units_.time)};
  if (energies_) {
    parts.push_back(fmt::format("E {:.8g} {}", energies_->energies.total(), units_.energy));
    parts.push_back(fmt::format("T {:.4g} {}", energies_->temperature, units_.temperature));
  }
  const double elapsed = now - start_;
  const std::int64_t done = step - options_.first_step;
  if (elapsed > 0 && done > 0) {
    const double rate = static_cast<double>(done) / elapsed;
    parts.push_back("ETA " + hours_minutes_seconds(static_cast<double>(options_.last_step - step) / rate));
    parts.push_back(fmt::format("{:.4g} steps/s", rate));
    const double advanced = time - options_.first_time;
    if (units_.system == UnitSystem::real && advanced > 0)
      parts.push_back(fmt::format("{:.4g} ns/day", advanced * kNanosecondsPerFemtosecond / elapsed * kSecondsPerDay));
  }
  // A full last column makes some terminals wrap.
  return join_within(parts, options_.terminal ? options_.columns - 1 : std::string::npos);
}

}  // namespace dropmd
