#include "neighbor/cells/cell_pairs.cuh"

#include <gtest/gtest.h>

#include <random>
#include <vector>

#include "device/device_info.h"

namespace dropmd {
namespace {

constexpr double kCutoff = 2.5;

/// Atoms at random positions in a cube of ten cutoffs.
std::vector<Vec3<double>> gas(std::uint32_t n) {
  std::mt19937 random(n);
  std::uniform_real_distribution<double> uniform(0, 10 * kCutoff);
  std::vector<Vec3<double>> position(n);
  for (Vec3<double>& x : position) x = {uniform(random), uniform(random), uniform(random)};
  return position;
}

std::uint64_t pairs_within(const std::vector<Vec3<double>>& position) {
  std::uint64_t within = 0;
  for (std::size_t i = 0; i < position.size(); ++i)
    for (std::size_t j = 0; j < i; ++j)
      if (dot(position[i] - position[j], position[i] - position[j]) < kCutoff * kCutoff) ++within;
  return within;
}

CellPairsState state_of(const std::vector<Vec3<double>>& position, double share, bool sorted) {
  const Stream stream(0);
  const Cuda cuda{stream};
  const auto n = static_cast<std::uint32_t>(position.size());
  DeviceBuffer<Vec3<double>> d_position(stream);
  d_position.upload(position);
  CellPairs cells(stream, n, {kCutoff, 0, share * (1 + 1e-6) * kCutoff, sorted}, {0, 0, 0});
  AtomTilesView<float> atoms{};
  atoms.position = d_position.data();
  atoms.n_atoms = n;
  cells.build_now(cuda, atoms);
  return cells.what_was_read();
}

class CellPairsTest : public testing::Test {
 protected:
  void SetUp() override {
    if (const std::string reason = query_devices().reason; !reason.empty()) GTEST_SKIP() << reason;
  }
};

/// Two random atoms in neighbouring cells, with an edge of one cutoff. A volume of 4π/3 of 27 cells is within the
/// cutoff. Sorting along the axes of interaction selects 1 + 6/2 + 12·0.1618 + 8·0.0362 = 6.23 cells' worth (from the
/// density of sums of 2, 4 and 6 uniform numbers), so that 67% of the selected pairs are within the cutoff.
TEST_F(CellPairsTest, SortingLeavesTwoThirdsOfThePairsWithinTheCutoff) {
  const std::vector<Vec3<double>> position = gas(20'000);
  const auto within = static_cast<double>(pairs_within(position));
  const CellPairsState sorted = state_of(position, 1, true), plain = state_of(position, 1, false);
  EXPECT_EQ(sorted.n_cells, plain.n_cells);
  // The margins allow for the faces of the cube, where pairs within and beyond the cutoff are missing in different
  // proportions.
  EXPECT_NEAR(within / static_cast<double>(plain.n_pairs), 0.155, 0.015);
  EXPECT_NEAR(within / static_cast<double>(sorted.n_pairs), 0.672, 0.03);
  EXPECT_GE(within / static_cast<double>(sorted.n_pairs), 0.60);
  // The four atoms of a sub-cluster together share more than each of them needs; random positions are the worst case.
  EXPECT_GT(sorted.n_lanes, sorted.n_pairs);
  EXPECT_LT(sorted.n_lanes, plain.n_pairs / 2);
}

TEST_F(CellPairsTest, CountsCellsAndTheFullestOne) {
  std::vector<Vec3<double>> position(3'000, Vec3<double>{1, 1, 1});
  position.push_back({-50, 3, 1e7});
  const CellPairsState state = state_of(position, 1, true);
  EXPECT_EQ(state.n_cells, 2U);
  EXPECT_EQ(state.longest, 3'000U);
  EXPECT_EQ(state.n_pairs, 3'000ULL * 2'999 / 2);
}

TEST_F(CellPairsTest, SaysWhatToDoWhereACellHoldsMoreThanCanBeSorted) {
  const std::vector<Vec3<double>> position(70'000, Vec3<double>{1, 1, 1});
  try {
    state_of(position, 1, true);
    FAIL() << "no error";
  } catch (const InputError& error) {
    EXPECT_NE(std::string(error.what()).find("--neighbor pair-list"), std::string::npos) << error.what();
  }
  EXPECT_EQ(state_of(position, 1, false).longest, 70'000U);
}

TEST_F(CellPairsTest, RefusesCellsThatAreTooSmall) {
  EXPECT_THROW(state_of(gas(10), 0.05, false), InputError);
  EXPECT_THROW(state_of(gas(10), 0.5, true), InputError) << "sorted";
}

}  // namespace
}  // namespace dropmd
