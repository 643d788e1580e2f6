#pragma once

#include <algorithm>
#include <cstdint>
#include <numeric>
#include <vector>

#include "core/macros.h"

/// How all pairs are cut into units of work for the warps of a GPU.
namespace dropmd {

/// Atoms of a tile: neighbours in the spatial order, with a frame of their own.
inline constexpr int kTileAtoms = 64;
/// Atoms of a column, half a tile: one a lane.
inline constexpr int kColumnAtoms = 32;
inline constexpr int kTileColumns = kTileAtoms / kColumnAtoms;
/// Tiles of a row, and its atoms of each lane.
inline constexpr int kRowTiles = 2;
inline constexpr int kRowAtoms = kRowTiles * kTileAtoms;
inline constexpr int kRowColumns = kRowAtoms / kColumnAtoms;
/// In a turn each lane's atoms of the row meet one atom of the column; after 32 turns all have met. So many are a unit.
inline constexpr int kUnitTurns = 8;
inline constexpr int kColumnUnits = kColumnAtoms / kUnitTurns;

DROPMD_HOST_DEVICE constexpr std::uint32_t tiles_of(std::uint32_t n_atoms) {
  return (n_atoms + kTileAtoms - 1) / kTileAtoms;
}
DROPMD_HOST_DEVICE constexpr std::uint32_t rows_of(std::uint32_t n_atoms) {
  return (n_atoms + kRowAtoms - 1) / kRowAtoms;
}

/// Every pair of rows once: row r meets the columns of the rows r, r + 1, ... r + n/2 (modulo n rows), and where n is
/// even the second half of the rows leaves out the last. Units are numbered row by row, column by column.
struct RowUnits {
  std::uint32_t n_rows;

  /// Columns that a row meets.
  DROPMD_HOST_DEVICE constexpr std::uint32_t columns(std::uint32_t row) const {
    const std::uint32_t rows = n_rows / 2 + (n_rows % 2 != 0 || row < n_rows / 2 ? 1 : 0);
    return rows * kRowColumns;
  }
  DROPMD_HOST_DEVICE constexpr std::uint32_t column_met(std::uint32_t row, std::uint32_t step) const {
    const std::uint32_t other = row + step / kRowColumns;
    return (other < n_rows ? other : other - n_rows) * kRowColumns + step % kRowColumns;
  }
  constexpr std::uint64_t count() const {
    const std::uint32_t half = n_rows / 2;
    return kColumnUnits * (std::uint64_t{half} * columns(0) + std::uint64_t{n_rows - half} * columns(half));
  }
};

/// The units of a warp.
struct WarpUnits {
  std::uint32_t row;   ///< of the first
  std::uint32_t unit;  ///< its place among the row's units
  std::uint32_t count;
};

/// Units dealt out evenly to whole blocks of warps.
struct UnitSplit {
  std::uint64_t n_units;
  std::uint32_t n_warps;
  std::uint32_t n_blocks;

  std::uint64_t begin(std::uint32_t warp) const {
    return warp * (n_units / n_warps) + warp * (n_units % n_warps) / n_warps;
  }
};

/// As many warps as fit on the device at once, or whole multiples of that. A warp has no more than 16 columns while the
/// table of warps is not too long (half a million atoms), since its fp32 sums grow with them, and 4 at least, where
/// there are so many, since each costs a row's loads and stores; between them so few that the last of many warps to end
/// keeps the others waiting for little. resident_warps: of the whole device; warps: of a block.
inline UnitSplit split_units(std::uint64_t n_units, std::uint32_t resident_warps, std::uint32_t warps) {
  constexpr std::uint64_t kLeast = std::uint64_t{4} * kColumnUnits, kMost = 4 * kLeast, kWaves = 16,
                          kMostWarps = 1U << 21U;
  const std::uint64_t share = std::clamp(n_units / (resident_warps * kWaves), kLeast, kMost);
  const std::uint64_t waves =
      std::clamp<std::uint64_t>(n_units / (resident_warps * share), 1, std::max(1UL, kMostWarps / resident_warps));
  const std::uint64_t n_warps = std::max<std::uint64_t>(1, std::min<std::uint64_t>(n_units, waves * resident_warps));
  return {n_units, static_cast<std::uint32_t>(n_warps), static_cast<std::uint32_t>((n_warps + warps - 1) / warps)};
}

/// [n_blocks · warps] what each warp of each block does. Blocks are shuffled: columns that need care come at regular
/// places in the order of units, and would else fall to the same multiprocessors.
inline std::vector<WarpUnits> deal_units(const RowUnits& units, const UnitSplit& split, std::uint32_t warps) {
  std::vector<WarpUnits> dealt(std::size_t{split.n_blocks} * warps, WarpUnits{0, 0, 0});
  std::uint64_t stride = std::uint64_t{split.n_blocks} * 382 / 1000 + 1;  // the golden section spreads regular patterns
  while (std::gcd(stride, split.n_blocks) != 1) ++stride;
  if (split.n_units == 0) return dealt;
  std::uint32_t row = 0;
  std::uint64_t row_begin = 0;
  for (std::uint32_t w = 0; w < split.n_warps; ++w) {
    const std::uint64_t begin = split.begin(w);
    while (row_begin + std::uint64_t{units.columns(row)} * kColumnUnits <= begin)
      row_begin += std::uint64_t{units.columns(row++)} * kColumnUnits;
    const std::uint64_t block = w / warps * stride % split.n_blocks;
    dealt[block * warps + w % warps] = {row, static_cast<std::uint32_t>(begin - row_begin),
                                        static_cast<std::uint32_t>(split.begin(w + 1) - begin)};
  }
  return dealt;
}

}  // namespace dropmd
