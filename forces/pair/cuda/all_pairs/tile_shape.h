#pragma once

#include <algorithm>
#include <cstdint>
#include <numeric>
#include <span>
#include <type_traits>
#include <vector>

#include "core/macros.h"
#include "neighbor/tile.h"

/// Divides all pairs into work items for the warps of a GPU.
namespace dropmd {

/// Number of tiles in an i-tile, and number of j-tiles with as many atoms as an i-tile, which is also a lane's number
/// of i atoms.
inline constexpr int kTilesPerITile = 2;
inline constexpr int kITileAtoms = kTilesPerITile * kTileAtoms;
inline constexpr int kJTilesPerITile = kITileAtoms / kJTileAtoms;
/// In a rotation each lane's atoms of the i-tile interact with one atom of the j-tile; after 32 rotations all pairs are
/// computed. A work item is 8 rotations.
inline constexpr int kItemRotations = 8;
inline constexpr int kJTileItems = kJTileAtoms / kItemRotations;

DROPMD_HOST_DEVICE constexpr std::uint32_t i_tiles_of(std::uint32_t n_atoms) {
  return (n_atoms + kITileAtoms - 1) / kITileAtoms;
}

/// Launch shape of the tile kernels.
template <class Real>
struct TileTuning {
  static constexpr int kWarps = 4;  ///< per block
  /// Blocks per multiprocessor that the registers must allow.
  static constexpr int kBlocksPerSm = std::is_same_v<Real, float> ? 4 : 2;
};

/// Computes every pair of i-tiles once: i-tile r interacts with the j-tiles of the i-tiles r, r + 1, ... r + n/2
/// (modulo the number n of i-tiles), and for even n the second half of the i-tiles omits the last of these. Items are
/// numbered by i-tile, then by j-tile.
struct ITileItems {
  std::uint32_t n_i_tiles;
  std::uint32_t j_tiles_per_i_tile = kJTilesPerITile;  ///< with the same number of atoms, or molecules

  /// Number of j-tiles that an i-tile interacts with.
  DROPMD_HOST_DEVICE constexpr std::uint32_t j_tiles(std::uint32_t i_tile) const {
    const std::uint32_t i_tiles = n_i_tiles / 2 + (n_i_tiles % 2 != 0 || i_tile < n_i_tiles / 2 ? 1 : 0);
    return i_tiles * j_tiles_per_i_tile;
  }
  DROPMD_HOST_DEVICE constexpr std::uint32_t j_tile_met(std::uint32_t i_tile, std::uint32_t step) const {
    const std::uint32_t other = i_tile + step / j_tiles_per_i_tile;
    return (other < n_i_tiles ? other : other - n_i_tiles) * j_tiles_per_i_tile + step % j_tiles_per_i_tile;
  }
  constexpr std::uint64_t count() const {
    const std::uint32_t half = n_i_tiles / 2;
    return kJTileItems * (std::uint64_t{half} * j_tiles(0) + std::uint64_t{n_i_tiles - half} * j_tiles(half));
  }
};

/// The work items of a warp.
struct WarpItems {
  std::uint32_t i_tile;  ///< i-tile of the first item
  std::uint32_t item;    ///< its index among the i-tile's items
  std::uint32_t count;
};

/// Returns [n_blocks] the number of items per warp of each block, in the order in which a GPU starts blocks. If there
/// are few items, they are divided evenly among the warps that fit on the GPU at once. Otherwise each block takes whole
/// j-tiles: 8/9 of an even share of the remaining items for kGpus such GPUs, since that many may divide the blocks
/// (with smaller shares one GPU is slower), but at least one j-tile, so that the blocks that end last cause little idle
/// time (guided self-scheduling, Polychronopoulos and Kuck, IEEE Trans. Comput. C-36, 1425, 1987). resident_warps: on
/// the whole device; warps: per block.
inline std::vector<std::uint32_t> items_per_warp(std::uint64_t n_items, std::uint32_t resident_warps,
                                                 std::uint32_t warps) {
  constexpr std::uint64_t kJTile = kJTileItems, kGuided = 8 * kJTile, kMost = 32 * kJTile, kMostWarps = 1U << 20U,
                          kGpus = 2;
  std::vector<std::uint32_t> per_warp;
  if (n_items < resident_warps * kGuided) {
    const std::uint64_t n_blocks = std::max<std::uint64_t>(1, std::min<std::uint64_t>(n_items, resident_warps) / warps);
    const std::uint64_t of_blocks = (n_items + warps - 1) / warps;
    for (std::uint64_t b = 0; b < n_blocks; ++b)
      per_warp.push_back(static_cast<std::uint32_t>(of_blocks * (b + 1) / n_blocks - of_blocks * b / n_blocks));
    return per_warp;
  }
  // Limits the length of the table.
  const std::uint64_t most = std::max(kMost, n_items / kMostWarps / kJTile * kJTile);
  for (std::uint64_t left = n_items; left > 0;) {
    const std::uint64_t even = left * 8 / (9 * kGpus * resident_warps);
    const std::uint64_t n_per_warp = std::clamp(even / kJTile * kJTile, kJTile, most);
    per_warp.push_back(static_cast<std::uint32_t>(n_per_warp));
    left -= std::min(left, n_per_warp * warps);
  }
  return per_warp;
}

/// Takes items in their order.
class ItemCursor {
 public:
  explicit ItemCursor(const ITileItems& items) : items_(items) {}

  /// Returns the next n items, which must be there.
  WarpItems take(std::uint64_t n) {
    const auto count = static_cast<std::uint32_t>(n);
    const WarpItems taken{i_tile_, item_, count};
    item_ += count;
    while (i_tile_ < items_.n_i_tiles && item_ >= items_.j_tiles(i_tile_) * kJTileItems)
      item_ -= items_.j_tiles(i_tile_++) * kJTileItems;
    return taken;
  }

 private:
  ITileItems items_;
  std::uint32_t i_tile_ = 0, item_ = 0;
};

/// Returns [n_blocks · warps] the items of each warp of each block. Blocks are shuffled: j-tiles on the precise path
/// recur at regular positions in the order of items and would otherwise fall to the same multiprocessors.
inline std::vector<WarpItems> deal_items(const ITileItems& items, std::span<const std::uint32_t> per_warp,
                                         std::uint32_t warps) {
  const std::size_t n_blocks = per_warp.size();
  std::vector<WarpItems> dealt(n_blocks * warps, WarpItems{0, 0, 0});
  std::size_t stride = n_blocks * 382 / 1000 + 1;  // the golden section spreads regular patterns
  while (std::gcd(stride, n_blocks) != 1) ++stride;
  std::uint64_t left = items.count();
  ItemCursor cursor(items);
  for (std::size_t k = 0; k < n_blocks; ++k) {
    const std::size_t block = k * stride % n_blocks;
    for (std::uint32_t w = 0; w < warps && left > 0; ++w) {
      dealt[block * warps + w] = cursor.take(std::min<std::uint64_t>(per_warp[block], left));
      left -= dealt[block * warps + w].count;
    }
  }
  return dealt;
}

}  // namespace dropmd
