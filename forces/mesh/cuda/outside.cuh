#pragma once

#include <cstdint>

namespace dropmd {

/// The charges outside of a mesh: the spreading of charges lists them, in any order.
struct OutsideView {
  std::uint32_t* count = nullptr;      ///< [1]; null: a charge outside is a fault
  std::uint32_t* atom = nullptr;       ///< [n_atoms] storage indices of the first `count`
  std::uint8_t* is_outside = nullptr;  ///< [n_atoms] by storage index; 1 for these

#if defined(__CUDACC__)
  __device__ void set(std::uint32_t index, bool outside) const {
    if (count == nullptr) return;
    is_outside[index] = outside ? 1 : 0;
    if (outside) atom[atomicAdd(count, 1U)] = index;
  }
#endif
};

}  // namespace dropmd
