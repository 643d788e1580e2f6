#pragma once

#include "sort/rank/rank_sort_team.cuh"

namespace dropmd {

/// Rank sort "1" (E. S. Fomin, 2013): N² threads compare all pairs (i, j) at once, and the rank of element i is the sum
/// of its row of results. It takes O(1) steps of comparison and a reduction; the work is N².
///
/// Since there are fewer than N² threads today, the matrix of pairs is divided into tiles of one row and 32 columns. A
/// tile takes one comparison per lane; the paper's reduction becomes one vote (`__ballot_sync`) and one population
/// count, without shared memory. A lane keeps its columns in registers: a row is read once for 32·kItems columns. There
/// are N²/32 votes in total, and N²/kThreads steps.
struct AllPairsRank {
  template <int kThreads, int kItems, class Key, class Before>
  static __device__ void rank(const SortTeam<kThreads>& team, const Key* keys, int n, const Key (&)[kItems],
                              Before before, int (&rank)[kItems]) {
    constexpr int kLanes = SortTeam<kThreads>::kLanes;
    const int lane = team.thread & (kLanes - 1);
    const int first_row = team.thread - lane;
    // Parts of a warp vote together, so they must take equally many steps; columns past the last element precede none.
    const int n_steps = kThreads < 32 ? kThreads * kItems : n;
#pragma unroll
    for (int m = 0; m < kItems; ++m) rank[m] = 0;

    for (int first_column = 0; first_column < n_steps; first_column += kLanes * kItems) {
      Key column[kItems];
#pragma unroll
      for (int c = 0; c < kItems; ++c) column[c] = keys[first_column + c * kLanes + lane];
#pragma unroll
      for (int m = 0; m < kItems; ++m) {
        const int base = m * kThreads + first_row;
        const int rows = n_steps - base < kLanes ? n_steps - base : kLanes;
#pragma unroll 4
        for (int r = 0; r < rows; ++r) {
          const Key row = keys[base + r];
          int count = 0;
#pragma unroll
          for (int c = 0; c < kItems; ++c) {
            const bool is_before = before(column[c], first_column + c * kLanes + lane, row, base + r);
            count += __popc(__ballot_sync(0xFFFFFFFFU, is_before) & team.lanes());
          }
          if (lane == r) rank[m] += count;
        }
      }
    }
  }
};

}  // namespace dropmd
