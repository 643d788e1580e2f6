#pragma once

#include <algorithm>
#include <cstdint>
#include <vector>

#include "forces/pair/cuda/all_pairs/tile_shape.h"

/// Divides all pairs among warps that run at once. Each has few items, so these are smaller than those of tile_shape.h.
namespace dropmd {

/// Rotations of an item, and items of a j-tile.
inline constexpr int kDealtRotations = 2;
inline constexpr int kDealtItems = kJTileAtoms / kDealtRotations;

/// All pairs within a j-tile are those of the rotations from 1 to before this one.
inline constexpr std::uint32_t kEndOfOwnPairs = kJTileAtoms / 2 + 1;

/// What parts of the work cost, in any unit.
struct TileCosts {
  std::uint32_t item;    ///< in which all of a lane's molecules meet those of a j-tile
  std::uint32_t own;     ///< a rotation of a j-tile that is a part of the i-tile, besides its pairs
  std::uint32_t of_own;  ///< its pairs for each of a lane's molecules that meets all of the j-tile
  std::uint32_t within;  ///< its pairs of molecules of the j-tile
  std::uint32_t visit;   ///< a j-tile, besides its items
  std::uint32_t i_tile;  ///< an i-tile, besides its j-tiles
};

/// Gives warps one item after the other, in their order.
class CostDeal {
 public:
  CostDeal(const ITileItems& items, const TileCosts& costs) : items_(items), costs_(costs) {}

  /// Returns the cost of all items for a single warp.
  std::uint64_t total() const {
    std::uint64_t cost = 0;
    for_each([&](std::uint32_t i_tile, std::uint32_t item) { cost += added(i_tile, item, item == 0); });
    return cost;
  }
  /// Returns the items of each warp if none may cost more than `most`, unless it has a single item.
  std::vector<WarpItems> up_to(std::uint64_t most) const {
    std::vector<WarpItems> dealt;
    std::uint64_t cost = most + 1;
    for_each([&](std::uint32_t i_tile, std::uint32_t item) {
      cost += added(i_tile, item, item == 0);
      if (cost > most) {
        dealt.push_back({i_tile, item, 0});
        cost = added(i_tile, item, true);
      }
      ++dealt.back().count;
    });
    return dealt;
  }
  std::uint64_t costliest_item() const {
    return std::uint64_t{std::max(costs_.item, own_item(items_.j_tiles_per_i_tile - 1, 1))} + costs_.visit +
           costs_.i_tile;
  }

 private:
  /// before: number of a lane's molecules before that in the j-tile; item: its index within the j-tile.
  std::uint32_t own_item(std::uint32_t before, std::uint32_t item) const {
    const std::uint32_t begin = std::max(1U, item * kDealtRotations),
                        end = std::min(kEndOfOwnPairs, (item + 1) * kDealtRotations),
                        within = std::max(begin, end) - begin;
    return (costs_.own + costs_.of_own * before) * (before > 0 ? kDealtRotations : within) + costs_.within * within;
  }
  template <class Use>
  void for_each(const Use& use) const {
    for (std::uint32_t i_tile = 0; i_tile < items_.n_i_tiles; ++i_tile)
      for (std::uint32_t item = 0; item < items_.j_tiles(i_tile) * kDealtItems; ++item) use(i_tile, item);
  }
  /// What an item costs a warp that has the one before. begins: whether it is the warp's first item of the i-tile.
  std::uint64_t added(std::uint32_t i_tile, std::uint32_t item, bool begins) const {
    const std::uint32_t all = items_.j_tiles_per_i_tile, j_tile = items_.j_tile_met(i_tile, item / kDealtItems);
    const std::uint32_t of_item = j_tile / all == i_tile ? own_item(j_tile % all, item % kDealtItems) : costs_.item;
    return std::uint64_t{of_item} + (begins || item % kDealtItems == 0 ? costs_.visit : 0) +
           (begins ? costs_.i_tile : 0);
  }

  ITileItems items_;
  TileCosts costs_;
};

/// Returns [n_warps] the items of each warp, in their order, so that the warp with the highest cost has as little as
/// possible.
inline std::vector<WarpItems> deal_by_cost(const ITileItems& items, std::uint32_t n_warps, const TileCosts& costs) {
  const CostDeal deal(items, costs);
  std::uint64_t too_little = deal.total() / n_warps, enough = too_little + 2 * deal.costliest_item();
  if (too_little > 0) --too_little;
  while (enough - too_little > 1) {
    const std::uint64_t middle = (too_little + enough) / 2;
    (deal.up_to(middle).size() > n_warps ? too_little : enough) = middle;
  }
  std::vector<WarpItems> dealt = deal.up_to(enough);
  dealt.resize(n_warps, WarpItems{0, 0, 0});
  return dealt;
}

}  // namespace dropmd
