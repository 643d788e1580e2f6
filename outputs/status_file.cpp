#include "outputs/status_file.h"

#include <fmt/core.h>

#include <cmath>
#include <utility>

#include "outputs/files/atomic_file.h"

namespace dropmd {
namespace {

constexpr std::string_view kBegin = "{\n  \"step\": ";

std::string json_of(const std::optional<double>& number) {
  return number && std::isfinite(*number) ? fmt::format("{}", *number) : "null";
}

}  // namespace

std::string status_text(const RunStatus& s) {
  return fmt::format(
      "{}{},\n  \"steps\": {},\n  \"time\": {},\n  \"energy\": {},\n{}  \"temperature\": {},\n  \"steps_per_second\": "
      "{},\n"
      "  \"eta_seconds\": {},\n  \"state\": \"{}\",\n  \"checkpoint_step\": {}\n}}\n",
      kBegin, s.step, s.steps, json_of(s.time), json_of(s.energy),
      s.conserved ? fmt::format("  \"conserved\": {},\n", json_of(s.conserved)) : "", json_of(s.temperature),
      json_of(s.steps_per_second), json_of(s.eta_seconds), s.state,
      s.checkpoint_step ? std::to_string(*s.checkpoint_step) : "null");
}

StatusFile::StatusFile(std::filesystem::path path, const Options& options, Clock clock)
    : path_(std::move(path)),
      options_(options),
      clock_(std::move(clock)),
      rate_{options.first_step, clock_()},
      next_(rate_.start),
      status_{.step = options.first_step, .steps = options.last_step, .checkpoint_step = options.checkpoint_step} {}

StatusFile::~StatusFile() {
  if (!ended_) end("failed");
}

void StatusFile::update(std::int64_t step, double time) {
  status_.step = step;
  status_.time = time;
  if (const double now = clock_(); now >= next_) write("running", now);
}

void StatusFile::end(std::string_view state) {
  ended_ = true;
  write(state, clock_());
}

void StatusFile::write(std::string_view state, double now) {
  next_ = now + options_.interval;
  status_.state = state;
  status_.steps_per_second = rate_.per_second(status_.step, now);
  status_.eta_seconds = rate_.seconds_left(status_.step, status_.steps, now);
  if (energies_) {
    status_.energy = energies_->energies.total();
    status_.conserved = energies_->conserved();
    status_.temperature = energies_->temperature;
  }
  replace_without_sync(path_, status_text(status_), kBegin);
  written_(status_.step);
}

}  // namespace dropmd
