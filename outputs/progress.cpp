#include "outputs/progress.h"

#include <fmt/core.h>

#include <cmath>
#include <ostream>
#include <string_view>
#include <utility>
#include <vector>

namespace dropmd {
namespace {

constexpr int kHighestRank = 7;
constexpr double kTerminalInterval = 0.2;  // seconds
constexpr double kSecondsPerDay = 86400.0;
constexpr double kNanosecondsPerFemtosecond = 1e-6;

std::string hours_minutes_seconds(double seconds) {
  const auto whole = static_cast<std::int64_t>(std::llround(seconds));
  return fmt::format("{}:{:02}:{:02}", whole / 3600, whole / 60 % 60, whole % 60);
}

/// A field of the line; if not all fit, those of high rank are omitted.
struct Part {
  int rank;
  std::string text;
};

/// Joins the parts of the lowest ranks that fit, in their order, with two spaces.
std::string join_within(const std::vector<Part>& parts, std::size_t columns) {
  std::string line;
  for (int highest = 0; highest <= kHighestRank; ++highest) {
    std::string wider;
    for (const Part& part : parts) {
      if (part.rank > highest) continue;
      if (!wider.empty()) wider += "  ";
      wider += part.text;
    }
    if (wider.size() > columns) break;
    line = wider;
  }
  return line;
}

}  // namespace

Progress::Progress(std::ostream& out, const Units& units, const ProgressOptions& options, Clock clock)
    : out_(out),
      units_(units),
      options_(options),
      clock_(std::move(clock)),
      rate_{options.first_step, clock_()},
      next_(rate_.start) {}

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
  std::vector<Part> parts{{0, fmt::format("step {}/{}", step, options_.last_step)},
                          {6, fmt::format("t {:.6g} {}", time, units_.time)}};
  if (energies_) {
    parts.push_back({3, fmt::format("E {:.8g} {}", energies_->energies.total(), units_.energy)});
    if (const auto conserved = energies_->conserved())
      parts.push_back({7, fmt::format("conserved {:.8g} {}", *conserved, units_.energy)});
    parts.push_back({4, fmt::format("T {:.4g} {}", energies_->temperature, units_.temperature)});
  }
  if (droplet_) {
    parts.push_back(
        {3, fmt::format("droplet {} molecule{}", droplet_->molecules, droplet_->molecules == 1 ? "" : "s")});
    if (!std::isnan(droplet_->rayleigh_share))
      parts.push_back({4, fmt::format("{:.3g} of Rayleigh's limit", droplet_->rayleigh_share)});
  }
  if (const std::optional<double> rate = rate_.per_second(step, now)) {
    if (const std::optional<double> left = rate_.seconds_left(step, options_.last_step, now))
      parts.push_back({1, "ETA " + hours_minutes_seconds(*left)});
    parts.push_back({2, fmt::format("{:.4g} steps/s", *rate)});
    const double advanced = time - options_.first_time;
    if (units_.system == UnitSystem::real && advanced > 0)
      parts.push_back({5, fmt::format("{:.4g} ns/day",
                                      advanced * kNanosecondsPerFemtosecond / (now - rate_.start) * kSecondsPerDay)});
  }
  // A character in the last column makes some terminals wrap.
  return join_within(parts, options_.terminal ? options_.columns - 1 : std::string::npos);
}

}  // namespace dropmd
