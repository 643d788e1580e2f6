#pragma once

#include <array>
#include <csignal>

#include "core/errors.h"

namespace dropmd {

/// While it lives, SIGINT, SIGTERM and SIGHUP are remembered instead of ending the program, unless the program was
/// started with them ignored (nohup, background jobs of scripts). A second SIGINT or SIGTERM ends it at once, as
/// without it; copies of the first within a fifth of a second do not count, since timeout(1) and batch systems signal
/// both the process and its group. Outputs that wait for the reader of a pipe stop waiting. One at a time.
class StopSignals {
 public:
  StopSignals();
  ~StopSignals();
  StopSignals(const StopSignals&) = delete;
  StopSignals& operator=(const StopSignals&) = delete;

  /// Whether one came.
  static bool came();
  /// Of a program that it ends.
  static ExitStatus status();

 private:
  static constexpr std::array kNumbers{SIGINT, SIGTERM, SIGHUP};
  std::array<struct sigaction, kNumbers.size()> before_{};  ///< what the signals did
};

}  // namespace dropmd
