#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "core/philox.h"

namespace dropmd {

/// Returns `count` different numbers below n in ascending order (all of them if n ≤ count); every subset is equally
/// likely (R. W. Floyd, in J. Bentley, Commun. ACM 30, 754, 1987). A pure function of its arguments.
inline std::vector<std::uint32_t> random_sample(RandomKey key, std::uint64_t index, std::uint32_t n,
                                                std::uint32_t count) {
  std::vector<std::uint32_t> sample;  // kept in ascending order
  for (std::uint32_t last = n - std::min(n, count); last < n; ++last) {
    const std::uint64_t word = random_words(key, index, last)[0];
    const auto drawn = static_cast<std::uint32_t>((word * (std::uint64_t{last} + 1)) >> 32U);  // 0 to last
    const auto place = std::lower_bound(sample.begin(), sample.end(), drawn);
    if (place == sample.end() || *place != drawn) {
      sample.insert(place, drawn);
    } else {
      sample.push_back(last);  // larger than all numbers before it
    }
  }
  return sample;
}

}  // namespace dropmd
