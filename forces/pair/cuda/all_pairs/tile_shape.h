#pragma once

#include <algorithm>
#include <cstdint>
#include <numeric>
#include <span>
#include <type_traits>
#include <vector>

#include "core/macros.h"
#include "neighbor/tile.h"

/// How all pairs are cut into units of work for the warps of a GPU.
namespace dropmd {

/// Tiles of a row, and its atoms of each lane.
inline constexpr int kRowTiles = 2;
inline constexpr int kRowAtoms = kRowTiles * kTileAtoms;
inline constexpr int kRowColumns = kRowAtoms / kColumnAtoms;
/// In a turn each lane's atoms of the row meet one atom of the column; after 32 turns all have met. So many are a unit.
inline constexpr int kUnitTurns = 8;
inline constexpr int kColumnUnits = kColumnAtoms / kUnitTurns;

DROPMD_HOST_DEVICE constexpr std::uint32_t rows_of(std::uint32_t n_atoms) {
  return (n_atoms + kRowAtoms - 1) / kRowAtoms;
}

/// Launch shapes of the tile kernels.
template <class Real>
struct TileTuning {
  static constexpr int kWarps = 4;                                          ///< a block
  static constexpr int kBlocksPerSm = std::is_same_v<Real, float> ? 4 : 2;  ///< that the registers must allow
};

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

/// [n_blocks] units of each warp of a block, in the order in which a GPU starts blocks. Few units are dealt out evenly
/// to the warps that fit on the GPU at once; else blocks take whole columns, 8/9 of an even share of what is left and a
/// column at least, so that the last of them to end keep the others waiting for little (guided self-scheduling,
/// Polychronopoulos and Kuck, IEEE Trans. Comput. C-36, 1425, 1987). resident_warps: of the whole device; warps: of a
/// block.
inline std::vector<std::uint32_t> block_shares(std::uint64_t n_units, std::uint32_t resident_warps,
                                               std::uint32_t warps) {
  constexpr std::uint64_t kColumn = kColumnUnits, kGuided = 8 * kColumn, kMost = 32 * kColumn, kMostWarps = 1U << 20U;
  std::vector<std::uint32_t> shares;
  if (n_units < resident_warps * kGuided) {
    const std::uint64_t n_blocks = std::max<std::uint64_t>(1, std::min<std::uint64_t>(n_units, resident_warps) / warps);
    const std::uint64_t of_blocks = (n_units + warps - 1) / warps;
    for (std::uint64_t b = 0; b < n_blocks; ++b)
      shares.push_back(static_cast<std::uint32_t>(of_blocks * (b + 1) / n_blocks - of_blocks * b / n_blocks));
    return shares;
  }
  const std::uint64_t most = std::max(kMost, n_units / kMostWarps / kColumn * kColumn);  // a table of bearable length
  for (std::uint64_t left = n_units; left > 0;) {
    const std::uint64_t even = left * 8 / (9 * std::uint64_t{resident_warps});
    const std::uint64_t share = std::clamp(even / kColumn * kColumn, kColumn, most);
    shares.push_back(static_cast<std::uint32_t>(share));
    left -= std::min(left, share * warps);
  }
  return shares;
}

/// [n_blocks · warps] what each warp of each block does. Blocks are shuffled: columns that need care come at regular
/// places in the order of units, and would else fall to the same multiprocessors.
inline std::vector<WarpUnits> deal_units(const RowUnits& units, std::span<const std::uint32_t> shares,
                                         std::uint32_t warps) {
  const std::size_t n_blocks = shares.size();
  std::vector<WarpUnits> dealt(n_blocks * warps, WarpUnits{0, 0, 0});
  std::size_t stride = n_blocks * 382 / 1000 + 1;  // the golden section spreads regular patterns
  while (std::gcd(stride, n_blocks) != 1) ++stride;
  std::uint64_t left = units.count();
  std::uint32_t row = 0, unit = 0;
  for (std::size_t k = 0; k < n_blocks; ++k) {
    const std::size_t block = k * stride % n_blocks;
    for (std::uint32_t w = 0; w < warps && left > 0; ++w) {
      const auto count = static_cast<std::uint32_t>(std::min<std::uint64_t>(shares[block], left));
      dealt[block * warps + w] = {row, unit, count};
      left -= count;
      unit += count;
      while (row < units.n_rows && unit >= units.columns(row) * kColumnUnits)
        unit -= units.columns(row++) * kColumnUnits;
    }
  }
  return dealt;
}

}  // namespace dropmd
