#include "forces/pair/cuda/all_pairs/tile_shape.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <set>
#include <string>
#include <utility>
#include <vector>

namespace dropmd {
namespace {

/// Every atom of every i-tile meets every j-tile once, forwards or backwards, and the j-tiles of its own i-tile.
TEST(ITileItems, MeetEveryPairOfITilesOnce) {
  for (const std::uint32_t j_tiles : {2U, std::uint32_t{kJTilesPerITile}})
    for (std::uint32_t n_i_tiles = 1; n_i_tiles <= 40; ++n_i_tiles) {
      const ITileItems items{n_i_tiles, j_tiles};
      std::set<std::pair<std::uint32_t, std::uint32_t>> met;  // i-tile, j-tile
      for (std::uint32_t i_tile = 0; i_tile < n_i_tiles; ++i_tile)
        for (std::uint32_t step = 0; step < items.j_tiles(i_tile); ++step)
          ASSERT_TRUE(met.emplace(i_tile, items.j_tile_met(i_tile, step)).second);
      EXPECT_EQ(met.size() * kJTileItems, items.count()) << n_i_tiles;
      for (std::uint32_t a = 0; a < n_i_tiles; ++a)
        for (std::uint32_t b = a; b < n_i_tiles; ++b)
          for (std::uint32_t k = 0; k < j_tiles; ++k) {
            const auto forth = met.count({a, b * j_tiles + k}), back = met.count({b, a * j_tiles + k});
            ASSERT_EQ(forth + (a == b ? 0 : back), 1U) << n_i_tiles << " i-tiles: " << a << ' ' << b;
          }
    }
}

TEST(ITileItems, AreNoneForNoAtoms) {
  const std::vector<std::uint32_t> per_warp = items_per_warp(ITileItems{i_tiles_of(0)}.count(), 2112, 4);
  ASSERT_EQ(per_warp.size(), 1U);
  for (const WarpItems& w : deal_items(ITileItems{0}, per_warp, 4)) EXPECT_EQ(w.count, 0U);
}

TEST(ITileItems, AreDealtOutCompletelyAndInOrder) {
  constexpr std::uint32_t kWarps = 4;
  for (const std::uint32_t n_atoms : {1U, 128U, 129U, 1000U, 4139U, 16'384U, 32'768U, 100'000U})
    for (const std::uint32_t resident_warps : {16U, 2112U}) {
      SCOPED_TRACE(std::to_string(n_atoms) + " atoms on " + std::to_string(resident_warps) + " warps");
      const ITileItems items{i_tiles_of(n_atoms)};
      const std::vector<std::uint32_t> per_warp = items_per_warp(items.count(), resident_warps, kWarps);
      std::vector<WarpItems> dealt = deal_items(items, per_warp, kWarps);
      ASSERT_EQ(dealt.size(), per_warp.size() * kWarps);
      for (std::size_t w = 0; w < dealt.size(); ++w) ASSERT_LE(dealt[w].count, per_warp[w / kWarps]);
      std::erase_if(dealt, [](const WarpItems& w) { return w.count == 0; });
      const auto at = [](const WarpItems& w) { return std::pair(w.i_tile, w.item); };
      std::sort(dealt.begin(), dealt.end(), [&](const auto& a, const auto& b) { return at(a) < at(b); });
      WarpItems next{0, 0, 0};
      for (const WarpItems& w : dealt) {
        ASSERT_EQ(at(w), at(next));
        next.item += w.count;
        while (next.i_tile < items.n_i_tiles && next.item >= items.j_tiles(next.i_tile) * kJTileItems)
          next.item -= items.j_tiles(next.i_tile++) * kJTileItems;
      }
      EXPECT_EQ(next.i_tile, items.n_i_tiles);
      EXPECT_EQ(next.item, 0U);
    }
}

/// In droplets that leave a few j-tiles per warp, one round of blocks takes all items, as evenly as possible.
TEST(ITileItems, FewAreDealtOutEvenly) {
  for (const std::uint32_t n_atoms : {128U, 2113U, 4139U, 10'000U}) {
    const std::uint64_t n_items = ITileItems{i_tiles_of(n_atoms)}.count();
    const std::vector<std::uint32_t> per_warp = items_per_warp(n_items, 2112, 4);
    EXPECT_EQ(per_warp.size(), std::min<std::uint64_t>(n_items, 2112) / 4) << n_atoms;
    const auto [least, most] = std::minmax_element(per_warp.begin(), per_warp.end());
    EXPECT_LE(*most - *least, 1U) << n_atoms;
    EXPECT_GE(*least, n_items / std::min<std::uint64_t>(n_items, 2112)) << n_atoms;
  }
}

/// In larger droplets, warps take whole j-tiles, long ranges first, and the last round of blocks has one j-tile per
/// warp.
TEST(ITileItems, ManyAreDealtOutInNumbersThatShrink) {
  for (const std::uint32_t n_atoms : {16'384U, 32'768U, 131'072U, 1'000'000U, 8'000'000U}) {
    SCOPED_TRACE(std::to_string(n_atoms) + " atoms");
    const std::uint64_t n_items = ITileItems{i_tiles_of(n_atoms)}.count();
    const std::vector<std::uint32_t> per_warp = items_per_warp(n_items, 2112, 4);
    EXPECT_TRUE(std::is_sorted(per_warp.rbegin(), per_warp.rend()));
    for (const std::uint32_t n_per_warp : per_warp) ASSERT_EQ(n_per_warp % kJTileItems, 0U);
    // 8/9 of half of an even share, at most 32 j-tiles.
    EXPECT_GE(per_warp.front() / kJTileItems, std::min<std::uint64_t>(32, n_items * 4 / (9ULL * 2112) / kJTileItems));
    ASSERT_GT(per_warp.size(), 528U);
    EXPECT_EQ(per_warp[per_warp.size() - 528], static_cast<std::uint32_t>(kJTileItems));
    EXPECT_LE(4 * per_warp.size(), (1U << 20U) + 100'000U);
    std::uint64_t sum = 0;
    for (const std::uint32_t n_per_warp : per_warp) sum += 4 * std::uint64_t{n_per_warp};
    EXPECT_GE(sum, n_items);
    EXPECT_LT(sum, n_items + 4 * std::uint64_t{kJTileItems});
  }
}

}  // namespace
}  // namespace dropmd
