#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "core/execution.h"

namespace dropmd {

/// Σ value(i) for i in [0, n): blocks of fixed length are summed by any thread, then added in order, so the result does
/// not depend on the number of threads. T: default-constructed to zero, with +=.
template <class T, class Value>
T ordered_sum(Cpu cpu, std::size_t n, const Value& value) {
  constexpr std::size_t kBlock = 1024;
  const std::size_t n_blocks = (n + kBlock - 1) / kBlock;
  std::vector<T> partial(n_blocks, T{});
  const auto last = static_cast<std::int64_t>(n_blocks);
#pragma omp parallel for schedule(static) num_threads(cpu.threads) if (n_blocks > 8)
  for (std::int64_t b = 0; b < last; ++b) {
    const auto block = static_cast<std::size_t>(b);
    T sum{};
    for (std::size_t i = block * kBlock; i < std::min(n, (block + 1) * kBlock); ++i) sum += value(i);
    partial[block] = sum;
  }
  T total{};
  for (const T& p : partial) total += p;
  return total;
}

/// Calls body(i) for i in [0, n), each i once, in any order on any thread.
template <class Body>
void for_each_index(Cpu cpu, std::size_t n, const Body& body) {
  const auto last = static_cast<std::int64_t>(n);
#pragma omp parallel for schedule(static) num_threads(cpu.threads) if (n > 8192)
  for (std::int64_t i = 0; i < last; ++i) body(static_cast<std::size_t>(i));
}

}  // namespace dropmd
