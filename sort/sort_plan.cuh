#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <type_traits>

#include "device/buffer.cuh"
#include "device/cuda.cuh"
#include "sort/sort_plan.h"

/// The GPU's interface of sort/sort_plan.h: all arrays are in device memory; nothing waits, nothing is allocated after
/// set-up, and everything may be captured in a graph.
namespace dropmd {

struct ApplyPermutationTuning {
  static constexpr int kThreads = 256;  ///< per block; one thread per element
};

namespace sort_plan_detail {

/// The word that a thread copies at a time: the largest one by which elements are aligned.
template <std::size_t Bytes>
struct CopyWord;
template <>
struct CopyWord<1> {
  using type = std::uint8_t;
};
template <>
struct CopyWord<2> {
  using type = std::uint16_t;
};
template <>
struct CopyWord<4> {
  using type = std::uint32_t;
};
template <>
struct CopyWord<8> {
  using type = std::uint64_t;
};
template <>
struct CopyWord<16> {
  using type = uint4;
};

/// Copies one warp's 32 elements from `first` on; `source` is that of the lane's own element, negative if there is
/// none. Elements of several words are written word by word by neighbouring lanes, so that every write of the warp is
/// contiguous; the words of one element are also read together.
template <class T>
__device__ inline void gather_warp(const Payload<T>& array, std::uint32_t first, int source) {
  using Word = typename CopyWord<std::min<std::size_t>(alignof(T), 16)>::type;
  constexpr unsigned kWords = sizeof(T) / sizeof(Word);
  const auto* in = reinterpret_cast<const Word*>(array.in);
  auto* out = reinterpret_cast<Word*>(array.out);
  const unsigned lane = threadIdx.x % 32;
#pragma unroll(kWords < 8 ? kWords : 8)
  for (unsigned w = 0; w < kWords; ++w) {
    const unsigned word = w * 32 + lane;  // of the 32·kWords words of the warp
    const int from = __shfl_sync(0xFFFFFFFFU, source, static_cast<int>(word / kWords));
    if (from >= 0)
      out[static_cast<std::size_t>(first) * kWords + word] =
          in[static_cast<std::size_t>(from) * kWords + word % kWords];
  }
}

/// Whole warps: threads past the end take part in the shuffles.
template <class... T>
__global__ void __launch_bounds__(ApplyPermutationTuning::kThreads)
    apply_permutation_kernel(SortPlan plan, Payload<T>... arrays) {
  const std::uint32_t k = blockIdx.x * blockDim.x + threadIdx.x;
  int source = k < static_cast<std::uint32_t>(plan.size) ? plan.source[k] : -1;
  if (source >= plan.n_inputs) source = -1;
  (gather_warp(arrays, k - threadIdx.x % 32, source), ...);
}

}  // namespace sort_plan_detail

/// See apply_permutation(Cpu).
template <class... T>
void apply_permutation(const Cuda& cuda, const SortPlan& plan, const Payload<T>&... arrays) {
  static_assert((std::is_trivially_copyable_v<T> && ...));
  if (plan.size <= 0 || sizeof...(T) == 0) return;
  constexpr int kThreads = ApplyPermutationTuning::kThreads;
  const auto blocks = static_cast<unsigned>((plan.size - 1) / kThreads + 1);
  sort_plan_detail::apply_permutation_kernel<<<blocks, kThreads, 0, cuda.get()>>>(plan, arrays...);
  DROPMD_CUDA_LAUNCHED("applying a permutation");
}

/// The largest problem that a workspace supports.
struct SortPlanLimits {
  int max_atoms = 0;
  int max_molecules = 0;
  int max_bases = 0;
};

/// Device memory for plans with molecules, allocated once for given limits; move-only. Only one stream may use it at a
/// time.
class SortPlanWorkspace {
 public:
  SortPlanWorkspace(const Cuda& cuda, const SortPlanLimits& limits);

  const SortPlanLimits& limits() const { return limits_; }

 private:
  friend void group_by_molecule(const Cuda& cuda, const int* d_molecule_of_atom, int n_atoms, int n_molecules,
                                const MoleculeLists& lists, SortPlanWorkspace& workspace);
  friend void expand_molecules(const Cuda& cuda, const SortedBases& bases, const MoleculesView& molecules,
                               const AtomOrder& order, SortPlanWorkspace& workspace);

  SortPlanLimits limits_;
  DeviceBuffer<int> d_keys_;         ///< [max_atoms] molecule of each atom
  DeviceBuffer<int> d_sorted_keys_;  ///< [max_atoms]
  DeviceBuffer<int> d_indices_;      ///< [max_atoms]
  DeviceBuffer<int> d_sizes_;        ///< [max_bases + 1] atoms of each base atom
  DeviceBuffer<int> d_starts_;       ///< [max_bases + 1] atoms before each base atom
  DeviceBuffer<std::byte> d_cub_;    ///< CUB's temporary storage
};

/// See group_by_molecule(Cpu). Throws std::invalid_argument beyond the workspace's limits.
void group_by_molecule(const Cuda& cuda, const int* d_molecule_of_atom, int n_atoms, int n_molecules,
                       const MoleculeLists& lists, SortPlanWorkspace& workspace);

/// See expand_molecules(Cpu). Throws std::invalid_argument beyond the workspace's limits.
void expand_molecules(const Cuda& cuda, const SortedBases& bases, const MoleculesView& molecules,
                      const AtomOrder& order, SortPlanWorkspace& workspace);

}  // namespace dropmd
