#pragma once

#include <cstdint>

#include "core/macros.h"

namespace dropmd {

/// Which of several GPUs moves each atom, in a run where each moves its own atoms; in the form that kernels take.
struct AtomOwners {
  const std::uint8_t* owner = nullptr;  ///< [n_atoms] rank of the owner, by storage index; null: this GPU has all atoms
  std::uint32_t rank = 0;               ///< of this GPU

  /// Whether this GPU moves the atom at a storage index.
  DROPMD_HOST_DEVICE bool has(std::uint32_t index) const { return owner == nullptr || owner[index] == rank; }
};

}  // namespace dropmd
