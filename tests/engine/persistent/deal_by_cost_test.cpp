#include "engine/persistent/deal_by_cost.h"

#include <gtest/gtest.h>
#include <algorithm>
#include <cstdint>
#include <numeric>
#include <string>
#include <utility>
#include <vector>

namespace dropmd {
namespace {

/// The last number is less than the most that counts, a quarter of a warp's share.
constexpr TileCosts kCosts{19, 4, 2, 3, 35, 18, 9};

/// The i-tile and the index of each item, in order.
std::vector<WarpItems> all_of(const ITileItems& items) {
  std::vector<WarpItems> all;
  for (std::uint32_t i_tile = 0; i_tile < items.n_i_tiles; ++i_tile)
    for (std::uint32_t item = 0; item < items.j_tiles(i_tile) * kDealtItems; ++item) all.push_back({i_tile, item, 1});
  return all;
}

/// The j-tile of the last molecule, if all i-tiles but the last have all their molecules, and that one a single j-tile.
std::uint32_t last_j_tile_of(const ITileItems& items) { return (items.n_i_tiles - 1) * items.j_tiles_per_i_tile; }

/// What the items from `begin` to `end` cost a warp, item by item.
std::uint64_t cost_of(const ITileItems& items, const std::vector<WarpItems>& all, std::size_t begin, std::size_t end) {
  std::uint64_t cost = 0;
  for (std::size_t k = begin; k < end; ++k) {
    const bool new_i_tile = k == begin || all[k].i_tile != all[k - 1].i_tile;
    const bool new_visit = new_i_tile || all[k].item / kDealtItems != all[k - 1].item / kDealtItems;
    const std::uint32_t of_tile = items.j_tiles_per_i_tile;
    const std::uint32_t j_tile = items.j_tile_met(all[k].i_tile, all[k].item / kDealtItems);
    std::uint32_t within = 0;  // rotations in which atoms of the j-tile meet, if it is a part of the i-tile
    for (std::uint32_t t = 0; t < kDealtRotations; ++t)
      if (const std::uint32_t turn = all[k].item % kDealtItems * kDealtRotations + t; turn >= 16) ++within;
    cost += (j_tile / of_tile == all[k].i_tile ? (j_tile % of_tile > 0 ? kDealtRotations : within) *
                                                         (kCosts.own + kCosts.of_own * (j_tile % of_tile)) +
                                                     kCosts.within * within
                                               : kCosts.item) +
            (new_visit ? kCosts.visit : 0) + (new_i_tile ? kCosts.i_tile : 0) +
            (new_visit && j_tile == last_j_tile_of(items) && j_tile / of_tile == all[k].i_tile ? kCosts.far : 0);
  }
  return cost;
}

std::vector<WarpItems> deal(const ITileItems& items, std::uint32_t n_warps) {
  return deal_by_cost(items, n_warps, kCosts, last_j_tile_of(items));
}

/// The cost of the costliest warp.
std::uint64_t costliest(const ITileItems& items, const std::vector<WarpItems>& dealt) {
  const std::vector<WarpItems> all = all_of(items);
  std::uint64_t most = 0;
  std::size_t begin = 0;
  for (const WarpItems& warp : dealt) {
    most = std::max(most, cost_of(items, all, begin, begin + warp.count));
    begin += warp.count;
  }
  return most;
}

/// The least cost of the costliest of n warps that take the items from `begin` on, by trying all ways.
std::uint64_t best(const ITileItems& items, const std::vector<WarpItems>& all, std::size_t begin, std::uint32_t n) {
  if (n == 1) return cost_of(items, all, begin, all.size());
  std::uint64_t least = ~0ULL;
  for (std::size_t end = begin; end <= all.size(); ++end)
    least = std::min(least, std::max(cost_of(items, all, begin, end), best(items, all, end, n - 1)));
  return least;
}

TEST(DealByCost, GivesAllItemsInTheirOrder) {
  for (const ITileItems items : {ITileItems{0}, ITileItems{1}, ITileItems{8}, ITileItems{16, 2}, ITileItems{33, 1}})
    for (const std::uint32_t n_warps : {1U, 16U, 96U, 2112U}) {
      SCOPED_TRACE(std::to_string(items.n_i_tiles) + " i-tiles, " + std::to_string(n_warps) + " warps");
      const std::vector<WarpItems> dealt = deal(items, n_warps), all = all_of(items);
      ASSERT_EQ(dealt.size(), n_warps);
      std::size_t next = 0;
      for (const WarpItems& warp : dealt) {
        if (warp.count == 0) continue;
        ASSERT_LT(next, all.size());
        EXPECT_EQ(warp.i_tile, all[next].i_tile);
        EXPECT_EQ(warp.item, all[next].item);
        next += warp.count;
      }
      EXPECT_EQ(next, all.size());
    }
}

TEST(DealByCost, MakesTheCostliestWarpAsCheapAsPossible) {
  for (const ITileItems items : {ITileItems{1, 1}, ITileItems{1, 2}, ITileItems{1}, ITileItems{2, 1}})
    for (const std::uint32_t n_warps : {1U, 2U, 3U, 4U})
      EXPECT_EQ(costliest(items, deal(items, n_warps)), best(items, all_of(items), 0, n_warps))
          << items.n_i_tiles << " i-tiles, " << n_warps << " warps";
}

/// 1,000 atoms on 4 multiprocessors: with equal numbers of items, the costliest warp would be 13% above the mean.
TEST(DealByCost, LeavesTheCostliestWarpOfASmallDropletCloseToTheMean) {
  const ITileItems items{8, 4};
  constexpr std::uint32_t kWarps = 96;
  const std::vector<WarpItems> all = all_of(items), dealt = deal(items, kWarps);
  std::uint64_t total = 0;
  std::size_t begin = 0;
  for (const WarpItems& warp : dealt) {
    total += cost_of(items, all, begin, begin + warp.count);
    begin += warp.count;
  }
  const double mean = static_cast<double>(total) / kWarps;
  EXPECT_LT(static_cast<double>(costliest(items, dealt)), 1.05 * mean);
  const std::vector<WarpItems> even(kWarps, WarpItems{0, 0, static_cast<std::uint32_t>(all.size() / kWarps)});
  EXPECT_GT(static_cast<double>(costliest(items, even)), 1.12 * mean);
}

/// A scheduler issues the instructions of several warps, so the sums of these costs should be about the same, too. If
/// each warp took as many items as the costliest one may have, the last warps would have few.
TEST(DealByCost, GivesAllSchedulersAboutTheSame) {
  constexpr std::uint32_t kSchedulers = 16;
  for (const auto& [items, n_warps] : {std::pair{ITileItems{8, 4}, 128U}, {ITileItems{16, 4}, 96U}}) {
    SCOPED_TRACE(std::to_string(items.n_i_tiles) + " i-tiles");
    const std::vector<WarpItems> all = all_of(items), dealt = deal(items, n_warps);
    std::vector<double> cost(kSchedulers);
    std::size_t begin = 0;
    for (std::uint32_t warp = 0; warp < n_warps; ++warp) {
      cost[warp % kSchedulers] += static_cast<double>(cost_of(items, all, begin, begin + dealt[warp].count));
      begin += dealt[warp].count;
    }
    const double mean = std::accumulate(cost.begin(), cost.end(), 0.0) / kSchedulers;
    // The items of each of a scheduler's warps begin and end within half an item of where they should.
    const std::uint32_t warps_of_one = n_warps / kSchedulers, most = warps_of_one * kCosts.item;
    for (const double of_scheduler : cost) EXPECT_NEAR(of_scheduler, mean, most);
    EXPECT_LT(most, 0.05 * mean);
  }
}

/// However much the last tile costs, the other warps of a small droplet do not take more items for it.
TEST(DealByCost, UsesAllWarpsOfASmallDroplet) {
  const ITileItems items{2, 4};
  constexpr std::uint32_t kWarps = 96;
  TileCosts costs = kCosts;
  costs.far = 10'000;
  const std::vector<WarpItems> dealt = deal_by_cost(items, kWarps, costs, last_j_tile_of(items));
  EXPECT_GT(std::count_if(dealt.begin(), dealt.end(), [](const WarpItems& warp) { return warp.count > 0; }), 90);
}

}  // namespace
}  // namespace dropmd
