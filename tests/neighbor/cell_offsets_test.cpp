#include "neighbor/cells/cell_offsets.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

namespace dropmd {
namespace {

/// Whether two unit cells with this offset between their indices hold points nearer than `distance`; their nearest
/// corners decide.
bool is_within(const CellIndex& offset, double distance) {
  double gap2 = 0;
  for (const int n : {offset.x, offset.y, offset.z}) {
    const double gap = std::max(0, std::abs(n) - 1);
    gap2 += gap * gap;
  }
  return std::sqrt(gap2) < distance;
}

TEST(OffsetsWithin, AreThoseOfACube) {
  for (const double edge : {0.3, 1.0, 2.5})
    for (const double cells : {0.2, 0.999, 1.0, 1.001, 1.5, 2.0, 2.3, 3.7}) {
      SCOPED_TRACE(cells);
      std::vector<CellIndex> expected;
      for (int x = -7; x <= 7; ++x)
        for (int y = -7; y <= 7; ++y)
          for (int z = -7; z <= 7; ++z)
            if (is_within({x, y, z}, cells)) expected.push_back({x, y, z});
      const auto found = offsets_within(edge, cells * edge, 100000);
      ASSERT_TRUE(found.has_value());
      const bool whole = cells == 1.0 || cells == 2.0;  // distance/edge may round either way
      EXPECT_TRUE(whole || *found == expected);
      for (const CellIndex& offset : expected) EXPECT_EQ(std::count(found->begin(), found->end(), offset), 1);
    }
}

TEST(OffsetsWithin, NothingBeyondTheLimit) {
  EXPECT_EQ(offsets_within(1.0, 0.5, 27)->size(), 27U);
  EXPECT_FALSE(offsets_within(1.0, 0.5, 26).has_value());
  EXPECT_FALSE(offsets_within(1.0, 1e9, 1000000).has_value());
  EXPECT_FALSE(offsets_within(1.0, std::numeric_limits<double>::infinity(), 1000000).has_value());
  EXPECT_FALSE(offsets_within(1.0, 1.0, 0).has_value());
}

}  // namespace
}  // namespace dropmd
