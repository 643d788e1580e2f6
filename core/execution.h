#pragma once

namespace dropmd {

/// Execution on the CPU; the first argument of every function that computes. Results do not depend on `threads`.
struct Cpu {
  int threads = 1;  ///< number of threads of the process-wide team (core/thread_team.h), at least 1
};

}  // namespace dropmd
