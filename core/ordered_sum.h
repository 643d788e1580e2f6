#pragma once

#include <algorithm>
#include <cstddef>
#include <vector>

#include "core/execution.h"
#include "core/parallel_for.h"

namespace dropmd {

/// Returns Σ value(i) for i in [0, n). Any thread may sum a block of fixed length, and the block sums are added in
/// order, so the result does not depend on the number of threads. T must be zero by default and have +=.
template <class T, class Value>
T ordered_sum(Cpu cpu, std::size_t n, const Value& value) {
  constexpr std::size_t kBlock = 1024, kFewBlocks = 8;
  const std::size_t n_blocks = (n + kBlock - 1) / kBlock;
  std::vector<T> partial(n_blocks, T{});
  parallel_for(n_blocks > kFewBlocks ? cpu : Cpu{}, n_blocks, [&](std::size_t block) {
    T sum{};
    for (std::size_t i = block * kBlock; i < std::min(n, (block + 1) * kBlock); ++i) sum += value(i);
    partial[block] = sum;
  });
  T total{};
  for (const T& p : partial) total += p;
  return total;
}

/// Calls body(i) once for each i in [0, n), in any order on any thread; short loops stay on the calling thread.
template <class Body>
void for_each_index(Cpu cpu, std::size_t n, const Body& body) {
  constexpr std::size_t kFew = 8192;
  parallel_for(n > kFew ? cpu : Cpu{}, n, body);
}

}  // namespace dropmd
