#pragma once

#include <cstdint>

#include "core/vec3.h"
#include "neighbor/search_watch.h"
#include "neighbor/tile.h"

/// The pair list of a GPU. Each tile has one or more *units*, each a part of the clusters near the tile. Pairs of two
/// tiles belong to one of both. In a unit the atoms of these clusters have *slots*, and each *quad* of the tile's own
/// atoms has a list of slots: of the atoms that any of the quad may reach. A block of threads works a unit off: it
/// fetches the atoms of all slots once, and its warps go through the lists, an atom of the list a lane.
namespace dropmd {

/// The smallest box round some atoms: fp32 from the list's anchor, rounded outwards. Empty: infinite, inside out.
struct ListBox {
  Vec3<float> low, high;
};

struct ListUnit {
  std::uint32_t tile;
  std::uint32_t n_clusters;  ///< near it, in this unit
  std::uint32_t first;       ///< 1 in the first unit of a tile, where the tile's own clusters come first
};

/// A cluster in a unit; its atoms have the slots kClusterAtoms·(place in the unit) and on.
struct alignas(16) ListNeighbor {
  Vec3<float> shift;            ///< from the frame of its tile to that of the unit's
  std::uint32_t cluster_reach;  ///< the cluster, and which of the unit's own clusters may reach it, a bit each

  static DROPMD_HOST_DEVICE std::uint32_t packed(std::uint32_t cluster, std::uint32_t reach) {
    return cluster << kTileClusters | reach;
  }
  /// Its atoms have the places kClusterAtoms·cluster and on.
  DROPMD_HOST_DEVICE std::uint32_t cluster() const { return cluster_reach >> kTileClusters; }
  DROPMD_HOST_DEVICE bool is_reached_by(std::uint32_t own_cluster) const {
    return (cluster_reach >> own_cluster & 1U) != 0;
  }
};
/// More atoms would need wider words.
inline constexpr std::uint32_t kMostListAtoms = kClusterAtoms << (32 - kTileClusters);

/// Clusters of a unit at most: as many as let several blocks share the memory of a multiprocessor.
inline constexpr std::uint32_t kMostUnitClusters = 232;

/// Entries of a list lie in groups of kGroupBatches batches of 32, lane by lane: a lane fetches those of a group at
/// once.
inline constexpr int kGroupBatches = 4;
inline constexpr int kGroupEntries = 32 * kGroupBatches;

/// The list of one of the tile's quads in a unit, in batches of 32 entries; behind the last, slots of the padding.
struct ListRange {
  std::uint32_t group;      ///< the first; lists of near and of far atoms begin with a group of their own
  std::uint16_t near, far;  ///< batches; near: of atoms that may be in contact, or whose frames are too wide
};

/// What happened to the list, and what the next build needs.
struct PairListState : SearchState {
  std::uint32_t n_units;   ///< needed; more than there is room for where full
  std::uint32_t n_groups;  ///< needed
};

struct PairListView {
  const Vec3<double>* reference;  ///< [n_atoms] positions when the list was built
  ListBox* cluster_box;           ///< [n_tiles][kTileClusters]
  ListBox* tile_box;              ///< [n_tiles]
  ListBox* group_box;             ///< of every 64 tiles
  std::uint32_t* tile_neighbors;  ///< [n_tiles] clusters near it
  std::uint32_t* tile_unit;       ///< [n_tiles + 1] its first unit
  ListUnit* unit;                 ///< [max_units]
  ListNeighbor* neighbor;         ///< [max_units][unit_clusters]
  ListRange* range;               ///< [max_units][kTileQuads]
  std::uint16_t* entry;           ///< [max_groups][32][kGroupBatches] slots
  PairListState* state;
  std::uint32_t n_atoms;
  std::uint32_t unit_clusters;  ///< of a unit, at most
  std::uint32_t max_units, max_groups;
  double max_move2;  ///< squared: an atom that has moved farther since makes the list stale
  float reach;       ///< cutoff + skin
  float near_reach;  ///< distance up to which atoms count as near, + skin

  DROPMD_HOST_DEVICE std::uint32_t slots() const { return unit_clusters * kClusterAtoms; }

#if defined(__CUDACC__)
  __device__ bool usable() const { return state->usable(); }
#endif
};

}  // namespace dropmd
