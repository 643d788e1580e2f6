#include "neighbor/spatial_order.h"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <algorithm>
#include <numeric>

namespace dropmd {
namespace {

/// Bits k of x, y, z are bits 3k, 3k + 1, 3k + 2 of the key; compares one bit at a time, from the top.
bool morton_less(const std::array<std::uint32_t, 3>& a, const std::array<std::uint32_t, 3>& b) {
  for (int bit = 31; bit >= 0; --bit)
    for (const std::size_t axis : {std::size_t{2}, std::size_t{1}, std::size_t{0}}) {
      const std::uint32_t bit_a = (a[axis] >> bit) & 1U, bit_b = (b[axis] >> bit) & 1U;
      if (bit_a != bit_b) return bit_a < bit_b;
    }
  return false;
}

/// The definition: a stable sort by position on the Morton curve, counted from the lowest cells.
std::vector<std::uint32_t> sorted_by_definition(const std::vector<CellIndex>& cells) {
  std::vector<std::uint32_t> order(cells.size());
  std::iota(order.begin(), order.end(), 0U);
  if (cells.empty()) return order;
  CellIndex low = cells[0];
  for (const CellIndex& c : cells) low = {std::min(low.x, c.x), std::min(low.y, c.y), std::min(low.z, c.z)};
  const auto above = [&](std::uint32_t i) {
    const auto count = [](std::int32_t c, std::int32_t l) { return static_cast<std::uint32_t>(std::int64_t{c} - l); };
    return std::array<std::uint32_t, 3>{count(cells[i].x, low.x), count(cells[i].y, low.y), count(cells[i].z, low.z)};
  };
  std::stable_sort(order.begin(), order.end(),
                   [&](std::uint32_t i, std::uint32_t j) { return morton_less(above(i), above(j)); });
  return order;
}

constexpr auto kLargest = static_cast<std::int32_t>(kLargestCellIndex);

rc::Gen<std::vector<CellIndex>> cells_within(std::int32_t extent) {
  const auto coordinate = rc::gen::inRange(-extent, extent + 1);
  return rc::gen::container<std::vector<CellIndex>>(rc::gen::construct<CellIndex>(coordinate, coordinate, coordinate));
}

RC_GTEST_PROP(SpatialOrder, IsAStableSortByMortonKeyInADroplet, ()) {
  const auto cells = *cells_within(6);
  RC_ASSERT(spatial_order(cells) == sorted_by_definition(cells));
}

RC_GTEST_PROP(SpatialOrder, IsAStableSortByMortonKeyOverAllSpace, ()) {
  const auto cells = *cells_within(kLargest);
  RC_ASSERT(spatial_order(cells) == sorted_by_definition(cells));
}

RC_GTEST_PROP(SpatialOrder, DoesNotDependOnWhereTheDropletIs, ()) {
  auto cells = *cells_within(50);
  const auto order = spatial_order(cells);
  const auto by = *rc::gen::inRange(-1000000, 1000000);
  for (CellIndex& c : cells) c += CellIndex{by, -by, by};
  RC_ASSERT(spatial_order(cells) == order);
}

TEST(SpatialOrder, EmptyAndExtremes) {
  EXPECT_TRUE(spatial_order({}).empty());
  const std::vector<CellIndex> corners{{kLargest, kLargest, kLargest},
                                       {-kLargest, -kLargest, -kLargest},
                                       {0, 0, 0},
                                       {kLargest, -kLargest, 0},
                                       {kLargest, kLargest, kLargest}};
  EXPECT_EQ(spatial_order(corners), sorted_by_definition(corners));
}

}  // namespace
}  // namespace dropmd
