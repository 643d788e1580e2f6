#pragma once

#include <cstdint>

#include "core/macros.h"

namespace dropmd {

/// How a droplet is dealt out to the blocks of a persistent kernel; measured in docs/performance.md.
struct PersistentShape {
  std::uint32_t atoms;    ///< of a block: a power of two
  std::uint32_t threads;  ///< of a block
  std::uint32_t blocks;   ///< no more than there are multiprocessors: all run at once

  static constexpr std::uint32_t kLeastAtoms = 4;
  /// Of a block; with more, steps of two kernels are the faster ones.
  static constexpr std::uint32_t kMostAtoms = 16;
  static constexpr std::uint32_t kMostThreads = 512;

  static PersistentShape for_atoms(std::uint32_t n_atoms, std::uint32_t multiprocessors) {
    std::uint32_t atoms = kLeastAtoms;
    while ((n_atoms + atoms - 1) / atoms > multiprocessors) atoms *= 2;
    const std::uint32_t threads = n_atoms <= 256 ? 128 : n_atoms <= 640 ? 256 : kMostThreads;
    return {atoms, threads, (n_atoms + atoms - 1) / atoms};
  }

  /// Whether a warp has an atom for itself (persistent_warp_kernel).
  DROPMD_HOST_DEVICE bool by_warp() const { return atoms == kLeastAtoms && threads == 32 * kLeastAtoms; }

  /// Places in shared memory: every thread meets whole groups of four atoms.
  DROPMD_HOST_DEVICE std::uint32_t places(std::uint32_t n_atoms) const {
    const std::uint32_t group = 4 * threads / atoms;
    return (n_atoms + group - 1) / group * group;
  }
};

}  // namespace dropmd
