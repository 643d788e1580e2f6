#pragma once

#include <cstdint>

#include "core/vec3.h"
#include "neighbor/displacement_check.h"
#include "neighbor/tile.h"

/// What all lists of a GPU begin with: boxes round the atoms of clusters, tiles and groups of tiles, in which to look
/// for what is near, and the state of the list.
namespace dropmd {

/// The smallest box round some atoms: fp32 from the list's anchor, rounded outwards. Empty: infinite, inside out.
struct ListBox {
  Vec3<float> low, high;
};

/// What happened to a list, and what the next build needs: a list has work items, and rows of entries; what these are,
/// each form says.
struct PairListState : SearchState {
  std::uint32_t n_items;  ///< needed; more than there is room for where full
  std::uint32_t n_rows;   ///< needed
};

/// Lists keep the number of a cluster beside a bit for each cluster of a tile: more atoms would need wider words.
inline constexpr std::uint32_t kMostListAtoms = kClusterAtoms << (32 - kTileClusters);

struct ListBoxesView {
  const Vec3<double>* reference;  ///< [n_atoms] positions when the list was built
  ListBox* cluster_box;           ///< [n_tiles][kTileClusters]
  ListBox* tile_box;              ///< [n_tiles]
  ListBox* group_box;             ///< of every 64 tiles
  PairListState* state;
  std::uint32_t n_atoms;
  double max_move2;   ///< squared: an atom that has moved farther since makes the list stale
  float list_cutoff;  ///< cutoff + skin
  float near_reach;   ///< distance up to which atoms count as near, + skin

#if defined(__CUDACC__)
  __device__ bool usable() const { return state->usable(); }
#endif
};

}  // namespace dropmd
