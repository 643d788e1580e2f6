#pragma once

#include <cstddef>
#include <cstdint>

#include "core/vec3.h"
#include "forces/list_shape.h"
#include "neighbor/cell_pairs_view.cuh"
#include "neighbor/local_atoms.h"

namespace dropmd {

/// Launch shape of the kernels over cells.
struct CellTuning {
  static constexpr int kMostWarps = 8;    ///< of a block; for cells of some 30 quads
  static constexpr int kSmallWarps = 4;   ///< for cells of a few quads
  static constexpr int kBlocksPerSm = 4;  ///< that the registers must allow, single precision
  /// Atoms that a block holds at once: all that about a hundred atoms may meet in a dense droplet.
  static constexpr std::uint32_t kSlots = 1536;
};

/// Shared memory of a block: by slot, one warp's worth for padding included; by warp its quad; by neighbour its first
/// slot, and for each warp where its quad's atoms are.
template <class Real>
constexpr std::size_t cell_shared_bytes(std::uint32_t warps, std::uint32_t n_offsets, bool sorted) {
  constexpr std::size_t kSlots = CellTuning::kSlots + 32;
  const std::size_t own = std::size_t{warps} * kCellQuadAtoms;
  return kSlots * (sizeof(LocalAtom<Real>) + 3 * sizeof(typename BlockSum<Real>::Word) + sizeof(std::uint32_t) +
                   sizeof(std::uint16_t)) +
         own * (sizeof(LocalAtom<Real>) + sizeof(Vec3<double>) + sizeof(std::uint16_t)) +
         (std::size_t{n_offsets} + 1 + (sorted ? 2 * std::size_t{warps} * n_offsets : 0)) * sizeof(std::uint32_t) + 16;
}

}  // namespace dropmd
