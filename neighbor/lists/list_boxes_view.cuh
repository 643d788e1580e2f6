#pragma once

#include <cstdint>

#include "core/vec3.h"
#include "device/communicator/work_share.h"
#include "neighbor/displacement_check.h"
#include "neighbor/tile.h"

/// The data that all lists on a GPU share: boxes of clusters, tiles and groups of tiles, in which neighbours are
/// searched, and the state of the list.
namespace dropmd {

/// The smallest box of some atoms, in fp32 relative to the list's anchor, rounded outwards. An empty box is infinite
/// and inverted.
struct ListBox {
  Vec3<float> low, high;
};

/// State of a list, and the capacity that the next build needs. A list has work items, and rows of entries; each form
/// of list defines what these are.
struct PairListState : SearchState {
  std::uint32_t n_items;  ///< number of items needed; exceeds the capacity if full
  std::uint32_t n_rows;   ///< number of rows needed
};

/// A list stores the index of a cluster together with one bit per cluster of a tile; more atoms would need wider words.
inline constexpr std::uint32_t kMostListAtoms = kClusterAtoms << (32 - kTileClusters);

/// The shared data in device memory.
struct ListBoxesView {
  const Vec3<double>* reference;  ///< [n_atoms] positions when the list was built, by storage index
  ListBox* cluster_box;           ///< [n_tiles][kTileClusters]
  ListBox* tile_box;              ///< [n_tiles]
  ListBox* group_box;             ///< [n_groups] of 64 tiles each
  PairListState* state;
  std::uint32_t n_atoms;
  double max_move2;        ///< squared: if an atom has moved farther, the list is stale
  float list_cutoff;       ///< cutoff + skin
  float near_list_cutoff;  ///< distance up to which atoms count as near, plus the skin
  /// In a run on several GPUs, the part of the list that this GPU has: a range of tiles, or of blocks of tiles, that is
  /// fixed when the list is built.
  WorkShare share;
  std::uint32_t* bounds;             ///< [share.size + 1] share.bounds; null: they never change
  const std::uint32_t* next_bounds;  ///< the same for the next list
  /// [n_tiles] whether this GPU's part has pairs of a tile's atoms; null unless GPUs access each other's memory.
  std::uint8_t* touched;

  /// Returns the mark of a GPU's list in SearchState::full: each GPU has a digit of its own in the sum over the GPUs.
  static DROPMD_HOST_DEVICE std::uint64_t full_mark(std::uint32_t rank) { return std::uint64_t{1} << (4 * rank); }
#if defined(__CUDACC__)
  __device__ bool usable() const { return state->usable(); }
  /// Notes that this GPU's part has pairs of a tile's atoms.
  __device__ void touch(std::uint32_t tile) const {
    if (touched != nullptr) touched[tile] = 1;
  }
  __device__ void mark_full() const { state->full = full_mark(share.rank); }
#endif
};

}  // namespace dropmd
