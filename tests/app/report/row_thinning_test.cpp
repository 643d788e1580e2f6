#include "app/report/row_thinning.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>
#include <vector>

namespace dropmd {
namespace {

/// Rows of step, time and two values with one spike each.
RowThinning thinned(std::uint64_t n, std::size_t most) {
  RowThinning thinning(4, 2, most);
  for (std::uint64_t k = 0; k < n; ++k) {
    const double step = static_cast<double>(k);
    const double a = k == n / 3 ? 1e6 : std::sin(0.37 * step), b = k == n / 2 ? -1e6 : std::cos(0.11 * step);
    thinning.add(std::vector<double>{step, 2 * step, a, b});
  }
  return thinning;
}

bool has(const std::vector<double>& values, double value) {
  return std::find(values.begin(), values.end(), value) != values.end();
}

TEST(RowThinning, KeepsEveryRowOfAShortTable) {
  const auto columns = thinned(500, 1000).columns();
  ASSERT_EQ(columns.size(), 4U);
  ASSERT_EQ(columns[0].size(), 500U);
  for (std::size_t k = 0; k < 500; ++k) EXPECT_EQ(columns[0][k], static_cast<double>(k));
}

TEST(RowThinning, KeepsExtremesFirstAndLastRowsOfALongOne) {
  for (const std::uint64_t n : {1001U, 4000U, 77'777U}) {
    const RowThinning thinning = thinned(n, 1000);
    EXPECT_EQ(thinning.rows(), n);
    const auto columns = thinning.columns();
    EXPECT_LE(columns[0].size(), 1002U);
    EXPECT_GE(columns[0].size(), 200U) << n;
    EXPECT_TRUE(has(columns[2], 1e6)) << n;
    EXPECT_TRUE(has(columns[3], -1e6)) << n;
    EXPECT_EQ(columns[0].front(), 0);
    EXPECT_EQ(columns[0].back(), static_cast<double>(n - 1));
    EXPECT_TRUE(std::is_sorted(columns[0].begin(), columns[0].end()));
    for (std::size_t k = 0; k < columns[0].size(); ++k)
      EXPECT_EQ(columns[1][k], 2 * columns[0][k]) << "rows stay whole";
  }
}

/// Each stretch of a curve keeps its own extremes, not only the table as a whole.
TEST(RowThinning, KeepsThePeakOfEveryStretch) {
  RowThinning thinning(3, 2, 400);
  constexpr int kRows = 100'000, kPeriod = 5000;
  for (int k = 0; k < kRows; ++k) {
    const double step = k;
    thinning.add(std::vector<double>{step, step, k % kPeriod == kPeriod / 2 ? 1.0 : 0.0});
  }
  const auto columns = thinning.columns();
  EXPECT_EQ(std::count(columns[2].begin(), columns[2].end(), 1.0), kRows / kPeriod);
}

TEST(RowThinning, PassesOverNan) {
  constexpr double kNan = std::numeric_limits<double>::quiet_NaN();
  RowThinning thinning(3, 2, 100);
  for (int k = 0; k < 10'000; ++k) {
    const double step = k;
    thinning.add(std::vector<double>{step, step, k == 5000 ? 3.0 : kNan});
  }
  const auto columns = thinning.columns();
  EXPECT_TRUE(has(columns[2], 3.0));
  EXPECT_EQ(columns[0].front(), 0);
  EXPECT_EQ(columns[0].back(), 9999);
}

TEST(RowThinning, OfNoRowsIsEmpty) {
  const RowThinning thinning(3, 2, 100);
  EXPECT_EQ(thinning.rows(), 0U);
  const auto columns = thinning.columns();
  ASSERT_EQ(columns.size(), 3U);
  EXPECT_TRUE(columns[0].empty());
}

}  // namespace
}  // namespace dropmd
