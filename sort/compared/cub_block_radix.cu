#include <cub/block/block_radix_sort.cuh>

#include "sort/compared/compared_sorts.cuh"
#include "sort/rank/rank_sort_team.cuh"

namespace dropmd {
namespace {

/// Threads for a capacity: a warp up to four keys per thread, then more threads, and finally eight keys per thread.
template <int kCapacity>
struct BlockRadixTuning {
  static constexpr int kThreads = kCapacity <= 128 ? 32 : kCapacity <= 512 ? kCapacity / 4 : 128;
  static constexpr int kItems = kCapacity / kThreads;
};

template <int kThreads, int kItems>
__global__ void __launch_bounds__(kThreads)
    block_radix_kernel(Segments segments, const PackedWord* in, PackedWord* out) {
  using Sort = cub::BlockRadixSort<PackedWord, kThreads, kItems>;
  __shared__ typename Sort::TempStorage storage;
  const TeamSegment segment(segments, static_cast<int>(blockIdx.x), kThreads * kItems);
  const int thread = static_cast<int>(threadIdx.x);
  PackedWord key[kItems];
#pragma unroll
  for (int i = 0; i < kItems; ++i) {
    const int k = thread + i * kThreads;
    key[i] = k < segment.length ? in[segment.begin + k] : ~PackedWord{0};
  }
  Sort(storage).SortBlockedToStriped(key);
#pragma unroll
  for (int i = 0; i < kItems; ++i)
    if (const int k = thread + i * kThreads; k < segment.length) out[segment.begin + k] = key[i];
}

}  // namespace

void sort_cub_block_radix(const Cuda& cuda, const Segments& segments, int longest, const PackedWord* d_in,
                          PackedWord* d_out) {
  if (segments.count <= 0) return;
  with_capacity<32, 64, 96, 128, 256, 512, 1024>(longest, [&](auto capacity) {
    using Tuning = BlockRadixTuning<decltype(capacity)::value>;
    block_radix_kernel<Tuning::kThreads, Tuning::kItems>
        <<<segments.count, Tuning::kThreads, 0, cuda.get()>>>(segments, d_in, d_out);
  });
  DROPMD_CUDA_LAUNCHED("sorting with cub::BlockRadixSort");
}

}  // namespace dropmd
