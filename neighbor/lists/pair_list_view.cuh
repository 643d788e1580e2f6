#pragma once

#include <cstdint>

#include "core/vec3.h"
#include "neighbor/lists/list_boxes_view.cuh"

/// The pair list of a GPU. Each tile has one or more work *items*, each a part of the clusters near the tile. Pairs of
/// two tiles belong to one of both. In an item the atoms of these clusters have *slots*, and each cluster of the tile's
/// own has lists of slots: of the atoms that any of its 8 atoms may reach, apart for those that both of its halves may
/// reach and those that one may. A block of threads takes one item: it fetches the atoms of all slots once, and its
/// warps go through the lists, an atom of the list a lane.
namespace dropmd {

struct ListItem {
  std::uint32_t tile;
  std::uint16_t n_clusters;  ///< near it, in this item
  bool first;                ///< of the tile's items: the tile's own clusters come first in it
  bool coarse;               ///< the shift of a cluster near the tile may have been rounded
  bool wide;                 ///< the tile or one near it is
};

/// A cluster in an item; its atoms have the slots kClusterAtoms·(place in the item) and on.
struct alignas(16) ListNeighbor {
  Vec3<float> shift;            ///< from the frame of its tile to that of the item's
  std::uint32_t cluster_reach;  ///< the cluster, and which of the item's own clusters may reach it, a bit each

  static DROPMD_HOST_DEVICE std::uint32_t packed(std::uint32_t cluster, std::uint32_t reach) {
    return cluster << kTileClusters | reach;
  }
  /// Its atoms have the storage indices kClusterAtoms·cluster and on.
  DROPMD_HOST_DEVICE std::uint32_t cluster() const { return cluster_reach >> kTileClusters; }
};
/// Clusters of a work item at most: as many as let four blocks share the memory of a multiprocessor.
inline constexpr std::uint32_t kMostItemClusters = 224;

/// Blocks among which the items of a tile are shared out where energies are computed.
inline constexpr std::uint32_t kEnergyBlocksPerTile = 4;

/// Entries of a list lie in batches, one a lane.
inline constexpr int kBatch = 32;
/// So many batches behind the last of a list are read, though not used.
inline constexpr int kReadAhead = 2;

/// The lists of one of the tile's clusters in an item, in batches. Behind the last entry of a list come entries of the
/// next, but none of the second half behind those of the first; behind the last of all, slots of the padding.
struct ListRange {
  std::uint32_t batch;    ///< the first
  std::uint16_t near;     ///< batches of atoms that may be in contact, or whose frames are too wide
  std::uint16_t both;     ///< of atoms that an atom of either half may reach
  std::uint16_t half[2];  ///< of those that an atom of one half may reach, by half
};

/// The items of a tile: so many from the first on.
struct TileItems {
  std::uint32_t first, n;
};

struct PairListView : ListBoxesView {
  TileItems* tile_items;        ///< [n_tiles]
  ListItem* item;               ///< [max_items]
  ListNeighbor* neighbor;       ///< [max_items][item_clusters]
  ListRange* range;             ///< [max_items][kTileClusters]
  std::uint16_t* entry;         ///< [max_batches][kBatch] slots
  std::uint32_t item_clusters;  ///< of an item, at most
  std::uint32_t max_items, max_batches;

  DROPMD_HOST_DEVICE std::uint32_t slots() const { return item_clusters * kClusterAtoms; }
};

}  // namespace dropmd
