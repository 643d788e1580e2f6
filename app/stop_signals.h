#pragma once

#include <array>
#include <csignal>

#include "core/errors.h"

namespace dropmd {

/// While it exists, SIGINT, SIGTERM and SIGHUP are recorded instead of ending the program, unless the program was
/// started with them ignored (nohup, background jobs of scripts). A second SIGINT or SIGTERM ends the program at once,
/// as without this object; copies of the first within a fifth of a second do not count, since timeout(1) and batch
/// systems signal both the process and its group. Outputs that wait for the reader of a pipe stop waiting. Only one may
/// exist at a time.
class StopSignals {
 public:
  StopSignals();
  ~StopSignals();
  StopSignals(const StopSignals&) = delete;
  StopSignals& operator=(const StopSignals&) = delete;

  /// Whether a signal came.
  static bool came();
  /// The exit status of a program that the signal ends.
  static ExitStatus status();

 private:
  static constexpr std::array kNumbers{SIGINT, SIGTERM, SIGHUP};
  std::array<struct sigaction, kNumbers.size()> before_{};  ///< previous actions of the signals
};

}  // namespace dropmd
