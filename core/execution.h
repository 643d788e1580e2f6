#pragma once

namespace dropmd {

/// Where work runs, on the CPU: the first argument of everything that computes. Results do not depend on `threads`.
struct Cpu {
  int threads = 1;
};

}  // namespace dropmd
