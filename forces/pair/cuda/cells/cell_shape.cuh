#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>

#include "core/vec3.h"
#include "forces/pair/cuda/block_word.h"
#include "neighbor/cells/cell_pairs_view.cuh"
#include "neighbor/cells/local_atoms.h"

namespace dropmd {

/// Launch shape of the cell kernels.
struct CellTuning {
  static constexpr std::uint32_t kMostWarps = 8;  ///< per block
  static constexpr std::uint32_t kFewestWarps = 4;
  static constexpr std::uint32_t kSubClustersOfWarp = 4;  ///< approximately, in a typical cell
  static constexpr int kBlocksPerSm = 4;                  ///< that the registers must allow in single precision
  /// Atoms that a block holds at once: in a dense droplet all atoms that about a hundred atoms may interact with.
  template <class Real>
  static constexpr std::uint32_t kMostSlots = sizeof(Real) == sizeof(float) ? 1536 : 768;
  static constexpr std::uint32_t kFewestSlots = 128;
};

/// The shape of a block of the cell kernels.
struct CellBlockShape {
  std::uint32_t warps;
  std::uint32_t slots;  ///< atoms that the block holds at once, a multiple of 32
};

/// Returns the shape for cells of a dense droplet. The number of slots must follow from the model alone: if a block
/// processes its atoms in several chunks, forces are rounded between them.
template <class Real>
CellBlockShape cell_block_shape(const CellPairsView& cells) {
  const std::uint32_t atoms = cells.full_atoms;
  const std::uint32_t to_meet = cells.n_offsets * (atoms + atoms / 4);
  return {std::clamp(atoms / (kSubClusterAtoms * CellTuning::kSubClustersOfWarp), CellTuning::kFewestWarps,
                     CellTuning::kMostWarps),
          std::clamp((to_meet + 31) / 32 * 32, CellTuning::kFewestSlots, CellTuning::kMostSlots<Real>)};
}

/// Returns the shared memory of a block in bytes: per slot, with padding for one warp; per warp its sub-cluster; per
/// neighbour its first slot, and for each warp the range of its sub-cluster.
template <class Real>
std::size_t cell_shared_bytes(const CellBlockShape& shape, std::uint32_t n_offsets, bool sorted) {
  const std::size_t warps = shape.warps, slots = shape.slots + 32, own = warps * kSubClusterAtoms;
  return slots * (sizeof(LocalAtom<Real>) + 3 * sizeof(typename BlockWord<Real>::Type) + sizeof(std::uint32_t) +
                  sizeof(std::uint16_t)) +
         own * (sizeof(LocalAtom<Real>) + sizeof(Vec3<double>) + sizeof(std::uint32_t) + sizeof(std::uint16_t)) +
         (std::size_t{n_offsets} + 1 + (sorted ? 2 * warps * n_offsets : 0)) * sizeof(std::uint32_t) + 16;
}

}  // namespace dropmd
