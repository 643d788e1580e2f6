#include "neighbor/cells/cell_grid.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <limits>
#include <random>
#include <set>

#include "tests/support/random_droplets.h"

namespace dropmd {
namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();
constexpr double kNan = std::numeric_limits<double>::quiet_NaN();

bool is_plain(const CellIndex& c) {
  return std::max({std::abs(c.x), std::abs(c.y), std::abs(c.z)}) <= kLargestPlainIndex;
}

/// Every atom appears once, in the cell of its position. Cells are distinct, not empty, and found by their index;
/// absent ones are not found.
void expect_consistent(const std::vector<Vec3<double>>& position, const CellGrid& grid) {
  const CellGridView view = grid.view();
  std::vector<bool> seen(position.size(), false);
  std::uint32_t next = 0;
  for (std::uint32_t c = 0; c < grid.cells().size(); ++c) {
    const Cell& cell = grid.cells()[c];
    ASSERT_EQ(cell.begin, next);
    ASSERT_LT(cell.begin, cell.end);
    next = cell.end;
    EXPECT_EQ(view.find(cell.index), c);
    for (std::uint32_t k = cell.begin; k < cell.end; ++k) {
      const std::uint32_t i = grid.order()[k];
      EXPECT_FALSE(seen[i]);
      seen[i] = true;
      const CellIndex index = cell_index(position[i] - grid.anchor(), 1.0 / grid.edge());
      EXPECT_TRUE(!is_plain(index) || index == cell.index);
      EXPECT_TRUE(k == cell.begin || grid.order()[k - 1] < i) << "atoms of a cell go by number";
    }
  }
  EXPECT_EQ(next, position.size());
  const auto occupied = [&](const CellIndex& index) {
    return std::any_of(grid.cells().begin(), grid.cells().end(), [&](const Cell& c) { return c.index == index; });
  };
  for (std::size_t c = 0; c < std::min<std::size_t>(grid.cells().size(), 40); ++c)
    for (const CellIndex& step : {CellIndex{1, 0, 0}, CellIndex{0, -1, 0}, CellIndex{2, 2, -2}}) {
      const CellIndex there = grid.cells()[c].index + step;
      EXPECT_EQ(view.find(there) != kNoCell, occupied(there));
    }
}

TEST(CellGrid, EveryRegime) {
  for (const Regime regime : kAllRegimes)
    for (const std::size_t n : {std::size_t{1}, std::size_t{2}, std::size_t{700}}) {
      SCOPED_TRACE(name_of(regime));
      const auto position = random_droplet(regime, n, 1).position;
      expect_consistent(position, CellGrid(position, central_anchor(position, 0.5), 1.3));
    }
}

/// Enough atoms for every thread to get a share.
TEST(CellGrid, IsTheSameForEveryNumberOfThreads) {
  std::mt19937 random(5);
  std::uniform_real_distribution<double> place(-40, 40);
  std::vector<Vec3<double>> position(150'000);
  for (Vec3<double>& x : position) x = {place(random), place(random), place(random)};
  const CellGrid one(position, {}, 1.7, Cpu{1});
  for (const int threads : {2, 3, 8}) {
    const CellGrid grid(position, {}, 1.7, Cpu{threads});
    EXPECT_TRUE(std::ranges::equal(grid.order(), one.order())) << threads;
    ASSERT_EQ(grid.cells().size(), one.cells().size());
    for (std::size_t c = 0; c < one.cells().size(); ++c) {
      EXPECT_EQ(grid.cells()[c].index, one.cells()[c].index);
      EXPECT_EQ(grid.cells()[c].begin, one.cells()[c].begin);
    }
  }
}

TEST(CellGrid, NoAtoms) {
  const CellGrid grid({}, {}, 1.0);
  EXPECT_TRUE(grid.cells().empty());
  EXPECT_EQ(grid.view().find({0, 0, 0}), kNoCell);
}

TEST(CellGrid, NothingIsTooFarForIt) {
  const std::vector<Vec3<double>> position{{0, 0, 0},       {1e6, 0, 0},        {-1e6, 5, 5}, {1e300, -1e300, 1e300},
                                           {1e301, 0, 0},   {kInfinity, 0, 0},  {kNan, 0, 0}, {0, kNan, -kInfinity},
                                           {0.1, 0.1, 0.1}, {1e12, 1e12, -1e12}};
  const CellGrid grid(position, {}, 1.5);
  expect_consistent(position, grid);
  EXPECT_EQ(grid.view().cells[grid.view().find({0, 0, 0})].end - grid.view().cells[grid.view().find({0, 0, 0})].begin,
            2U);
}

/// Indices of cells differ by their true distance where that is less than 64, and by at least 64 where it is more. This
/// holds across the end of the plain indices and beyond it.
TEST(CellGrid, FarCellsKeepTheirNeighbors) {
  std::vector<Vec3<double>> position;
  const double end = kLargestPlainIndex;
  for (const double cell : {0.0, end - 1, end, end + 1, end + 2, end + 60, end + 200, 1e10, 1e10 + 1, 1e12 - 63, 1e12})
    for (const double side : {-1.0, 1.0}) {
      position.push_back({side * (cell + 0.5), 0.5, 0.5});
      position.push_back({0.5, 0.5, side * (cell + 0.5)});
    }
  const CellGrid grid(position, {}, 1.0);
  expect_consistent(position, grid);
  std::vector<CellIndex> index(position.size());
  for (const Cell& cell : grid.cells())
    for (std::uint32_t k = cell.begin; k < cell.end; ++k) index[grid.order()[k]] = cell.index;
  int near = 0;
  for (std::size_t i = 0; i < position.size(); ++i)
    for (std::size_t j = 0; j < i; ++j) {
      const double x = std::floor(position[i].x) - std::floor(position[j].x);
      if (std::abs(x) < 64) {
        EXPECT_EQ(index[i].x - index[j].x, x) << position[i].x << ' ' << position[j].x;
        if (x != 0) ++near;
      } else {
        EXPECT_GE(std::abs(index[i].x - index[j].x), 64);
      }
      EXPECT_EQ(index[i].y, index[j].y);
      EXPECT_EQ(index[i].z < index[j].z, std::floor(position[i].z) < std::floor(position[j].z));
    }
  EXPECT_GT(near, 20);
}

TEST(CellGrid, CoordinatesSaturate) {
  const auto largest = static_cast<std::int32_t>(kLargestCellIndex);
  EXPECT_EQ(cell_coordinate(1e300, 1.0), largest);
  EXPECT_EQ(cell_coordinate(-1e300, 1.0), -largest);
  EXPECT_EQ(cell_coordinate(kInfinity, 1.0), largest);
  EXPECT_EQ(cell_coordinate(kNan, 1.0), -largest);
  EXPECT_EQ(cell_coordinate(-0.5, 1.0), -1);
  EXPECT_EQ(cell_coordinate(0.0, 1.0), 0);
  EXPECT_EQ(cell_coordinate(kLargestCellIndex, 1.0), largest);
}

/// 1,000 atoms spread over 1e9 need no more cells and no larger table than any other 1,000 atoms.
TEST(CellGrid, MemoryGoesWithTheAtoms) {
  AtomPlacer placer(1);
  while (placer.size() < 1000) placer.try_add(placer.in_cube(1e9));
  const auto position = placer.take().position;
  const CellGrid grid(position, {}, 1.0);
  EXPECT_LE(grid.cells().size(), 1000U);
  EXPECT_LE(grid.view().table_mask + 1, 4096U);
}

TEST(CellGrid, TheAnchorIsWhereCoordinatesHaveDigits) {
  const auto position = moved(uniform_atoms(300, 1.8, 1), {1e12, 1e8, 0}).position;
  const Vec3<double> anchor = central_anchor(position, 0.25);
  EXPECT_EQ(anchor.x, 0);
  EXPECT_NEAR(anchor.y, 1e8, 20);
}

TEST(CellGrid, TheAnchorIsAmongTheAtomsAndAMultipleOfTheStep) {
  auto position = moved(uniform_atoms(3000, 1.8, 1), {1e7, -55, 3}).position;
  for (std::size_t i = 0; i < 1000; ++i) position[3 * i] = {1e15, kNan, -kInfinity};  // a third of the atoms is lost
  const Vec3<double> anchor = central_anchor(position, 0.25);
  EXPECT_NEAR(anchor.x, 1e7, 20);
  EXPECT_NEAR(anchor.y, -55, 20);
  EXPECT_NEAR(anchor.z, 3, 20);
  for (const double c : {anchor.x, anchor.y, anchor.z}) EXPECT_EQ(std::fmod(c, 0.25), 0);
  EXPECT_EQ(central_anchor({}, 1.0), (Vec3<double>{}));
}

}  // namespace
}  // namespace dropmd
