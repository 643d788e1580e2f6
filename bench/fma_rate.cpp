#include "bench/fma_rate.h"

#include <algorithm>
#include <array>

#include "core/clock.h"
#include "core/lanes/simd_lanes.h"

namespace dropmd {

double fma_packs_per_second() {
  // Enough independent chains for two units with a latency of four clocks, and few enough for 16 registers.
  constexpr int kChains = 12, kRounds = 200'000, kTries = 8;
  using Lane = Pack<float>;
  const Lane half(0.5F), one(1.0F);
  std::array<Lane, kChains> chain{};
  double best = 0;
  for (int t = 0; t < kTries; ++t) {
    const double start = steady_seconds();
    for (int round = 0; round < kRounds; ++round)
      for (Lane& value : chain) value = lane_fma(value, half, one);  // converges to 2
    best = std::max(best, kChains * static_cast<double>(kRounds) / (steady_seconds() - start));
  }
  [[maybe_unused]] volatile float used = 0;
  for (const Lane& value : chain) used = used + value[0];
  return best;
}

}  // namespace dropmd
