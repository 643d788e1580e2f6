#include "neighbor/cells/sorted_cells.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <set>
#include <tuple>

#include "tests/support/random_droplets.h"

namespace dropmd {
namespace {

constexpr double kStep = 0.25;

/// The cells of a droplet, their frames and their sorted atoms.
struct Sorted {
  CellGrid grid;
  std::vector<CellFrame> frames;
  SortedCells cells;

  Sorted(const std::vector<Vec3<double>>& position, double edge, int threads = 1)
      : grid(position, central_anchor(position, kStep), edge),
        frames(cell_frames(Cpu{threads}, grid, position, kStep)) {
    cells.sort(Cpu{threads}, grid, frames, position);
  }
};

double projection(const Sorted& sorted, std::uint32_t cell, std::uint32_t axis, const Vec3<double>& x) {
  const Vec3<double> d = x - sorted.frames[cell].centre;
  const CellIndex& a = kCellAxis[axis];
  return a.x * d.x + a.y * d.y + a.z * d.z;
}

/// Expects of every sorted array that it holds all atoms of the cell once, ascending, and each projection within its
/// error. Returns the number of arrays.
int expect_sorted(const Sorted& sorted, const std::vector<Vec3<double>>& position) {
  int arrays = 0;
  for (std::uint32_t c = 0; c < sorted.grid.cells().size(); ++c)
    for (std::uint32_t axis = 0; axis < kCellAxes; ++axis) {
      const Cell& cell = sorted.grid.cells()[c];
      const auto order = sorted.cells.order(c, axis);
      const auto along = sorted.cells.along(c, axis);
      if (order.empty()) continue;
      ++arrays;
      EXPECT_EQ(order.size(), cell.end - cell.begin);
      EXPECT_EQ(std::set<std::uint32_t>(order.begin(), order.end()).size(), order.size());
      EXPECT_TRUE(std::is_sorted(along.begin(), along.end()));
      const double error = sorted.cells.error(c, axis);
      for (std::size_t k = 0; k < order.size(); ++k) {
        const std::uint32_t atom = sorted.grid.order()[cell.begin + order[k]];
        EXPECT_NEAR(along[k], projection(sorted, c, axis, position[atom]), error);
        if (::testing::Test::HasFailure()) return arrays;
      }
    }
  return arrays;
}

TEST(CellAxes, GoToEachNeighbourOrComeFromIt) {
  std::set<std::tuple<int, int, int>> neighbours;
  for (const CellIndex& a : kCellAxis) {
    neighbours.insert({a.x, a.y, a.z});
    neighbours.insert({-a.x, -a.y, -a.z});
  }
  EXPECT_EQ(neighbours.size(), 26U);
  EXPECT_EQ(neighbours.count({0, 0, 0}), 0U);
  EXPECT_DOUBLE_EQ(cell_axis_length(2), 1);
  EXPECT_DOUBLE_EQ(cell_axis_length(3), std::sqrt(2.0));
  EXPECT_DOUBLE_EQ(cell_axis_length(12), std::sqrt(3.0));
}

TEST(SortedCells, HoldEachCellsAtomsByTheirProjections) {
  for (const Regime regime : kAllRegimes) {
    SCOPED_TRACE(name_of(regime));
    const std::vector<Vec3<double>> position = random_droplet(regime, 700, 3).position;
    const Sorted sorted(position, 2.5);
    EXPECT_GE(expect_sorted(sorted, position), static_cast<int>(sorted.grid.cells().size()));
  }
}

/// The error is the quantum of 16 bits over a cell's diagonal, which widens the range of a pair's projections very
/// little.
TEST(SortedCells, ErrByLessThanATenThousandthOfTheirEdge) {
  const std::vector<Vec3<double>> position = random_droplet(Regime::liquid, 3000, 4).position;
  const Sorted sorted(position, 5.0);
  for (std::uint32_t c = 0; c < sorted.grid.cells().size(); ++c)
    for (std::uint32_t axis = 0; axis < kCellAxes; ++axis) EXPECT_LT(sorted.cells.error(c, axis), 1e-4 * 5.0);
}

TEST(SortedCells, AreSortedOnlyAlongAxesToOccupiedCells) {
  const std::vector<Vec3<double>> position{{0.5, 0.5, 0.5}, {0.6, 0.5, 0.5}, {1.5, 1.5, 0.5}};
  const Sorted sorted(position, 1.0);
  ASSERT_EQ(sorted.grid.cells().size(), 2U);
  const std::uint32_t low = sorted.grid.cells()[0].end == 2 ? 0 : 1;
  for (std::uint32_t axis = 0; axis < kCellAxes; ++axis) {
    const bool wanted = axis == SortedCells::kOwnAxis || kCellAxis[axis] == CellIndex{1, 1, 0};
    EXPECT_EQ(sorted.cells.order(low, axis).size(), wanted ? 2U : 0U) << axis;
    EXPECT_EQ(sorted.cells.order(1 - low, axis).size(), wanted ? 1U : 0U) << axis;
  }
}

/// More atoms than 16 bits of a packed word can count.
TEST(SortedCells, OfMoreAtomsThanAPackedWordCountsAreSortedInFull) {
  std::vector<Vec3<double>> position;
  for (int i = 0; i < 70'000; ++i)
    position.push_back({std::fmod(0.618 * i, 1.0), std::fmod(0.414 * i, 1.0), std::fmod(0.732 * i, 1.0)});
  const Sorted sorted(position, 100.0, 2);
  EXPECT_GE(expect_sorted(sorted, position), 1);
  EXPECT_LT(sorted.cells.error(0, 0), 1e-5);
}

/// Cells so long that squared offsets overflow fp32: no error bound is known then, and the list leaves out no pair.
TEST(SortedCells, ErrWithoutBoundWhereOffsetsHaveNoSquares) {
  std::vector<Vec3<double>> position = random_droplet(Regime::liquid, 20, 5).position;
  position[0] = {1e30, 0, 0};
  position[1] = {3e30, 0, 0};
  position[2].x = std::numeric_limits<double>::quiet_NaN();
  const Sorted sorted(position, 1e31);
  double largest = 0;
  for (std::uint32_t c = 0; c < sorted.grid.cells().size(); ++c) largest = std::max(largest, sorted.cells.error(c, 0));
  EXPECT_TRUE(std::isinf(largest));
}

}  // namespace
}  // namespace dropmd
