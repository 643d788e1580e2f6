#pragma once

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <vector>

#include "core/execution.h"
#include "core/thread_team.h"

/// Loops whose indices any thread may take, in any order: what body does for one index must not depend on any other.
namespace dropmd {

/// Calls body(i) for i in [0, n), for indices of about equal cost. A thread takes the same share in every loop of that
/// length unless it is late, so that it finds what it wrote in its own cache.
template <class Body>
void parallel_for(Cpu cpu, std::size_t n, const Body& body) {
  constexpr std::size_t kPartsPerThread = 4;  // parts that other threads can take over
  const std::size_t threads = std::min(n, static_cast<std::size_t>(std::max(1, cpu.threads)));
  const auto make = [&](std::size_t first, std::size_t last) {
    for (std::size_t i = first; i < last; ++i) body(i);
  };
  if (threads <= 1) return make(0, n);
  struct alignas(64) Share {
    std::atomic<std::size_t> taken{0};
  };
  std::vector<Share> shares(threads);
  const std::size_t n_parts = std::min(n, threads * kPartsPerThread);
  const auto work = [&](std::size_t member) {
    for (std::size_t turn = 0; turn < threads; ++turn) {  // its own share first, then those of others
      const std::size_t share = (member + turn) % threads;
      const std::size_t first = n_parts * share / threads, last = n_parts * (share + 1) / threads;
      for (std::size_t part; (part = first + shares[share].taken.fetch_add(1, std::memory_order_relaxed)) < last;)
        make(n * part / n_parts, n * (part + 1) / n_parts);
    }
  };
  run_team(threads, TeamWork(work));
}

/// Calls body(state, i) for i in [0, n), for indices of any cost; a thread that is free takes the next `at_once` of
/// them. make() returns the state that a thread keeps for the whole loop.
template <class MakeState, class Body>
void parallel_for_with(Cpu cpu, std::size_t n, std::size_t at_once, const MakeState& make, const Body& body) {
  std::atomic<std::size_t> next{0};
  const auto work = [&](std::size_t) {
    std::size_t first = next.fetch_add(at_once, std::memory_order_relaxed);
    if (first >= n) return;
    auto state = make();
    for (; first < n; first = next.fetch_add(at_once, std::memory_order_relaxed))
      for (std::size_t i = first; i < std::min(n, first + at_once); ++i) body(state, i);
  };
  const std::size_t shares = (n + at_once - 1) / at_once;
  run_team(std::min(shares, static_cast<std::size_t>(std::max(1, cpu.threads))), TeamWork(work));
}

}  // namespace dropmd
