#include "app/commands/ensemble/ensemble_display.h"

#include <fmt/core.h>

#include <algorithm>
#include <numeric>
#include <ostream>

#include "core/terminal_text.h"

namespace dropmd {

EnsembleDisplay::EnsembleDisplay(const EnsemblePlan& plan, bool quiet, Streams& streams)
    : out_(streams.live),
      quiet_(quiet),
      terminal_(streams.err_is_terminal),
      n_runs_(plan.ensemble->table().replicas.size()),
      n_over_(n_runs_ - plan.ensemble->n_left()),
      step_(n_runs_) {
  for (std::size_t k = 0; k < n_runs_; ++k) step_[k] = plan.ensemble->table().replicas[k].result.steps;
  begin_ = end_ = std::accumulate(step_.begin(), step_.end(), std::int64_t{0});
  for (const RunToMake& run : plan.runs) end_ += run.config.steps - run.steps_done;
  if (!quiet) progress_.emplace(streams.live, streams.err_is_terminal, "ensemble");
}

void EnsembleDisplay::ended(std::size_t index, const Replica& replica) {
  const ReplicaResult& result = replica.result;
  const std::lock_guard lock(mutex_);
  if (is_over(result.state)) ++n_over_;
  step_[index] = result.steps;
  lines_ += fmt::format("{}run {}: {} after step {}{} ({} of {} are over)\n",
                        result.message.empty() || is_good(result.state) ? "" : "dropmd: warning: ", index + 1,
                        word_of(result.state), result.steps,
                        result.message.empty() ? "" : ": " + without_commands(result.message), n_over_, n_runs_);
}

void EnsembleDisplay::warn(const std::string& what) {
  const std::lock_guard lock(mutex_);
  lines_ += fmt::format("dropmd: warning: {}\n", without_commands(what));
}

void EnsembleDisplay::show() {
  std::string lines;
  {
    const std::lock_guard lock(mutex_);
    lines.swap(lines_);
  }
  if (quiet_) return;
  constexpr std::string_view kClearLine = "\r\x1b[K";  // where the progress display is
  if (!lines.empty()) out_ << (terminal_ ? kClearLine : "") << lines << std::flush;
  const auto since_begin = [this](std::int64_t steps) {
    return static_cast<std::size_t>(std::max<std::int64_t>(0, steps - begin_));
  };
  progress_->update(since_begin(std::accumulate(step_.begin(), step_.end(), std::int64_t{0})), since_begin(end_));
}

}  // namespace dropmd
