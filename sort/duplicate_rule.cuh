#pragma once

#include <cstdint>

#include "sort/rank/rank_sort_team.cuh"

/// Rules for equal elements. rank(i) is the number of elements that precede element i; it is a position in the sorted
/// array only if no two elements have the same rank, so equal values need a rule (E. S. Fomin, 2013).
namespace dropmd {

enum class DuplicateRule {
  /// Value and, below it, index in one word: words are unique, and one comparison suffices.
  packed_index,
  upper_triangular,  ///< rank(i) = #{j: a_j < a_i} + #{j < i: a_j = a_i}: equal values keep their order
  /// rank(i) = #{j: a_j < a_i}, which equal reals share; these integers are ranked again by the upper-triangular rule.
  /// Reals are never tested for equality.
  rank_of_ranks,
};

/// For distinct keys.
struct UniqueOrder {
  static constexpr bool kSharesRanks = false;

  template <class Key>
  __device__ bool operator()(Key a, int, Key b, int) const {
    return a < b;
  }
};

struct UpperTriangularOrder {
  static constexpr bool kSharesRanks = false;

  template <class Key>
  __device__ bool operator()(Key a, int index_of_a, Key b, int index_of_b) const {
    return a < b || (a == b && index_of_a < index_of_b);
  }
};

/// Equal keys share a rank.
struct StrictOrder : UniqueOrder {
  static constexpr bool kSharesRanks = true;
};

/// Ranks a team's n keys by a rule; `Variant` is one of the three rank sorts. keys: [capacity] in shared memory, with
/// all bits set past the last key, may be overwritten; mine: the thread's own keys. The team must have synchronised.
template <class Variant, DuplicateRule kRule, int kThreads, int kItems, class Key>
__device__ inline void rank_by_rule(const SortTeam<kThreads>& team, Key* keys, int n, const Key (&mine)[kItems],
                                    int (&rank)[kItems]) {
  if constexpr (kRule == DuplicateRule::packed_index) {
    Variant::rank(team, keys, n, mine, UniqueOrder{}, rank);
  } else if constexpr (kRule == DuplicateRule::upper_triangular) {
    Variant::rank(team, keys, n, mine, UpperTriangularOrder{}, rank);
  } else {
    Variant::rank(team, keys, n, mine, StrictOrder{}, rank);
    team.sync();
    Key shared_rank[kItems];
#pragma unroll
    for (int m = 0; m < kItems; ++m) {
      shared_rank[m] = team.element(m) < n ? static_cast<Key>(rank[m]) : static_cast<Key>(~Key{0});
      keys[team.element(m)] = shared_rank[m];
    }
    team.sync();
    Variant::rank(team, keys, n, shared_rank, UpperTriangularOrder{}, rank);
  }
}

}  // namespace dropmd
