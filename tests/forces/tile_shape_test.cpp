#include "forces/tile_shape.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <set>
#include <string>
#include <utility>
#include <vector>

namespace dropmd {
namespace {

/// Every atom of every row meets every column once, forth or back, and its own row's columns.
TEST(RowUnits, MeetEveryPairOfRowsOnce) {
  for (std::uint32_t n_rows = 1; n_rows <= 40; ++n_rows) {
    const RowUnits units{n_rows};
    std::set<std::pair<std::uint32_t, std::uint32_t>> met;  // row, column
    for (std::uint32_t row = 0; row < n_rows; ++row)
      for (std::uint32_t step = 0; step < units.columns(row); ++step)
        ASSERT_TRUE(met.emplace(row, units.column_met(row, step)).second);
    EXPECT_EQ(met.size() * kColumnUnits, units.count()) << n_rows;
    for (std::uint32_t a = 0; a < n_rows; ++a)
      for (std::uint32_t b = a; b < n_rows; ++b)
        for (std::uint32_t k = 0; k < kRowColumns; ++k) {
          const auto forth = met.count({a, b * kRowColumns + k}), back = met.count({b, a * kRowColumns + k});
          ASSERT_EQ(forth + (a == b ? 0 : back), 1U) << n_rows << " rows: " << a << ' ' << b;
        }
  }
}

TEST(RowUnits, AreNoneForNoAtoms) {
  const UnitSplit split = split_units(RowUnits{rows_of(0)}.count(), 2112, 4);
  for (const WarpUnits& w : deal_units(RowUnits{0}, split, 4)) EXPECT_EQ(w.count, 0U);
}

TEST(RowUnits, AreDealtOutCompletelyInOrderAndEvenly) {
  constexpr std::uint32_t kWarps = 4;
  for (const std::uint32_t n_atoms : {1U, 128U, 129U, 1000U, 4139U, 32'768U, 100'000U})
    for (const std::uint32_t resident : {16U, 2112U}) {
      SCOPED_TRACE(std::to_string(n_atoms) + " atoms on " + std::to_string(resident) + " warps");
      const RowUnits units{rows_of(n_atoms)};
      const UnitSplit split = split_units(units.count(), resident, kWarps);
      std::vector<WarpUnits> dealt = deal_units(units, split, kWarps);
      ASSERT_EQ(dealt.size(), std::size_t{split.n_blocks} * kWarps);
      std::erase_if(dealt, [](const WarpUnits& w) { return w.count == 0; });
      ASSERT_EQ(dealt.size(), split.n_warps);
      const auto at = [](const WarpUnits& w) { return std::pair(w.row, w.unit); };
      std::sort(dealt.begin(), dealt.end(), [&](const auto& a, const auto& b) { return at(a) < at(b); });
      WarpUnits next{0, 0, 0};
      for (const WarpUnits& w : dealt) {
        ASSERT_EQ(at(w), at(next));
        ASSERT_GE(w.count, split.n_units / split.n_warps);
        ASSERT_LE(w.count, split.n_units / split.n_warps + 1);
        next.unit += w.count;
        while (next.row < units.n_rows && next.unit >= units.columns(next.row) * kColumnUnits)
          next.unit -= units.columns(next.row++) * kColumnUnits;
      }
      EXPECT_EQ(next.row, units.n_rows);
      EXPECT_EQ(next.unit, 0U);
    }
}

/// Sums of a warp are in fp32: 16 columns, and what is left over where warps are few, are 512 to 1024 terms a lane.
TEST(RowUnits, GiveNoWarpMoreThanFp32SumsBear) {
  for (const std::uint32_t n_atoms : {32'768U, 131'072U, 1'000'000U}) {
    const UnitSplit split = split_units(RowUnits{rows_of(n_atoms)}.count(), 2112, 4);
    const double columns = static_cast<double>(split.n_units) / split.n_warps / kColumnUnits;
    EXPECT_GE(columns, 3.9) << n_atoms;
    EXPECT_LE(columns, n_atoms > 500'000 ? 70 : 17) << n_atoms << " (a million atoms: the table of warps is limited)";
  }
}

/// Far beyond what fits 32 bits.
TEST(RowUnits, AreSplitInTheLargestDropletsToo) {
  const std::uint64_t n_units = RowUnits{rows_of(8'000'000)}.count();
  const UnitSplit split = split_units(n_units, 2112, 4);
  EXPECT_EQ(split.begin(split.n_warps), n_units);
  EXPECT_LE(split.n_warps, 1U << 21U);
  const double share = static_cast<double>(n_units) / split.n_warps;
  for (std::uint32_t w = 0; w < split.n_warps; w += split.n_warps / 1000)
    ASSERT_NEAR(static_cast<double>(split.begin(w + 1) - split.begin(w)), share, 1.0);
}

}  // namespace
}  // namespace dropmd
