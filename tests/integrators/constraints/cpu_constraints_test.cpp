#include "integrators/constraints/cpu_constraints.h"

#include <gtest/gtest.h>

#include "tests/integrators/constraints/test_clusters.h"

/// Many clusters at once, on any number of threads.
namespace dropmd {
namespace {

struct Mixture {
  explicit Mixture(std::size_t n_clusters) {
    RandomVectors random(n_clusters);
    const auto kinds = all_clusters();
    for (std::size_t i = 0; i < n_clusters; ++i) {
      const TestCluster& kind = kinds[i % 3 == 0 ? kinds.size() - 1 : (i / 3) % kinds.size()];
      append(kind, random.turned(kind.position, random.vector(20)), topology, position, mass);
    }
    moved = position + random.vectors(position.size(), 0.02);
    velocity = random.vectors(position.size(), 0.01);
  }
  Topology topology;
  Positions position, moved, velocity;
  std::vector<double> mass;
};

class NumbersOfClusters : public testing::TestWithParam<std::size_t> {};

TEST_P(NumbersOfClusters, ConstraintsHoldAndThreadsChangeNothing) {
  const Mixture mixture(GetParam());
  const CpuConstraints constraints(plan_constraints(mixture.topology, mixture.mass));
  EXPECT_EQ(constraints.plan().n_clusters(), GetParam());
  std::vector<Positions> first;
  for (const int threads : {1, 2, 7}) {
    Positions x = mixture.moved, v = mixture.velocity, f = mixture.velocity;
    EXPECT_FALSE(constraints.positions({threads}, mixture.position, x, v, 0.5));
    const Positions pushed = v;
    EXPECT_FALSE(constraints.velocities({threads}, x, v));
    EXPECT_FALSE(constraints.forces({threads}, x, f));
    if (threads == 1) {
      EXPECT_LT(length_error(mixture.topology, x), 1e-12);
      EXPECT_LT(velocity_along(mixture.topology, x, v), 1e-12);
      first = {x, pushed, v, f};
    } else {
      EXPECT_EQ(first, (std::vector{x, pushed, v, f})) << threads;
    }
  }
}

/// 30,000 waters are enough for every thread to have work.
INSTANTIATE_TEST_SUITE_P(Constraints, NumbersOfClusters,
                         testing::Values(0, 1, 2, 31, 32, 33, 127, 128, 129, 255, 256, 257, 1000, 90000));

TEST(CpuConstraints, TheFirstClusterThatFailsIsReturnedAndTheOthersAreSolved) {
  const Mixture mixture(257);
  const CpuConstraints constraints(plan_constraints(mixture.topology, mixture.mass));
  Positions expected = mixture.moved;
  EXPECT_FALSE(constraints.positions({}, mixture.position, expected, {}, 0));
  for (const int threads : {1, 2, 7}) {
    Positions moved = mixture.moved;
    for (const std::size_t bad : {200U, 57U, 133U}) moved[constraints.plan().atoms_of(bad)[0]] += {100, 0, 0};
    EXPECT_EQ(constraints.positions({threads}, mixture.position, moved, {}, 0), 57U);
    for (std::size_t c = 0; c < 257; ++c) {
      if (c == 200 || c == 57 || c == 133) continue;
      for (const std::uint32_t atom : constraints.plan().atoms_of(c)) EXPECT_EQ(moved[atom], expected[atom]);
    }
  }
}

TEST(CpuConstraints, AtomsWithoutConstraintsStay) {
  Topology topology;
  topology.constraints = {{{1, 2}, 1.0}};
  const CpuConstraints constraints(plan_constraints(topology, std::vector<double>{1, 12, 1, 5}));
  const Positions reference{{0, 0, 0}, {1, 0, 0}, {2, 0, 0}, {9, 9, 9}};
  Positions moved{{0, 0, 1}, {1, 0.1, 0}, {2.1, 0, 0}, {9, 8, 9}}, velocity(4);
  const Positions before = moved;
  EXPECT_FALSE(constraints.positions({}, reference, moved, velocity, 1));
  EXPECT_EQ(moved[0], before[0]);
  EXPECT_EQ(moved[3], before[3]);
  EXPECT_EQ(velocity[0], Vec3<double>{});
  EXPECT_EQ(velocity[3], Vec3<double>{});
  EXPECT_NE(moved[1], before[1]);
}

}  // namespace
}  // namespace dropmd
