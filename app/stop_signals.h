#pragma once

#include "core/errors.h"

namespace dropmd {

/// While it lives, SIGINT, SIGTERM and SIGHUP (unless nohup has that ignored) are remembered instead of ending the
/// program; a second one of a kind ends it at once, as without it. One at a time.
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
  void (*hang_up_)(int);  ///< what SIGHUP did before
};

}  // namespace dropmd
