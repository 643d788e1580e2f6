#include "forces/tile_shape.h"

#include <gtest/gtest.h>

#include <numeric>
#include <set>
#include <utility>

namespace dropmd {
namespace {

/// Far beyond what fits 64 bits as a product.
TEST(TileUnits, AreSplitInTheLargestDropletsToo) {
  const std::uint64_t n_units = TileUnits{tiles_of(8'000'000)}.count();
  const UnitSplit split = split_units(n_units, 2112, 4, 24);
  EXPECT_EQ(split.begin(split.n_warps), n_units);
  for (std::uint32_t w = 0; w < split.n_warps; w += split.n_warps / 1000)
    ASSERT_NEAR(static_cast<double>(split.begin(w + 1) - split.begin(w)), 24.5, 1.0);
}

/// Every pair of tiles is met once, by all rows of one of the two, and every tile meets itself.
TEST(TileUnits, MeetEveryPairOfTilesOnce) {
  for (std::uint32_t n_tiles = 1; n_tiles <= 70; ++n_tiles) {
    const TileUnits units{n_tiles};
    std::set<std::pair<std::uint32_t, std::uint32_t>> met;  // row, tile
    std::uint64_t unit = 0;
    for (std::uint32_t row = 0; row < n_tiles * kRowsPerTile; ++row)
      for (std::uint32_t step = 0; step < units.length(row); ++step, ++unit) {
        const TileUnits::Place place = units.place_of(unit);
        ASSERT_EQ(place.row, row);
        ASSERT_EQ(place.step, step);
        ASSERT_TRUE(met.emplace(row, units.tile_met(row, step)).second);
      }
    EXPECT_EQ(unit, units.count()) << n_tiles;
    for (std::uint32_t a = 0; a < n_tiles; ++a)
      for (std::uint32_t b = a; b < n_tiles; ++b)
        for (std::uint32_t r = 0; r < kRowsPerTile; ++r) {
          const auto forth = met.count({a * kRowsPerTile + r, b}), back = met.count({b * kRowsPerTile + r, a});
          ASSERT_EQ(forth + (a == b ? 0 : back), 1U) << n_tiles << " tiles: " << a << ' ' << b;
        }
  }
}

TEST(TileUnits, AreSplitCompletelyAndEvenly) {
  for (const std::uint64_t n_units : {1ULL, 3ULL, 4ULL, 100ULL, 8385ULL, 525'312ULL, 8'390'656ULL})
    for (const std::uint32_t resident : {16U, 2112U}) {
      const UnitSplit split = split_units(n_units, resident, 4, 24);
      EXPECT_EQ(split.begin(0), 0U);
      EXPECT_EQ(split.begin(split.n_warps), n_units);
      EXPECT_GE(std::uint64_t{split.n_blocks} * 4, split.n_warps);
      EXPECT_EQ(std::gcd(split.n_blocks, split.block_stride), 1U);
      for (std::uint32_t w = 0; w < split.n_warps; ++w) {
        const std::uint64_t share = split.begin(w + 1) - split.begin(w);
        ASSERT_GE(share, n_units / split.n_warps);
        ASSERT_LE(share, n_units / split.n_warps + 1);
        ASSERT_LE(share, 48U) << "fp32 sums grow too long";
      }
    }
}

}  // namespace
}  // namespace dropmd
