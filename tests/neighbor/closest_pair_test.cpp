#include "neighbor/closest_pair.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "tests/support/random_droplets.h"

namespace dropmd {
namespace {

AtomPair closest_of_all(const std::vector<Vec3<double>>& position) {
  AtomPair closest{0, 0, 1e300};
  for (std::uint32_t i = 0; i < position.size(); ++i)
    for (std::uint32_t j = i + 1; j < position.size(); ++j)
      if (const double r = norm(position[i] - position[j]); r < closest.distance) closest = {i, j, r};
  return closest;
}

TEST(ClosestPair, IsThatOfAllPairs) {
  for (const Regime regime : kAllRegimes)
    for (std::uint32_t seed = 0; seed < 5; ++seed) {
      SCOPED_TRACE(name_of(regime));
      const auto position = random_droplet(regime, 200, seed).position;
      const AtomPair expected = closest_of_all(position);
      for (const double limit : {expected.distance * 1.0000001, expected.distance * 2, expected.distance * 50}) {
        const auto found = closest_pair_within(position, limit);
        ASSERT_TRUE(found.has_value());
        EXPECT_EQ(found->first, expected.first);
        EXPECT_EQ(found->second, expected.second);
        EXPECT_EQ(found->distance, expected.distance);
      }
      EXPECT_FALSE(closest_pair_within(position, expected.distance).has_value()) << "nearer than the limit, not at it";
    }
}

TEST(ClosestPair, IsOneThatCounts) {
  const std::vector<Vec3<double>> position{{0, 0, 0}, {1, 0, 0}, {1, 1.5, 0}, {9, 9, 9}};
  const auto counts = [](const AtomPair& pair) { return pair.first != 0 || pair.second != 1; };
  const auto found = closest_pair_within(position, 4, counts);
  ASSERT_TRUE(found.has_value());
  EXPECT_EQ(found->first, 1U);
  EXPECT_EQ(found->second, 2U);
  EXPECT_FALSE(closest_pair_within(position, 1.2, counts).has_value());
}

TEST(ClosestPair, AtomsAtOnePlace) {
  const std::vector<Vec3<double>> position{{1, 1, 1}, {4, 4, 4}, {1e9, 0, 0}, {4, 4, 4}};
  const auto found = closest_pair_within(position, 1e-9);
  ASSERT_TRUE(found.has_value());
  EXPECT_EQ(found->first, 1U);
  EXPECT_EQ(found->second, 3U);
  EXPECT_EQ(found->distance, 0);
}

TEST(ClosestPair, FewAtoms) {
  EXPECT_FALSE(closest_pair_within({}, 1.0).has_value());
  EXPECT_FALSE(closest_pair_within(std::vector<Vec3<double>>{{1, 2, 3}}, 1.0).has_value());
}

TEST(NearestNeighbor, IsFoundAmongAll) {
  const std::vector<Vec3<double>> position{{0, 0, 0}, {5, 0, 0}, {0, 1, 0}, {1e9, 0, 0}};
  EXPECT_EQ(nearest_neighbor(position, 0)->second, 2U);
  EXPECT_EQ(nearest_neighbor(position, 3)->second, 1U);
  EXPECT_EQ(nearest_neighbor(position, 0)->distance, 1.0);
  EXPECT_FALSE(nearest_neighbor(std::vector<Vec3<double>>{{0, 0, 0}}, 0).has_value());
}

}  // namespace
}  // namespace dropmd
