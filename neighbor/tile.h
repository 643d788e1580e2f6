#pragma once

#include <cstdint>

#include "core/macros.h"

/// The division of atoms in spatial order into tiles and clusters on a GPU.
namespace dropmd {

/// Atoms of a tile: neighbours in the spatial order, which share a frame.
inline constexpr int kTileAtoms = 64;
/// Atoms of a j-tile, half a tile: one per lane.
inline constexpr int kJTileAtoms = 32;
inline constexpr int kJTilesPerTile = kTileAtoms / kJTileAtoms;
/// Atoms of a cluster, the unit in which the neighbours of a tile are searched.
inline constexpr int kClusterAtoms = 8;
inline constexpr int kTileClusters = kTileAtoms / kClusterAtoms;
/// Atoms of half a cluster; pair lists distinguish which half needs an atom.
inline constexpr int kHalfClusterAtoms = 4;

/// Number of tiles of n_atoms atoms.
DROPMD_HOST_DEVICE constexpr std::uint32_t tiles_of(std::uint32_t n_atoms) {
  return (n_atoms + kTileAtoms - 1) / kTileAtoms;
}

}  // namespace dropmd
