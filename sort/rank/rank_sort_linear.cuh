#pragma once

#include "sort/rank/rank_sort_team.cuh"

namespace dropmd {

/// Rank sort "N" (E. S. Fomin, 2013): one thread per element compares it with each of the N others, in N steps; the
/// work is N². All threads read the same element at a time, a broadcast from shared memory.
///
/// Today one read brings 128 bits (four words), and a thread compares each word with kItems elements of its own, so
/// that there are 4·kItems comparisons per read. It takes N·kItems steps of two instructions.
struct LinearRank {
  template <int kThreads, int kItems, class Key, class Before>
  static __device__ void rank(const SortTeam<kThreads>& team, const Key* keys, int n, const Key (&mine)[kItems],
                              Before before, int (&rank)[kItems]) {
    constexpr int kPack = 16 / static_cast<int>(sizeof(Key));
    struct alignas(16) Pack {
      Key key[kPack];
    };
#pragma unroll
    for (int m = 0; m < kItems; ++m) rank[m] = 0;

#pragma unroll 2
    for (int j = 0; j < n; j += kPack) {
      const Pack pack = *reinterpret_cast<const Pack*>(keys + j);
#pragma unroll
      for (int q = 0; q < kPack; ++q)
#pragma unroll
        for (int m = 0; m < kItems; ++m) rank[m] += before(pack.key[q], j + q, mine[m], team.element(m)) ? 1 : 0;
    }
  }
};

}  // namespace dropmd
