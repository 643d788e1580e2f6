#pragma once

#include <cstdint>

#include "core/macros.h"
#include "core/vec3.h"

namespace dropmd {

/// Blocks of the kernels that sum pairs of charges outside of a mesh.
struct OutsideTuning {
  static constexpr std::uint32_t kAtoms = 128;  ///< of a group, which a block has at a time
  /// Threads for each atom, which share the charges outside: the few blocks with atoms of a vapour have many such
  /// charges within range. (The gain over one thread was within the noise.)
  static constexpr std::uint32_t kShares = 4;
  static constexpr std::uint32_t kThreads = kShares * kAtoms;
  static constexpr std::uint32_t kMostBlocks = 1024;  ///< without charges outside, more would take time to start

  /// Return the number of groups of atoms, and of the blocks that process them one after another.
  static constexpr std::uint32_t groups(std::uint32_t n_atoms) { return (n_atoms + kAtoms - 1) / kAtoms; }
  static constexpr std::uint32_t blocks(std::uint32_t n_atoms) {
    return groups(n_atoms) < kMostBlocks ? groups(n_atoms) : kMostBlocks;
  }
};

/// A charge outside of a mesh.
struct alignas(16) OutsideAtom {
  static constexpr std::uint32_t kFar = 1U << 31U;

  float x, y, z;                ///< rounded position, length
  std::uint32_t index_and_far;  ///< storage index, and kFar if no coarse mesh has the charge

  DROPMD_HOST_DEVICE std::uint32_t atom() const { return index_and_far & ~kFar; }
  DROPMD_HOST_DEVICE bool is_far() const { return (index_and_far & kFar) != 0; }
};

/// The charges outside of a mesh: the spreading of charges lists them, in any order, and spreading on a coarse mesh
/// marks those that are also outside of that mesh.
struct OutsideView {
  static constexpr std::uint32_t kInside = ~0U;

  std::uint32_t* count = nullptr;  ///< [1]; null: a charge outside is a fault
  OutsideAtom* list = nullptr;     ///< [n_atoms] of which the first `count` exist
  std::uint32_t* entry = nullptr;  ///< [n_atoms] by storage index: the index in the list, or kInside
  std::uint32_t mark = 0;          ///< of new entries: kFar if there is no coarse mesh
  bool on_coarse = false;          ///< for the coarse mesh: entries that exist are marked

#if defined(__CUDACC__)
  __device__ void set(std::uint32_t index, bool outside, const Vec3<double>& x) const {
    if (count == nullptr) return;
    if (on_coarse) {
      if (outside) list[entry[index]].index_and_far |= OutsideAtom::kFar;
      return;
    }
    std::uint32_t at = kInside;
    if (outside) {
      at = atomicAdd(count, 1U);
      list[at] = {static_cast<float>(x.x), static_cast<float>(x.y), static_cast<float>(x.z), index | mark};
    }
    entry[index] = at;
  }
#endif
};

}  // namespace dropmd
