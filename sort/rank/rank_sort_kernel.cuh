#pragma once

#include "device/cuda.cuh"
#include "sort/rank/rank_sort.cuh"
#include "sort/rank/rank_sort_all_pairs.cuh"
#include "sort/rank/rank_sort_linear.cuh"
#include "sort/rank/rank_sort_merge.cuh"

namespace dropmd {

/// Threads for a segment of at most kCapacity keys: one per key up to a warp; then up to four keys per thread, for
/// which the same shared memory is read once.
template <int kCapacity>
struct RankSortTuning {
  static constexpr int kThreads = kCapacity <= 32 ? kCapacity : kCapacity <= 128 ? 32 : kCapacity / 4;
  static constexpr int kItems = kCapacity / kThreads;
};

/// Sorts one segment: after ranking, every element is written to its position in `stage`, from which it is stored with
/// coalesced writes. keys, stage: [capacity] of the team in shared memory. `Elements` defines how elements are loaded
/// and stored.
template <class Variant, DuplicateRule kRule, int kItems, int kThreads, class Elements, class Key = Elements::Key>
__device__ inline void rank_sort_segment(const SortTeam<kThreads>& team, const TeamSegment& segment,
                                         const Elements& elements, Key* keys, std::uint32_t* stage) {
  Key mine[kItems];
#pragma unroll
  for (int m = 0; m < kItems; ++m) {
    const int i = team.element(m);
    mine[m] = i < segment.length ? elements.load(segment.begin + i, i) : static_cast<Key>(~Key{0});
    keys[i] = mine[m];
  }
  team.sync();
  int rank[kItems];
  rank_by_rule<Variant, kRule>(team, keys, segment.length, mine, rank);
#pragma unroll
  for (int m = 0; m < kItems; ++m)
    if (const int i = team.element(m); i < segment.length) stage[rank[m]] = elements.stage(mine[m], i);
  team.sync();
#pragma unroll
  for (int m = 0; m < kItems; ++m)
    if (const int i = team.element(m); i < segment.length) elements.store(stage[i], segment.begin + i, segment.begin);
}

template <class Variant, DuplicateRule kRule, int kThreads, int kItems, class Elements>
__global__ void __launch_bounds__(SortTeam<kThreads>::kBlock)
    rank_sort_kernel(Segments segments, Elements elements, ErrorRecordView errors, int max_length) {
  using Team = SortTeam<kThreads>;
  constexpr int kCapacity = kThreads * kItems;
  __shared__ alignas(16) typename Elements::Key keys[Team::kTeams][kCapacity];
  __shared__ std::uint32_t stage[Team::kTeams][kCapacity];
  const Team team = Team::mine();
  const TeamSegment segment(segments, team.segment(), max_length);
  if (segment.fault != SegmentFault::none && team.thread == 0)
    errors.report(static_cast<std::uint8_t>(segment.fault), team.segment());
  rank_sort_segment<Variant, kRule, kItems>(team, segment, elements, keys[team.index], stage[team.index]);
}

/// Launches the kernel of the smallest capacity that holds the segments.
template <DuplicateRule kRule, int... kCapacities, class Elements>
void launch_rank_sort(const Cuda& cuda, RankSortVariant variant, const Segments& segments, const Elements& elements,
                      ErrorRecordView errors, int max_length) {
  if (segments.count <= 0) return;
  const int longest = longest_of(segments, max_length < kMaxRegisterLength ? max_length : kMaxRegisterLength);
  with_capacity<kCapacities...>(longest, [&](auto capacity) {
    using Tuning = RankSortTuning<decltype(capacity)::value>;
    const auto launch = [&](auto algorithm) {
      using Team = SortTeam<Tuning::kThreads>;
      rank_sort_kernel<decltype(algorithm), kRule, Tuning::kThreads, Tuning::kItems>
          <<<Team::blocks(segments.count), Team::kBlock, 0, cuda.get()>>>(segments, elements, errors, longest);
    };
    switch (variant) {
      case RankSortVariant::one:
        launch(AllPairsRank{});
        break;
      case RankSortVariant::n:
        launch(LinearRank{});
        break;
      case RankSortVariant::lg_n:
        launch(MergeRank{});
        break;
    }
  });
  DROPMD_CUDA_LAUNCHED("sorting by ranks");
}

}  // namespace dropmd
