#pragma once

#include <algorithm>
#include <cstdint>
#include <numeric>

#include "core/macros.h"

/// How all pairs are cut into units of work for the warps of a GPU.
namespace dropmd {

/// Atoms of a tile: neighbours in the spatial order, two a lane.
inline constexpr int kTileAtoms = 64;
/// Atoms of a row of a tile: their forces stay in registers while the row meets other tiles.
inline constexpr int kRowAtoms = 16;
inline constexpr int kRowsPerTile = kTileAtoms / kRowAtoms;

DROPMD_HOST_DEVICE constexpr std::uint32_t tiles_of(std::uint32_t n_atoms) {
  return (n_atoms + kTileAtoms - 1) / kTileAtoms;
}

/// Every pair of tiles once: a row of tile t meets the tiles t, t + 1, ... t + n/2 (modulo n tiles), and where n is
/// even the second half of the tiles leaves out the last. A row with one tile is a unit; units are numbered row by row.
struct TileUnits {
  std::uint32_t n_tiles;

  DROPMD_HOST_DEVICE constexpr std::uint32_t rows_before_half() const { return n_tiles / 2 * kRowsPerTile; }
  /// Tiles that a row meets.
  DROPMD_HOST_DEVICE constexpr std::uint32_t length(std::uint32_t row) const {
    if (n_tiles % 2 != 0) return n_tiles / 2 + 1;
    return row < rows_before_half() ? n_tiles / 2 + 1 : n_tiles / 2;
  }
  DROPMD_HOST_DEVICE constexpr std::uint64_t count() const {
    const std::uint32_t rest = n_tiles * kRowsPerTile - rows_before_half();
    return std::uint64_t{rows_before_half()} * length(0) +
           (rest > 0 ? std::uint64_t{rest} * length(rows_before_half()) : 0);
  }

  struct Place {
    std::uint32_t row;
    std::uint32_t step;  ///< the tile met is tile_met(row, step)
  };
  DROPMD_HOST_DEVICE constexpr Place place_of(std::uint64_t unit) const {
    const std::uint64_t first_half = std::uint64_t{rows_before_half()} * length(0);
    if (unit < first_half)
      return {static_cast<std::uint32_t>(unit / length(0)), static_cast<std::uint32_t>(unit % length(0))};
    const std::uint32_t n = length(rows_before_half());
    return {rows_before_half() + static_cast<std::uint32_t>((unit - first_half) / n),
            static_cast<std::uint32_t>((unit - first_half) % n)};
  }
  DROPMD_HOST_DEVICE constexpr std::uint32_t tile_met(std::uint32_t row, std::uint32_t step) const {
    const std::uint32_t tile = row / kRowsPerTile + step;
    return tile < n_tiles ? tile : tile - n_tiles;
  }
};

/// Units dealt out evenly: warp w takes [begin(w), begin(w + 1)).
struct UnitSplit {
  std::uint64_t n_units;
  std::uint32_t n_warps;
  std::uint32_t n_blocks;
  std::uint32_t block_stride;  ///< block b takes the place of block b·block_stride mod n_blocks; no common factor

  DROPMD_HOST_DEVICE constexpr std::uint64_t begin(std::uint32_t warp) const {
    return warp * (n_units / n_warps) + warp * (n_units % n_warps) / n_warps;
  }
};

/// As many warps as fit on the device at once, or whole multiples of that where each would have more than `most_units`:
/// fp32 sums of a row then stay short. resident_warps: of the whole device; warps: of a block.
inline UnitSplit split_units(std::uint64_t n_units, std::uint32_t resident_warps, std::uint32_t warps,
                             std::uint32_t most_units) {
  const std::uint64_t waves = std::max<std::uint64_t>(1, n_units / (std::uint64_t{resident_warps} * most_units));
  const std::uint64_t n_warps = std::max<std::uint64_t>(1, std::min<std::uint64_t>(n_units, waves * resident_warps));
  const std::uint64_t n_blocks = (n_warps + warps - 1) / warps;
  std::uint64_t stride = n_blocks * 382 / 1000 + 1;  // about the golden section: spreads any regular pattern
  while (std::gcd(stride, n_blocks) != 1) ++stride;
  return {n_units, static_cast<std::uint32_t>(n_warps), static_cast<std::uint32_t>(n_blocks),
          static_cast<std::uint32_t>(stride)};
}

}  // namespace dropmd
