#include <bit>

#include "sort/compared/compared_sorts.cuh"
#include "sort/rank/rank_sort_team.cuh"

namespace dropmd {
namespace {

/// Returns t with a zero inserted at bit `bit` (a power of two): the t-th of the numbers without that bit.
__device__ inline int spread(int t, int bit) { return 2 * (t & -bit) | (t & (bit - 1)); }

__device__ inline void exchange(PackedWord* keys, int low, int high, bool ascending) {
  const PackedWord a = keys[low];
  const PackedWord b = keys[high];
  if ((b < a) == ascending) {
    keys[low] = b;
    keys[high] = a;
  }
}

/// Runs of `size` keys, alternately ascending and descending, are bitonic in pairs; each merge halves its stride.
struct BitonicNetwork {
  template <class Team>
  static __device__ void sort(const Team& team, PackedWord* keys, int n) {
    for (int size = 2; size <= n; size *= 2)
      for (int stride = size / 2; stride > 0; stride /= 2) {
        if (team.thread < n / 2) {
          const int low = spread(team.thread, stride);
          exchange(keys, low, low + stride, (low & size) == 0);
        }
        team.sync();
      }
  }
};

/// Merges two sorted runs through their even and their odd keys: first all pairs half a run apart, then pairs that
/// begin at odd multiples of the stride.
struct OddEvenMergeNetwork {
  template <class Team>
  static __device__ void sort(const Team& team, PackedWord* keys, int n) {
    for (int size = 2; size <= n; size *= 2)
      for (int stride = size / 2; stride > 0; stride /= 2) {
        const int low = spread(team.thread, stride) + (stride == size / 2 ? 0 : stride);
        const int high = low + stride;
        if (team.thread < n / 2 && (low & -size) == (high & -size)) exchange(keys, low, high, true);
        team.sync();
      }
  }
};

/// Segments are padded to a power of two: the next one for a segment with a warp or more, that of the class for parts
/// of a warp, which synchronise together.
template <class Network, int kCapacity>
__global__ void __launch_bounds__(SortTeam<kCapacity / 2>::kBlock)
    network_kernel(Segments segments, const PackedWord* in, PackedWord* out) {
  constexpr int kThreads = kCapacity / 2;
  using Team = SortTeam<kThreads>;
  __shared__ PackedWord all_keys[Team::kTeams][kCapacity];
  const Team team = Team::mine();
  const TeamSegment segment(segments, team.segment(), kCapacity);
  PackedWord* keys = all_keys[team.index];
  for (int i = team.thread; i < kCapacity; i += kThreads)
    keys[i] = i < segment.length ? in[segment.begin + i] : ~PackedWord{0};
  team.sync();
  Network::sort(team, keys,
                kThreads < 32 ? kCapacity : static_cast<int>(std::bit_ceil(static_cast<unsigned>(segment.length))));
  for (int i = team.thread; i < segment.length; i += kThreads) out[segment.begin + i] = keys[i];
}

template <class Network>
void sort_with(const Cuda& cuda, const Segments& segments, int longest, const PackedWord* d_in, PackedWord* d_out) {
  if (segments.count <= 0) return;
  with_capacity<8, 16, 32, 64, 128, 256, 512, 1024>(longest, [&](auto capacity) {
    constexpr int kCapacity = decltype(capacity)::value;
    using Team = SortTeam<kCapacity / 2>;
    network_kernel<Network, kCapacity>
        <<<Team::blocks(segments.count), Team::kBlock, 0, cuda.get()>>>(segments, d_in, d_out);
  });
  DROPMD_CUDA_LAUNCHED("sorting with a network in shared memory");
}

}  // namespace

void sort_bitonic(const Cuda& cuda, const Segments& segments, int longest, const PackedWord* d_in, PackedWord* d_out) {
  sort_with<BitonicNetwork>(cuda, segments, longest, d_in, d_out);
}

void sort_odd_even_merge(const Cuda& cuda, const Segments& segments, int longest, const PackedWord* d_in,
                         PackedWord* d_out) {
  sort_with<OddEvenMergeNetwork>(cuda, segments, longest, d_in, d_out);
}

}  // namespace dropmd
