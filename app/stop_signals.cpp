#include "app/stop_signals.h"

#include <csignal>

namespace dropmd {

namespace {

volatile std::sig_atomic_t stop_signal = 0;

extern "C" void remember_signal(int number) {
  stop_signal = number;
  std::signal(number, SIG_DFL);
}

}  // namespace

StopSignals::StopSignals() {
  stop_signal = 0;
  std::signal(SIGINT, remember_signal);
  std::signal(SIGTERM, remember_signal);
  hang_up_ = std::signal(SIGHUP, remember_signal);        // a terminal that was closed
  if (hang_up_ == SIG_IGN) std::signal(SIGHUP, SIG_IGN);  // as nohup has it
}

StopSignals::~StopSignals() {
  std::signal(SIGINT, SIG_DFL);
  std::signal(SIGTERM, SIG_DFL);
  std::signal(SIGHUP, hang_up_);
}

bool StopSignals::came() { return stop_signal != 0; }

ExitStatus StopSignals::status() { return stop_signal == SIGTERM ? ExitStatus::terminated : ExitStatus::interrupted; }

}  // namespace dropmd
