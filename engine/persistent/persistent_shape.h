#pragma once

#include <algorithm>
#include <cstdint>
#include <iterator>

#include "core/macros.h"

namespace dropmd {

/// The distribution of a droplet among the blocks of a persistent kernel; measured in docs/experiments.md.
struct PersistentShape {
  std::uint32_t atoms;    ///< per block: one of kAtoms, or more than kMostAtoms
  std::uint32_t threads;  ///< per block
  std::uint32_t blocks;   ///< at most the number of multiprocessors of all GPUs if `atoms` is one of kAtoms
  /// Whether each atom has a warp of its own (persistent_warp_kernel), with other sums of forces; same as on one GPU.
  bool by_warp;

  /// Per block. A thread has every kLeastAtoms-th of a block's atoms, so that their forces are the same sums in blocks
  /// of any size.
  static constexpr std::uint32_t kLeastAtoms = 4;
  /// Per block on one GPU.
  static constexpr std::uint32_t kMostAtoms = 32;
  static constexpr std::uint32_t kAtoms[] = {kLeastAtoms, 8, 12, 16, 24, kMostAtoms};
  static constexpr std::uint32_t kMostThreads = 512;

  /// Returns the shape for a droplet on GPUs with this many multiprocessors each. blocks: of all GPUs, which have
  /// equally many or one more.
  static PersistentShape for_atoms(std::uint32_t n_atoms, std::uint32_t multiprocessors, std::uint32_t gpus = 1) {
    const auto atoms_on = [&](std::uint32_t n_gpus) {
      const auto fits = [&](std::uint32_t atoms) { return (n_atoms + atoms - 1) / atoms <= multiprocessors * n_gpus; };
      const auto* const found = std::find_if(std::begin(kAtoms), std::end(kAtoms), fits);
      return found != std::end(kAtoms) ? *found : 2 * kMostAtoms;
    };
    const std::uint32_t atoms = atoms_on(gpus), threads = n_atoms <= 256 ? 128 : n_atoms <= 640 ? 256 : kMostThreads;
    return {atoms, threads, (n_atoms + atoms - 1) / atoms, atoms_on(1) == kLeastAtoms && threads == 32 * kLeastAtoms};
  }

  /// Number of slots in shared memory: every thread has equally many, in whole groups that it reads at a time.
  DROPMD_HOST_DEVICE std::uint32_t slots(std::uint32_t n_atoms) const {
    const std::uint32_t at_once = std::max(1U, 16 / atoms), group = at_once * threads / kLeastAtoms;
    return (n_atoms + group - 1) / group * group;
  }

  /// Groups of kLeastAtoms atoms, each with its own sums.
  static DROPMD_HOST_DEVICE std::uint32_t groups(std::uint32_t n_atoms) {
    return (n_atoms + kLeastAtoms - 1) / kLeastAtoms;
  }
};

/// The distribution of a droplet of rigid molecules among the blocks of a persistent kernel. The pairs of a molecule
/// are divided into slices, each with every slices()-th of all molecules, whose forces are summed in fp32; the slices
/// of a column are added first, then the columns. Their numbers follow from the blocks that a single GPU has. On more
/// GPUs, with fewer molecules per block, two threads share a column, so forces do not depend on the number of GPUs.
struct PersistentMoleculeShape {
  std::uint32_t molecules;          ///< per block
  std::uint32_t threads;            ///< that compute forces, per block: a multiple of 32; others move the atoms
  std::uint32_t blocks;             ///< at most the number of multiprocessors of all GPUs, so that all run at once
  std::uint32_t columns;            ///< of a molecule
  std::uint32_t slices_of_column;   ///< 1 or 2
  std::uint32_t threads_of_column;  ///< at most slices_of_column

  static constexpr std::uint32_t kMostMolecules = 16;
  static constexpr std::uint32_t kMostThreads = 512;  ///< including those that move atoms
  static constexpr int kMostPlaces = 4;               ///< for the atoms of a molecule
  static constexpr std::uint32_t kMostGpus = 8;

