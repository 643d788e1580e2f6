#include "neighbor/lists/atom_clusters.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <limits>

#include "tests/support/random_droplets.h"

namespace dropmd {
namespace {

constexpr double kNoLimit = std::numeric_limits<double>::infinity();

TEST(AtomClusters, HoldEveryAtomOnceInsideTheirBoxes) {
  for (const Regime regime : kAllRegimes)
    for (const std::size_t n : {0, 1, 2, 7, 8, 9, 255, 256, 257, 1000, 5000})
      for (const std::uint32_t width : {4U, 8U, 16U}) {
        SCOPED_TRACE(std::string(name_of(regime)) + ", n = " + std::to_string(n) + ", width " + std::to_string(width));
        constexpr double kExtent = 4;
        const ChargedAtoms atoms = random_droplet(regime, n, 1);
        const AtomClusters clusters = make_clusters(Cpu{1}, atoms.position, width, kExtent);
        std::vector<int> seen(n, 0);
        for (std::uint32_t c = 0; c < clusters.size(); ++c) {
          const Box& box = clusters.box[c];
          ASSERT_GE(clusters.count[c], 1U);
          ASSERT_LE(clusters.count[c], width);
          for (const std::uint32_t i : clusters.atoms_of(c)) {
            ++seen.at(i);
            const Vec3<double>& x = atoms.position[i];
            EXPECT_TRUE(x.x >= box.low.x && x.y >= box.low.y && x.z >= box.low.z);
            EXPECT_TRUE(x.x <= box.high.x && x.y <= box.high.y && x.z <= box.high.z);
          }
          for (std::uint32_t lane = clusters.count[c]; lane < width; ++lane)
            EXPECT_EQ(clusters.atom[std::size_t{c} * width + lane], kNoAtom);
          const Vec3<double> side = box.high - box.low;
          EXPECT_LE(std::max({side.x, side.y, side.z}), kExtent);
        }
        EXPECT_TRUE(std::all_of(seen.begin(), seen.end(), [](int times) { return times == 1; }));
      }
}

TEST(AtomClusters, GroupsFollowEachOtherAndHoldAllClusters) {
  for (const std::size_t n : {0, 1, 256, 257, 5000}) {
    const AtomClusters clusters = make_clusters(Cpu{1}, random_droplet(Regime::sparse, n, 2).position, 8, 4.0);
    std::uint32_t next = 0;
    for (const ClusterGroup& group : clusters.groups) {
      EXPECT_EQ(group.begin, next);
      EXPECT_LT(group.begin, group.end);
      std::uint32_t atoms = 0;
      for (std::uint32_t c = group.begin; c < group.end; ++c) atoms += clusters.count[c];
      EXPECT_LE(atoms, AtomClusters::kGroupAtoms);
      next = group.end;
    }
    EXPECT_EQ(next, clusters.size());
  }
}

/// Otherwise most lanes would compute nothing.
TEST(AtomClusters, AllButOneAreFullWhereNoneIsTooLong) {
  for (const std::size_t n : {9, 255, 1000, 5000}) {
    const AtomClusters clusters = make_clusters(Cpu{1}, random_droplet(Regime::liquid, n, 3).position, 8, kNoLimit);
    EXPECT_EQ(clusters.size(), (n + 7) / 8);
  }
}

TEST(AtomClusters, AreTheSameForEveryNumberOfThreads) {
  const ChargedAtoms atoms = random_droplet(Regime::liquid, 20'000, 4);
  const AtomClusters one = make_clusters(Cpu{1}, atoms.position, 8, 4.0);
  for (const int threads : {2, 5}) EXPECT_EQ(make_clusters(Cpu{threads}, atoms.position, 8, 4.0).atom, one.atom);
}

TEST(AtomClusters, TakeAnyNumberForACoordinate) {
  const double nan = std::numeric_limits<double>::quiet_NaN(), huge = std::numeric_limits<double>::max();
  std::vector<Vec3<double>> position = random_droplet(Regime::liquid, 300, 5).position;
  position[10] = {nan, 0, 0};
  position[20] = {0, kNoLimit, -kNoLimit};
  position[30] = {huge, -huge, huge};
  position[40] = {-huge, huge, -huge};
  const AtomClusters clusters = make_clusters(Cpu{1}, position, 8, 4.0);
  std::size_t atoms = 0;
  for (const std::uint32_t count : clusters.count) atoms += count;
  EXPECT_EQ(atoms, position.size());
}

TEST(AtomClusters, SplitAtomsAtOnePlaceByNumber) {
  const AtomClusters clusters = make_clusters(Cpu{1}, std::vector<Vec3<double>>(20, {1, 2, 3}), 8, 4.0);
  ASSERT_EQ(clusters.size(), 3U);
  EXPECT_EQ(clusters.count.back(), 4U);
}

}  // namespace
}  // namespace dropmd
