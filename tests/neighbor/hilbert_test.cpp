#include "neighbor/hilbert.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cstdlib>
#include <vector>

namespace dropmd {
namespace {

struct PlacedCell {
  std::uint64_t key;
  std::array<int, 3> cell;
};

/// An aligned cube is one section of the curve: its cells have consecutive keys, and each shares a face with the next.
TEST(HilbertKey, GoesFromCellToNeighbouringCell) {
  constexpr int kEdge = 16;
  for (const int corner : {0, kEdge, 1 << 20, (1 << 21) - kEdge}) {
    std::vector<PlacedCell> cells;
    for (int x = 0; x < kEdge; ++x)
      for (int y = 0; y < kEdge; ++y)
        for (int z = 0; z < kEdge; ++z) {
          const std::array<int, 3> cell{corner + x, corner + y, z};
          cells.push_back({hilbert_key(static_cast<std::uint32_t>(cell[0]), static_cast<std::uint32_t>(cell[1]),
                                       static_cast<std::uint32_t>(cell[2])),
                           cell});
        }
    std::sort(cells.begin(), cells.end(), [](const PlacedCell& a, const PlacedCell& b) { return a.key < b.key; });
    for (std::size_t i = 1; i < cells.size(); ++i) {
      ASSERT_EQ(cells[i].key, cells[i - 1].key + 1) << corner;
      int steps = 0;
      for (std::size_t axis = 0; axis < 3; ++axis) steps += std::abs(cells[i].cell[axis] - cells[i - 1].cell[axis]);
      ASSERT_EQ(steps, 1) << corner;
    }
  }
}

TEST(HilbertKey, UsesSixtyThreeBits) {
  std::uint64_t largest = 0;
  constexpr std::uint32_t kLast = (1U << 21U) - 1;
  for (const std::uint32_t x : {0U, kLast})
    for (const std::uint32_t y : {0U, kLast})
      for (const std::uint32_t z : {0U, kLast}) largest = std::max(largest, hilbert_key(x, y, z));
  EXPECT_EQ(largest, (std::uint64_t{1} << 63U) - 1);  // the curve ends in a corner
}

}  // namespace
}  // namespace dropmd
