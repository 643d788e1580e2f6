#pragma once

#include <cstdint>

#include "core/macros.h"

namespace dropmd {

/// How a droplet is dealt out to the blocks of a persistent kernel; measured in docs/experiments.md.
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
  DROPMD_HOST_DEVICE std::uint32_t slots(std::uint32_t n_atoms) const {
    const std::uint32_t group = 4 * threads / atoms;
    return (n_atoms + group - 1) / group * group;
  }
};

/// The same for a droplet of more atoms whose pairs have a cutoff: each block keeps those near its own.
struct PersistentListShape {
  std::uint32_t atoms;   ///< of a block
  std::uint32_t warps;   ///< of a block; each takes some of the atoms, one after the other
  std::uint32_t blocks;  ///< no more than there are multiprocessors: all run at once
  std::uint32_t rows;    ///< of 32 slots for the atoms near a block's own, at most

  static constexpr std::uint32_t kMostOfWarp = 3, kMostWarps = 16;  ///< with more, steps of two kernels are as fast
  static constexpr std::uint32_t kMostRows = 254;  ///< so that a row's number fits a byte, and one row more

  /// Without rows.
  static PersistentListShape for_atoms(std::uint32_t n_atoms, std::uint32_t multiprocessors) {
    const std::uint32_t atoms = (n_atoms + multiprocessors - 1) / multiprocessors,
                        of_warp = (atoms + kMostWarps - 1) / kMostWarps;
    return {atoms, (atoms + of_warp - 1) / of_warp, (n_atoms + atoms - 1) / atoms, 0};
  }
  /// A warp has a bit for each row of 32 of its share of all atoms.
  bool suits() const { return atoms <= kMostOfWarp * kMostWarps && atoms * blocks <= 32 * 32 * warps; }

  /// Of a block, those that keep its atoms' state.
  DROPMD_HOST_DEVICE std::uint32_t flags_of_block() const { return (atoms + 31) / 32; }

  /// Words of four rows' numbers that an atom's list has for each lane, and one that is read in advance.
  DROPMD_HOST_DEVICE std::uint32_t list_words() const { return (rows + 3) / 4 + 1; }
};

}  // namespace dropmd