  /// Returns the shape for n molecules on GPUs with this many multiprocessors each.
  static PersistentMoleculeShape for_molecules(std::uint32_t n, std::uint32_t multiprocessors, std::uint32_t gpus = 1) {
    const auto per_block = [n](std::uint32_t blocks) { return (n + blocks - 1) / blocks; };
    const std::uint32_t of_one_gpu = per_block(multiprocessors), most_of_one_gpu = most_threads(of_one_gpu);
    // So that each thread has pairs of molecules, and each component of the force on an atom has a thread that adds it
    // up.
    const std::uint32_t wanted = std::max(std::min(n, most_of_one_gpu), 3U * kMostPlaces);
    const std::uint32_t columns = std::min(wanted, most_of_one_gpu / of_one_gpu);
    const std::uint32_t slices_of_column = of_one_gpu > 1 ? 2 : 1;
    const std::uint32_t molecules = per_block(multiprocessors * gpus);
    const bool fits = slices_of_column * molecules * columns <= most_threads(molecules);
    const std::uint32_t threads_of_column = fits ? slices_of_column : 1;
    const std::uint32_t threads = (threads_of_column * molecules * columns + 31) / 32 * 32;
    return {molecules, threads, per_block(molecules), columns, slices_of_column, threads_of_column};
  }

  /// Returns the number of threads per block that move atoms. of_warp: molecules of each warp.
  static std::uint32_t movers(std::uint32_t molecules, std::uint32_t of_warp) {
    return 32 * ((molecules + of_warp - 1) / of_warp);
  }
  /// Returns a number of threads that each block has at least, for n molecules on up to kMostGpus GPUs.
  static DROPMD_HOST_DEVICE std::uint32_t least_threads(std::uint32_t n) { return n >= 128 ? 128 : 64; }

  /// Slices of a molecule's pairs, and threads that process them.
  DROPMD_HOST_DEVICE std::uint32_t slices() const { return slices_of_column * columns; }
  DROPMD_HOST_DEVICE std::uint32_t slice_threads() const { return threads_of_column * columns; }

 private:
  /// Returns how many threads of a block may compute forces.
  static std::uint32_t most_threads(std::uint32_t molecules) {
    return kMostThreads - std::min(kMostThreads / 2, movers(molecules, 32 / kMostPlaces));
  }
};

/// The distribution of a larger droplet whose pairs have a cutoff: each block keeps the atoms near its own.
struct PersistentListShape {
  std::uint32_t atoms;   ///< per block
  std::uint32_t warps;   ///< per block; each processes some of the atoms in turn
  std::uint32_t blocks;  ///< at most the number of multiprocessors, so that all run at once
  std::uint32_t rows;    ///< capacity for the atoms near a block's own, in rows of 32 slots

  /// With more, steps of two kernels are as fast.
  static constexpr std::uint32_t kMostOfWarp = 3, kMostWarps = 16;
  /// So that the index of a row, and of one more row, fits in a byte.
  static constexpr std::uint32_t kMostRows = 254;

  /// Returns the shape without rows.
  static PersistentListShape for_atoms(std::uint32_t n_atoms, std::uint32_t multiprocessors) {
    const std::uint32_t atoms = (n_atoms + multiprocessors - 1) / multiprocessors,
                        of_warp = (atoms + kMostWarps - 1) / kMostWarps;
    return {atoms, (atoms + of_warp - 1) / of_warp, (n_atoms + atoms - 1) / atoms, 0};
  }
  /// Whether the shape can be used: a lane has one bit for each row of 32 of its warp's share of all atoms.
  bool suits() const { return atoms <= kMostOfWarp * kMostWarps && atoms * blocks <= 32 * 32 * warps; }

  /// Number of warps of a block that keep its atoms' state, each of which publishes a rebuild flag.
  DROPMD_HOST_DEVICE std::uint32_t flags_of_block() const { return (atoms + 31) / 32; }

  /// Number of words, of four row indices each, of an atom's list per lane, including one that is read in advance.
  DROPMD_HOST_DEVICE std::uint32_t list_words() const { return (rows + 3) / 4 + 1; }
};

}  // namespace dropmd
