#include "sort/compared/compared_sorts.cuh"
#include "sort/rank/rank_sort_team.cuh"

namespace dropmd {
namespace {

/// Returns the smaller key if `lower`, else the larger one.
__device__ inline PackedWord lower_if(bool lower, PackedWord a, PackedWord b) { return lower ? min(a, b) : max(a, b); }

/// The bitonic network over 32·kKeys keys; lane l holds the keys [l·kKeys, (l + 1)·kKeys). Strides of kKeys and more
/// are shuffles.
template <int kKeys>
__device__ inline void sort_warp_bitonic(PackedWord (&key)[kKeys], int lane) {
#pragma unroll
  for (int size = 2; size <= 32 * kKeys; size *= 2)
#pragma unroll
    for (int stride = size / 2; stride > 0; stride /= 2) {
      if (stride >= kKeys) {
        const int lanes = stride / kKeys;
#pragma unroll
        for (int i = 0; i < kKeys; ++i) {
          const bool ascending = ((lane * kKeys + i) & size) == 0;
          const PackedWord other = __shfl_xor_sync(0xFFFFFFFFU, key[i], lanes);
          key[i] = lower_if(((lane & lanes) == 0) == ascending, key[i], other);
        }
      } else {
#pragma unroll
        for (int i = 0; i < kKeys; ++i) {
          if ((i & stride) != 0) continue;
          const bool ascending = ((lane * kKeys + i) & size) == 0;
          const PackedWord low = lower_if(ascending, key[i], key[i + stride]);
          key[i + stride] = lower_if(!ascending, key[i], key[i + stride]);
          key[i] = low;
        }
      }
    }
}

/// Keys are loaded in any order and stored through shared memory, so that both are coalesced.
template <int kKeys>
__global__ void __launch_bounds__(SortTeam<32>::kBlock)
    register_bitonic_kernel(Segments segments, const PackedWord* in, PackedWord* out) {
  using Team = SortTeam<32>;
  constexpr int kRun = kKeys | 1;  // odd, to avoid bank conflicts
  __shared__ PackedWord all_stages[Team::kTeams][32 * kRun];
  const Team team = Team::mine();
  const TeamSegment segment(segments, team.segment(), 32 * kKeys);
  PackedWord* stage = all_stages[team.index];
  PackedWord key[kKeys];
#pragma unroll
  for (int i = 0; i < kKeys; ++i)
    key[i] = team.element(i) < segment.length ? in[segment.begin + team.element(i)] : ~PackedWord{0};
  sort_warp_bitonic(key, team.thread);
#pragma unroll
  for (int i = 0; i < kKeys; ++i) stage[team.thread * kRun + i] = key[i];
  team.sync();
#pragma unroll
  for (int i = 0; i < kKeys; ++i)
    if (const int k = team.element(i); k < segment.length) out[segment.begin + k] = stage[k / kKeys * kRun + k % kKeys];
}

}  // namespace

void sort_register_bitonic(const Cuda& cuda, const Segments& segments, int longest, const PackedWord* d_in,
                           PackedWord* d_out) {
  if (segments.count <= 0) return;
  with_capacity<32, 64, 128, 256, 512, 1024>(longest, [&](auto capacity) {
    using Team = SortTeam<32>;
    register_bitonic_kernel<decltype(capacity)::value / 32>
        <<<Team::blocks(segments.count), Team::kBlock, 0, cuda.get()>>>(segments, d_in, d_out);
  });
  DROPMD_CUDA_LAUNCHED("sorting with a bitonic network in registers");
}

}  // namespace dropmd
