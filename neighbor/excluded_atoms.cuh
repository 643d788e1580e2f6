#pragma once

#include <cstdint>
#include <vector>

#include "core/topology/excluded_pairs.h"
#include "device/buffer.cuh"

/// The pairs of atoms on a GPU that pair kernels leave out. They are stored by the indices of the host, which do not
/// change when the atoms are reordered.
namespace dropmd {

/// Answers for storage indices. Without exclusions all pointers are null, and kernels must not ask.
struct ExcludedAtomsView {
  ExcludedPairsView pairs;                    ///< by host index
  const std::uint32_t* group = nullptr;       ///< [n_atoms] by host index, see ExcludedPairs::groups()
  const std::uint32_t* host_index = nullptr;  ///< [n_atoms] by storage index
  std::uint32_t n_atoms = 0;

  DROPMD_HOST_DEVICE bool any() const { return pairs.any(); }

#if defined(__CUDACC__)
  /// Returns the host index of an atom; for indices past the last atom, whose pairs do not matter, that of the last.
  __device__ std::uint32_t host(std::uint32_t index) const { return host_index[index < n_atoms ? index : n_atoms - 1]; }

  /// Returns the group of an atom; atoms of different groups are not excluded with each other.
  __device__ std::uint32_t group_of(std::uint32_t index) const { return group[host(index)]; }

  /// Returns one bit for each of n atoms that is excluded with atom j. host_of(k): host index of the k-th of the n.
  /// (The loop is not unrolled: few pairs need it, and the registers of the loops around it are scarce.)
  template <class HostOf>
  __device__ unsigned bits_of(int n, std::uint32_t j, const HostOf& host_of) const {
    const std::uint32_t host_of_j = host(j);
    const std::uint64_t mask = pairs.mask[host_of_j];
    if (mask == 0) return 0;
    unsigned bits = 0;
#pragma unroll 1
    for (int k = 0; k < n; ++k) bits |= pairs.excludes(mask, host_of_j, host_of(k)) ? 1U << k : 0U;
    return bits;
  }

  /// The same for the atoms from `first` on.
  __device__ unsigned bits_of_row(int n, std::uint32_t j, std::uint32_t first) const {
    return bits_of(n, j, [&](int k) { return host(first + static_cast<std::uint32_t>(k)); });
  }
#endif
};

/// The device memory of ExcludedPairsView.
class ExcludedAtoms {
 public:
  /// No exclusions.
  explicit ExcludedAtoms(const Stream& stream)
      : d_mask_(stream), d_start_(stream), d_excluded_(stream), d_group_(stream) {}
  /// Copies exclusions to the device; waits. excluded: nullptr if there are none.
  ExcludedAtoms(const Stream& stream, const ExcludedPairs* excluded) : ExcludedAtoms(stream) {
    if (excluded == nullptr || excluded->empty()) return;
    d_mask_.upload(excluded->masks());
    d_start_.upload(excluded->starts());
    d_excluded_.upload(excluded->all());
    const std::vector<std::uint32_t> groups = excluded->groups();
    d_group_.upload(groups);
    stream.synchronize("copying the exclusions to the device");
  }

  /// Device memory in bytes. n_excluded: the length of all lists; 0: there are no exclusions.
  static std::uint64_t bytes(std::uint64_t n_atoms, std::uint64_t n_excluded) {
    if (n_excluded == 0) return 0;
    return sizeof(std::uint64_t) * n_atoms + sizeof(std::uint32_t) * (2 * n_atoms + 1 + n_excluded);
  }

  /// d_host_index: [n_atoms] by storage index.
  ExcludedAtomsView view(const std::uint32_t* d_host_index) const {
    if (d_mask_.size() == 0) return {};
    return {{d_mask_.data(), d_start_.data(), d_excluded_.data()},
            d_group_.data(),
            d_host_index,
            static_cast<std::uint32_t>(d_mask_.size())};
  }

 private:
  DeviceBuffer<std::uint64_t> d_mask_;
  DeviceBuffer<std::uint32_t> d_start_, d_excluded_, d_group_;
};

}  // namespace dropmd
