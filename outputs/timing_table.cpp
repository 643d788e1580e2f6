#include "outputs/timing_table.h"

#include <fmt/core.h>

#include <algorithm>
#include <string_view>

namespace dropmd {

std::string timing_table(const Timings& timings, std::int64_t steps) {
  const double total = timings.total_seconds();
  std::size_t width = std::string_view("phase").size();
  for (const Timings::Phase& phase : timings.phases()) width = std::max(width, phase.name.size());

  std::string table = fmt::format("{:<{}} {:>12} {:>7} {:>12}\n", "phase", width, "seconds", "share", "us/step");
  const auto add_row = [&](std::string_view name, double seconds) {
    const double percent = total > 0 ? 100.0 * seconds / total : 0.0;
    const std::string per_step = steps > 0 ? fmt::format("{:.2f}", 1e6 * seconds / static_cast<double>(steps)) : "-";
    table += fmt::format("{:<{}} {:>12.3f} {:>6.1f}% {:>12}\n", name, width, seconds, percent, per_step);
  };

  double other = total;
  for (const Timings::Phase& phase : timings.phases()) {
    add_row(phase.name, phase.seconds);
    other -= phase.seconds;
  }
  add_row("other", std::max(other, 0.0));  // rounding can make it negative
  add_row("total", total);
  return table;
}

}  // namespace dropmd
