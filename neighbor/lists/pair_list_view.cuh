#pragma once

#include <cstdint>

#include "core/vec3.h"
#include "neighbor/lists/list_boxes_view.cuh"

/// The pair list of a GPU. Each tile has one or more *work items*, each with a part of the clusters near the tile; the
/// pairs of two tiles belong to one of the two. In an item the atoms of these clusters have *slots*, and each of the
/// tile's own clusters has lists of slots: of the atoms within the list cutoff of any of its 8 atoms, with separate
/// lists for those within the list cutoff of both its halves and those within the list cutoff of one half. A block of
/// threads processes one item: it loads the atoms of all slots once, and its warps iterate over the lists, with one
/// atom of the list per lane.
namespace dropmd {

/// A work item.
struct ListItem {
  std::uint32_t tile;
  std::uint16_t n_clusters;  ///< number of clusters near the tile in this item
  bool first;                ///< the first item of the tile: the tile's own clusters come first in it
  bool coarse;               ///< the shift of a cluster near the tile may have been rounded
  bool wide;                 ///< the tile or a near one is wide
};

/// A cluster in an item; its atoms have the slots from kClusterAtoms·(index in the item) on.
struct alignas(16) ListNeighbor {
  Vec3<float> shift;  ///< from the frame of its tile to that of the item's tile
  /// The cluster, and one bit for each of the item's own clusters within the list cutoff of it.
  std::uint32_t cluster_and_neighbors;

  static DROPMD_HOST_DEVICE std::uint32_t packed(std::uint32_t cluster, std::uint32_t neighbors) {
    return cluster << kTileClusters | neighbors;
  }
  /// The cluster, whose atoms have the storage indices from kClusterAtoms·cluster on.
  DROPMD_HOST_DEVICE std::uint32_t cluster() const { return cluster_and_neighbors >> kTileClusters; }
};
/// Largest number of clusters of a work item with which four blocks fit in the shared memory of a multiprocessor, if
/// all atoms are of one species.
inline constexpr std::uint32_t kMostItemClusters = 224;

/// Blocks among which the items of a tile are divided when energies are computed.
inline constexpr std::uint32_t kEnergyBlocksPerTile = 4;

/// Entries of a list are in batches, one per lane.
inline constexpr int kBatch = 32;
/// Number of batches after the last of a list that are read, though not used.
inline constexpr int kReadAhead = 1;

/// The lists of one of the tile's clusters in an item, in batches. The last batch of a list is filled up with entries
/// of the next list, except that entries of the second half do not follow those of the first; the last batch of all is
/// filled up with slots of padding. If pairs of atoms are excluded, a batch of masks for each batch of near atoms
/// follows: for each entry one bit for each atom of the cluster that is excluded with it.
struct ListRange {
  std::uint32_t batch;    ///< index of the first batch
  std::uint16_t near;     ///< batches of atoms that may be in contact, are excluded, or whose frames are too wide
  std::uint16_t both;     ///< batches of atoms within the list cutoff of both halves
  std::uint16_t half[2];  ///< batches of atoms within the list cutoff of one half, by half
};

/// The items of a tile: n items from `first` on.
struct TileItems {
  std::uint32_t first, n;
};

/// The list in device memory.
struct PairListView : ListBoxesView {
  TileItems* tile_items;        ///< [n_tiles], those of tiles that this GPU has
  ListItem* item;               ///< [max_items]
  ListNeighbor* neighbor;       ///< [max_items][item_clusters]
  ListRange* range;             ///< [max_items][kTileClusters]
  std::uint16_t* entry;         ///< [max_batches][kBatch] slots, or masks
  std::uint32_t item_clusters;  ///< capacity of an item
  std::uint32_t max_items, max_batches;

  /// Whether this GPU has the items of a tile.
  DROPMD_HOST_DEVICE bool has_tile(std::uint32_t tile) const { return share.has(tile, tiles_of(n_atoms)); }
  DROPMD_HOST_DEVICE std::uint32_t slots() const { return item_clusters * kClusterAtoms; }
};

}  // namespace dropmd
