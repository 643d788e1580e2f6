#include "app/stop_signals.h"

#include <atomic>
#include <cstdint>
#include <ctime>

#include "outputs/files/pipe_output.h"

namespace dropmd {

namespace {

/// Nanoseconds within which a signal is a copy of the first.
constexpr std::int64_t kCopies = 200'000'000;

std::atomic<int> stop_signal = 0;
std::atomic<std::int64_t> stop_moment = 0;  ///< time of the first signal
static_assert(decltype(stop_signal)::is_always_lock_free && decltype(stop_moment)::is_always_lock_free,
              "a signal handler may use them");

std::int64_t nanoseconds() {
  timespec now{};
  ::clock_gettime(CLOCK_MONOTONIC, &now);
  return std::int64_t{now.tv_sec} * 1'000'000'000 + now.tv_nsec;
}

extern "C" void remember_signal(int number) {
  if (stop_signal == 0) {
    stop_moment = nanoseconds();
    stop_signal = number;
    return;
  }
  // A closing terminal sends SIGHUP twice: from the shell, then from the kernel.
  if (number == SIGHUP || nanoseconds() - stop_moment < kCopies) return;
  std::signal(number, SIG_DFL);
  std::raise(number);  // takes effect when this handler returns
}

}  // namespace

StopSignals::StopSignals() {
  stop_signal = 0;
  struct sigaction remember {};
  remember.sa_handler = remember_signal;
  remember.sa_flags = SA_RESTART;
  for (const int number : kNumbers) sigaddset(&remember.sa_mask, number);
  for (std::size_t k = 0; k < kNumbers.size(); ++k) {
    sigaction(kNumbers[k], nullptr, &before_[k]);
    if (before_[k].sa_handler != SIG_IGN) sigaction(kNumbers[k], &remember, nullptr);
  }
  stop_waiting_for_readers_when(came);
}

StopSignals::~StopSignals() {
  stop_waiting_for_readers_when(nullptr);
  for (std::size_t k = 0; k < kNumbers.size(); ++k) sigaction(kNumbers[k], &before_[k], nullptr);
}

bool StopSignals::came() { return stop_signal != 0; }

ExitStatus StopSignals::status() { return stop_signal == SIGTERM ? ExitStatus::terminated : ExitStatus::interrupted; }

}  // namespace dropmd
