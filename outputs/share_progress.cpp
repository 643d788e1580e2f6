#include "outputs/share_progress.h"

#include <fmt/core.h>

#include <cmath>
#include <ostream>

namespace dropmd {

namespace {

constexpr double kFirst = 2, kOnTerminal = 0.2, kPlain = 10;  // seconds

std::string duration(double seconds) {
  if (seconds < 100) return fmt::format("{:.0f} s", seconds);
  const auto minutes = static_cast<long long>(std::llround(seconds / 60));
  return minutes < 100 ? fmt::format("{} min", minutes) : fmt::format("{} h {} min", minutes / 60, minutes % 60);
}

}  // namespace

ShareProgress::ShareProgress(std::ostream& out, bool terminal, std::string what, Clock clock)
    : out_(out),
      terminal_(terminal),
      what_(std::move(what)),
      clock_(std::move(clock)),
      start_(clock_()),
      next_(start_ + kFirst) {}

ShareProgress::~ShareProgress() {
  if (line_open_) out_ << std::endl;
}

void ShareProgress::update(std::size_t done, std::size_t of) {
  const double now = clock_();
  if (now < next_ || done == 0 || of == 0) return;
  const double share = static_cast<double>(done) / static_cast<double>(of);
  const std::string line =
      fmt::format("{}: {:.0f}%, {} left", what_, 100 * share, duration((now - start_) * (1 - share) / share));
  if (terminal_)
    out_ << '\r' << line << "\x1b[K" << std::flush;
  else
    out_ << line << std::endl;
  line_open_ = terminal_;
  next_ = now + (terminal_ ? kOnTerminal : kPlain);
}

}  // namespace dropmd
