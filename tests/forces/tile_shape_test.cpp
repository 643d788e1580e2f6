#include "forces/pair/cuda/all_pairs/tile_shape.h"

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
  const std::vector<std::uint32_t> shares = block_shares(RowUnits{rows_of(0)}.count(), 2112, 4);
  ASSERT_EQ(shares.size(), 1U);
  for (const WarpUnits& w : deal_units(RowUnits{0}, shares, 4)) EXPECT_EQ(w.count, 0U);
}

TEST(RowUnits, AreDealtOutCompletelyAndInOrder) {
  constexpr std::uint32_t kWarps = 4;
  for (const std::uint32_t n_atoms : {1U, 128U, 129U, 1000U, 4139U, 16'384U, 32'768U, 100'000U})
    for (const std::uint32_t resident_warps : {16U, 2112U}) {
      SCOPED_TRACE(std::to_string(n_atoms) + " atoms on " + std::to_string(resident_warps) + " warps");
      const RowUnits units{rows_of(n_atoms)};
      const std::vector<std::uint32_t> shares = block_shares(units.count(), resident_warps, kWarps);
      std::vector<WarpUnits> dealt = deal_units(units, shares, kWarps);
      ASSERT_EQ(dealt.size(), shares.size() * kWarps);
      for (std::size_t w = 0; w < dealt.size(); ++w) ASSERT_LE(dealt[w].count, shares[w / kWarps]);
      std::erase_if(dealt, [](const WarpUnits& w) { return w.count == 0; });
      const auto at = [](const WarpUnits& w) { return std::pair(w.row, w.unit); };
      std::sort(dealt.begin(), dealt.end(), [&](const auto& a, const auto& b) { return at(a) < at(b); });
      WarpUnits next{0, 0, 0};
      for (const WarpUnits& w : dealt) {
        ASSERT_EQ(at(w), at(next));
        next.unit += w.count;
        while (next.row < units.n_rows && next.unit >= units.columns(next.row) * kColumnUnits)
          next.unit -= units.columns(next.row++) * kColumnUnits;
      }
      EXPECT_EQ(next.row, units.n_rows);
      EXPECT_EQ(next.unit, 0U);
    }
}

/// Of droplets that leave a warp a few columns: one round of blocks, as even as units allow.
TEST(RowUnits, FewAreDealtOutEvenly) {
  for (const std::uint32_t n_atoms : {128U, 2113U, 4139U, 10'000U}) {
    const std::uint64_t n_units = RowUnits{rows_of(n_atoms)}.count();
    const std::vector<std::uint32_t> shares = block_shares(n_units, 2112, 4);
    EXPECT_EQ(shares.size(), std::min<std::uint64_t>(n_units, 2112) / 4) << n_atoms;
    const auto [least, most] = std::minmax_element(shares.begin(), shares.end());
    EXPECT_LE(*most - *least, 1U) << n_atoms;
    EXPECT_GE(*least, n_units / std::min<std::uint64_t>(n_units, 2112)) << n_atoms;
  }
}

/// Of others: whole columns, long stretches first, and the last round of blocks has one column a warp.
TEST(RowUnits, ManyAreDealtOutInSharesThatShrink) {
  for (const std::uint32_t n_atoms : {16'384U, 32'768U, 131'072U, 1'000'000U, 8'000'000U}) {
    SCOPED_TRACE(std::to_string(n_atoms) + " atoms");
    const std::uint64_t n_units = RowUnits{rows_of(n_atoms)}.count();
    const std::vector<std::uint32_t> shares = block_shares(n_units, 2112, 4);
    EXPECT_TRUE(std::is_sorted(shares.rbegin(), shares.rend()));
    for (const std::uint32_t share : shares) ASSERT_EQ(share % kColumnUnits, 0U);
    EXPECT_GE(shares.front(), n_atoms < 20'000 ? 12 * kColumnUnits : 32 * kColumnUnits);
    ASSERT_GT(shares.size(), 528U);
    EXPECT_EQ(shares[shares.size() - 528], static_cast<std::uint32_t>(kColumnUnits));
    EXPECT_LE(4 * shares.size(), (1U << 20U) + 100'000U);
    std::uint64_t sum = 0;
    for (const std::uint32_t share : shares) sum += 4 * std::uint64_t{share};
    EXPECT_GE(sum, n_units);
    EXPECT_LT(sum, n_units + 4 * std::uint64_t{kColumnUnits});
  }
}

}  // namespace
}  // namespace dropmd
