#pragma once

#include <cstdint>

#include "core/macros.h"

namespace dropmd {

/// Sums over pairs, of one warp or of all.
struct PartialEnergy {
  double vdw, coulomb;
  std::uint64_t within;  ///< number of pairs closer than the larger cutoff

  friend DROPMD_HOST_DEVICE PartialEnergy operator+(const PartialEnergy& a, const PartialEnergy& b) {
    return {a.vdw + b.vdw, a.coulomb + b.coulomb, a.within + b.within};
  }
};

#if defined(__CUDACC__)

/// Returns the sum over a warp, in lane 0.
__device__ inline PartialEnergy sum_of_warp(PartialEnergy all) {
  for (int mask = 16; mask > 0; mask /= 2) {
    const auto other = [&](auto x) { return __shfl_xor_sync(0xFFFFFFFFU, x, mask); };
    all = all + PartialEnergy{other(all.vdw), other(all.coulomb),
                              static_cast<std::uint64_t>(other(static_cast<unsigned long long>(all.within)))};
  }
  return all;
}

#endif

}  // namespace dropmd
