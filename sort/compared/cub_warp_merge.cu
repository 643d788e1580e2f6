#include <cub/warp/warp_merge_sort.cuh>
#include <cub/warp/warp_store.cuh>

#include "sort/compared/compared_sorts.cuh"
#include "sort/rank/rank_sort_team.cuh"

namespace dropmd {
namespace {

struct Less {
  __device__ bool operator()(PackedWord a, PackedWord b) const { return a < b; }
};

/// Lanes and keys per lane for a capacity: at most four keys per lane until the warp is full.
template <int kCapacity>
struct WarpMergeTuning {
  static constexpr int kLanes = kCapacity <= 16 ? 4 : kCapacity < 96 ? kCapacity / 4 : 32;
  static constexpr int kItems = kCapacity / kLanes;
};

template <int kLanes, int kItems>
__global__ void __launch_bounds__(SortTeam<kLanes>::kBlock)
    warp_merge_kernel(Segments segments, const PackedWord* in, PackedWord* out) {
  using Team = SortTeam<kLanes>;
  using Sort = cub::WarpMergeSort<PackedWord, kItems, kLanes>;
  using Store = cub::WarpStore<PackedWord, kItems, cub::WARP_STORE_TRANSPOSE, kLanes>;
  union Storage {
    typename Sort::TempStorage sort;
    typename Store::TempStorage store;
  };
  __shared__ Storage storage[Team::kTeams];
  const Team team = Team::mine();
  const TeamSegment segment(segments, team.segment(), kLanes * kItems);
  PackedWord key[kItems];
#pragma unroll
  for (int i = 0; i < kItems; ++i)
    key[i] = team.element(i) < segment.length ? in[segment.begin + team.element(i)] : ~PackedWord{0};
  Sort(storage[team.index].sort).Sort(key, Less{});
  team.sync();
  Store(storage[team.index].store).Store(out + segment.begin, key, segment.length);
}

}  // namespace

void sort_cub_warp_merge(const Cuda& cuda, const Segments& segments, int longest, const PackedWord* d_in,
                         PackedWord* d_out) {
  if (segments.count <= 0) return;
  with_capacity<8, 16, 32, 64, 96, 128, 192, 256, 512, 1024>(longest, [&](auto capacity) {
    using Tuning = WarpMergeTuning<decltype(capacity)::value>;
    using Team = SortTeam<Tuning::kLanes>;
    warp_merge_kernel<Tuning::kLanes, Tuning::kItems>
        <<<Team::blocks(segments.count), Team::kBlock, 0, cuda.get()>>>(segments, d_in, d_out);
  });
  DROPMD_CUDA_LAUNCHED("sorting with cub::WarpMergeSort");
}

}  // namespace dropmd
