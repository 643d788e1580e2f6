#pragma once

#include <cstdint>

#include "core/macros.h"

/// How atoms in spatial order are cut into pieces on a GPU.
namespace dropmd {

/// Atoms of a tile: neighbours in the spatial order, with a frame of their own.
inline constexpr int kTileAtoms = 64;
/// Atoms of a j-tile, half a tile: one a lane.
inline constexpr int kJTileAtoms = 32;
inline constexpr int kJTilesPerTile = kTileAtoms / kJTileAtoms;
/// Atoms of a cluster: what is near a tile is found by cluster.
inline constexpr int kClusterAtoms = 8;
inline constexpr int kTileClusters = kTileAtoms / kClusterAtoms;
/// Atoms of half a cluster: a pair list says of each which atoms it needs.
inline constexpr int kHalfClusterAtoms = 4;
inline constexpr int kTileHalfClusters = kTileAtoms / kHalfClusterAtoms;

DROPMD_HOST_DEVICE constexpr std::uint32_t tiles_of(std::uint32_t n_atoms) {
  return (n_atoms + kTileAtoms - 1) / kTileAtoms;
}

}  // namespace dropmd
