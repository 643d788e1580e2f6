#pragma once

#include <algorithm>
#include <chrono>
#include <vector>

namespace dropmd {

/// Returns the median wall time of `work` in microseconds. After one warm-up call, `work` is called at least three
/// times and at most `most` times, until half a second has passed.
template <class Work>
double median_microseconds(const Work& work, std::size_t most = 51) {
  using Microseconds = std::chrono::duration<double, std::micro>;
  work();
  std::vector<double> times;
  double total = 0;
  while (times.size() < 3 || (times.size() < most && total < 5e5)) {
    const auto begin = std::chrono::steady_clock::now();
    work();
    times.push_back(Microseconds(std::chrono::steady_clock::now() - begin).count());
    total += times.back();
  }
  std::sort(times.begin(), times.end());
  return times[times.size() / 2];
}

}  // namespace dropmd
