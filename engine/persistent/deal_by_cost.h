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

/// The costs of parts of the work, in any unit.
struct TileCosts {
  std::uint32_t item;    ///< in which all of a lane's molecules meet those of a j-tile
  std::uint32_t own;     ///< a rotation of a j-tile that is a part of the i-tile, besides its pairs
  std::uint32_t of_own;  ///< its pairs for each of a lane's molecules that meets all of the j-tile
  std::uint32_t within;  ///< its pairs of molecules of the j-tile
  std::uint32_t visit;   ///< a j-tile, besides its items
  std::uint32_t i_tile;  ///< an i-tile, besides its j-tiles
  std::uint32_t far;     ///< the last j-tile where it meets its i-tile: it has the molecules that left the droplet
};

/// Deals the items to warps, one after the other, in their order.
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
  /// Returns the items of each warp. Together, the first k warps cost about k times `share`, for every k; none costs
  /// more than `most`, unless it has a single item.
  std::vector<WarpItems> with(std::uint64_t share, std::uint64_t most) const {
    std::vector<WarpItems> dealt;
    std::uint64_t cost = most;
    std::int64_t left = 0;  // of the shares of the warps so far
    for_each([&](std::uint32_t i_tile, std::uint32_t item) {
      std::uint64_t next = added(i_tile, item, item == 0);
      if (dealt.empty() || cost + next > most || static_cast<std::int64_t>(next) > 2 * left) {
        dealt.push_back({i_tile, item, 0});
        next = added(i_tile, item, true);
        cost = 0;
        left += static_cast<std::int64_t>(share);
      }
      cost += next;
      left -= static_cast<std::int64_t>(next);
      ++dealt.back().count;
    });
    return dealt;
  }
  std::uint64_t costliest_item() const {
    return std::uint64_t{std::max(costs_.item, own_item(items_.j_tiles_per_i_tile - 1, kDealtItems - 1))} +
           costs_.visit + costs_.i_tile + costs_.far;
  }

 private:
  /// before: how many of a lane's molecules precede the one in the j-tile; item: its index within the j-tile.
  std::uint32_t own_item(std::uint32_t before, std::uint32_t item) const {
    const std::uint32_t within = item * kDealtRotations >= kFirstWithin ? kDealtRotations : 0;
    return (costs_.own + costs_.of_own * before) * (before > 0 ? kDealtRotations : within) + costs_.within * within;
  }
  template <class Use>
  void for_each(const Use& use) const {
    for (std::uint32_t i_tile = 0; i_tile < items_.n_i_tiles; ++i_tile)
      for (std::uint32_t item = 0; item < items_.j_tiles(i_tile) * kDealtItems; ++item) use(i_tile, item);
  }
  /// Returns an item's cost to a warp that has the one before. begins: whether it is the warp's first of the i-tile.
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

/// Returns the least number from `least` to `most` for which few_enough() is true; it must be true for `most`.
template <class FewEnough>
std::uint64_t least_for(std::uint64_t least, std::uint64_t most, const FewEnough& few_enough) {
  while (least < most) {
    const std::uint64_t middle = least + (most - least) / 2;
    if (few_enough(middle))
      most = middle;
    else
      least = middle + 1;
  }
  return most;
}

/// Returns [n_warps] the items of each warp, in their order. The warp with the highest cost has as little as possible,
/// and the others have about equal costs, since several share a scheduler. last_j_tile: that of the last molecule.
inline std::vector<WarpItems> deal_by_cost(const ITileItems& items, std::uint32_t n_warps, TileCosts costs,
                                           std::uint32_t last_j_tile) {
  // The last tile must not decide what the other warps of a small droplet may take, since it seldom costs so much.
  constexpr std::uint64_t kPartForFar = 4;
  const std::uint64_t mean = CostDeal(items, costs, last_j_tile).total() / n_warps;
  costs.far = static_cast<std::uint32_t>(std::min<std::uint64_t>(costs.far, mean / kPartForFar));
  const CostDeal deal(items, costs, last_j_tile);
  const std::uint64_t least = deal.total() / n_warps;
  const std::uint64_t most = least_for(least, least + 2 * deal.costliest_item(),
                                       [&](std::uint64_t cost) { return deal.with(cost, cost).size() <= n_warps; });
  const std::uint64_t share =
      least_for(least, most, [&](std::uint64_t cost) { return deal.with(cost, most).size() <= n_warps; });
  std::vector<WarpItems> dealt = deal.with(share, most);
  dealt.resize(n_warps, WarpItems{0, 0, 0});
  return dealt;
}

}  // namespace dropmd
