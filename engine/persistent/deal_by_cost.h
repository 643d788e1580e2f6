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

/// All pairs within a j-tile are those of this rotation, in which each appears twice, and of those after it.
inline constexpr std::uint32_t kFirstWithin = kJTileAtoms / 2;
static_assert(kFirstWithin % kDealtRotations == 0);

/// What parts of the work cost, in any unit.
struct TileCosts {
  std::uint32_t item;    ///< in which all of a lane's molecules meet those of a j-tile
  std::uint32_t own;     ///< a rotation of a j-tile that is a part of the i-tile, besides its pairs
  std::uint32_t of_own;  ///< its pairs for each of a lane's molecules that meets all of the j-tile
  std::uint32_t within;  ///< its pairs of molecules of the j-tile
  std::uint32_t visit;   ///< a j-tile, besides its items
  std::uint32_t i_tile;  ///< an i-tile, besides its j-tiles
  std::uint32_t far;     ///< the last j-tile where it meets its i-tile: it has the molecules that left the droplet
};

/// Gives warps one item after the other, in their order.
class CostDeal {
 public:
  /// last_j_tile: that of the last molecule.
  CostDeal(const ITileItems& items, const TileCosts& costs, std::uint32_t last_j_tile)
      : items_(items), costs_(costs), last_j_tile_(last_j_tile) {}

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
    return std::uint64_t{std::max(costs_.item, own_item(items_.j_tiles_per_i_tile - 1, kDealtItems - 1))} +
           costs_.visit + costs_.i_tile + costs_.far;
  }

 private:
  /// before: number of a lane's molecules before that in the j-tile; item: its index within the j-tile.
  std::uint32_t own_item(std::uint32_t before, std::uint32_t item) const {
    const std::uint32_t within = item * kDealtRotations >= kFirstWithin ? kDealtRotations : 0;
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
    const bool own = j_tile / all == i_tile;
    const std::uint32_t visit = costs_.visit + (own && j_tile == last_j_tile_ ? costs_.far : 0);
    return std::uint64_t{own ? own_item(j_tile % all, item % kDealtItems) : costs_.item} +
           (begins || item % kDealtItems == 0 ? visit : 0) + (begins ? costs_.i_tile : 0);
  }

  ITileItems items_;
  TileCosts costs_;
  std::uint32_t last_j_tile_;
};

/// Returns [n_warps] the items of each warp, in their order, so that the warp with the highest cost has as little as
/// possible. last_j_tile: that of the last molecule.
inline std::vector<WarpItems> deal_by_cost(const ITileItems& items, std::uint32_t n_warps, TileCosts costs,
                                           std::uint32_t last_j_tile) {
  // The last tile must not decide what the other warps of a small droplet may take, since it seldom costs so much.
  constexpr std::uint64_t kPartForFar = 4;
  const std::uint64_t mean = CostDeal(items, costs, last_j_tile).total() / n_warps;
  costs.far = static_cast<std::uint32_t>(std::min<std::uint64_t>(costs.far, mean / kPartForFar));
  const CostDeal deal(items, costs, last_j_tile);
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
