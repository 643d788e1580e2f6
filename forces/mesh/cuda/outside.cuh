#pragma once

#include <cstdint>

#include "core/vec3.h"

namespace dropmd {

/// Blocks of the kernels that sum pairs of charges outside of a mesh.
struct OutsideTuning {
  static constexpr std::uint32_t kAtoms = 128;  ///< of a block
  /// Threads for each atom, which share the charges outside: the few blocks with atoms of a vapour have many of these
  /// within their range. (The gain over one thread was within the noise.)
  static constexpr std::uint32_t kShares = 4;
  static constexpr std::uint32_t kThreads = kShares * kAtoms;
};

/// A charge outside of a mesh.
struct alignas(16) OutsideAtom {
  float x, y, z;       ///< rounded position, length
  std::uint32_t atom;  ///< storage index
};

/// The charges outside of a mesh: the spreading of charges lists them, in any order.
struct OutsideView {
  std::uint32_t* count = nullptr;      ///< [1]; null: a charge outside is a fault
  OutsideAtom* list = nullptr;         ///< [n_atoms] of which the first `count` exist
  std::uint8_t* is_outside = nullptr;  ///< [n_atoms] by storage index; 1 for these

#if defined(__CUDACC__)
  __device__ void set(std::uint32_t index, bool outside, const Vec3<double>& x) const {
    if (count == nullptr) return;
    is_outside[index] = outside ? 1 : 0;
    if (outside)
      list[atomicAdd(count, 1U)] = {static_cast<float>(x.x), static_cast<float>(x.y), static_cast<float>(x.z), index};
  }
#endif
};

}  // namespace dropmd
