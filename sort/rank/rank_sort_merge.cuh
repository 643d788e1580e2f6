#pragma once

#include "sort/rank/rank_sort_team.cuh"

namespace dropmd {

/// Returns how many of the n ascending keys are less than `key` or, with or_equal, not greater.
template <class Key>
__device__ inline int rank_in_run(const Key* run, int n, Key key, bool or_equal) {
  int low = 0;
  int high = n;
  while (low < high) {
    const int middle = (low + high) / 2;
    if (or_equal ? !(key < run[middle]) : run[middle] < key)
      low = middle + 1;
    else
      high = middle;
  }
  return low;
}

/// Rank sort "lg N" (E. S. Fomin, 2013): divide and conquer by ranks. Sorted runs of 1, 2, 4 ... are merged pairwise:
/// the position of an element in the merged run is its position in its own run plus its rank in the partner run, found
/// by bisection. There are lg N rounds of at most lg N + 1 comparisons per thread; the work is N lg² N / 2.
///
/// Equal keys: for keys of the left run the rank counts only smaller keys, for those of the right run also equal ones,
/// which gives the upper-triangular rule with `<` alone. If equal keys must share a rank, it is looked up in the sorted
/// array.
///
/// Here the element stays in its thread's register and only its position changes, so that one array in shared memory
/// suffices and the last position is the rank.
struct MergeRank {
  template <int kThreads, int kItems, class Key, class Before>
  static __device__ void rank(const SortTeam<kThreads>& team, Key* keys, int n, const Key (&mine)[kItems], Before,
                              int (&rank)[kItems]) {
    // Parts of a warp synchronise together, so they must take equally many rounds.
    const int n_rounds_for = kThreads < 32 ? kThreads * kItems : n;
#pragma unroll
    for (int m = 0; m < kItems; ++m) rank[m] = team.element(m);

    for (int run = 1; run < n_rounds_for; run *= 2) {
#pragma unroll
      for (int m = 0; m < kItems; ++m) {
        if (team.element(m) >= n) continue;
        const int own = rank[m] & -run;
        const int partner = own ^ run;
        const int begin = partner < n ? partner : n;
        const int end = partner + run < n ? partner + run : n;
        const bool from_right = partner < own;
        rank[m] = (own & ~run) + (rank[m] - own) + rank_in_run(keys + begin, end - begin, mine[m], from_right);
      }
      team.sync();
#pragma unroll
      for (int m = 0; m < kItems; ++m)
        if (team.element(m) < n) keys[rank[m]] = mine[m];
      team.sync();
    }

    if constexpr (Before::kSharesRanks) {
#pragma unroll
      for (int m = 0; m < kItems; ++m)
        if (team.element(m) < n) rank[m] = rank_in_run(keys, n, mine[m], false);
    }
  }
};

}  // namespace dropmd
