#include "outputs/timings_csv.h"

#include <fmt/core.h>

#include <algorithm>
#include <charconv>
#include <fstream>
#include <iterator>
#include <string_view>
#include <system_error>
#include <utility>

#include "outputs/files/atomic_file.h"

namespace dropmd {
namespace {

constexpr std::string_view kBegin =
    "# wall time of a run of dropmd by phase, in seconds\n"
    "part,first_step,last_step,phase,seconds\n";

/// Returns what a run has written; empty if there is nothing, or if it is damaged.
std::string written_by_run(const std::filesystem::path& path) {
  std::error_code ignored;
  if (!std::filesystem::is_regular_file(path, ignored)) return {};
  std::ifstream file(path, std::ios::binary);
  std::string text{std::istreambuf_iterator<char>(file), {}};
  return text.starts_with(kBegin) && text.ends_with('\n') ? text : std::string();
}

/// Returns the number of the last part in the text of a file; 0: there is none.
std::int64_t last_part(std::string_view text) {
  text.remove_suffix(1);  // the end of the last line
  const std::string_view row = text.substr(text.rfind('\n') + 1);
  std::int64_t part = 0;
  std::from_chars(row.data(), row.data() + row.size(), part);
  return part;
}

}  // namespace

TimingsCsv::TimingsCsv(std::filesystem::path path, const Timings& timings, std::int64_t first_step, bool resumes)
    : path_(std::move(path)), timings_(timings), first_step_(first_step), before_(kBegin) {
  const std::string written = resumes ? written_by_run(path_) : std::string();
  if (written.empty()) return;
  before_ = written;
  part_ = last_part(written) + 1;
}

void TimingsCsv::write(std::int64_t step) const {
  std::string text = before_;
  double other = timings_.total_seconds();
  const auto add = [&](std::string_view phase, double seconds) {
    text += fmt::format("{},{},{},{},{:.6f}\n", part_, first_step_, step, phase, seconds);
  };
  for (const Timings::Phase& phase : timings_.phases()) {
    add(phase.name, phase.seconds);
    other -= phase.seconds;
  }
  add("other", std::max(other, 0.0));  // rounding can make it negative
  replace_without_sync(path_, text, kBegin);
}

}  // namespace dropmd
