#include <gtest/gtest.h>

#include <limits>

#include "integrators/constraints/cpu_constraints.h"
#include "tests/integrators/constraints/test_clusters.h"

/// What every solver must do, each through a plan of one cluster.
namespace dropmd {
namespace {

/// A cluster in a random orientation, and the constraints on it.
struct OneCluster {
  OneCluster(const TestCluster& cluster, RandomVectors& random, const Vec3<double>& shift = {}) {
    append(cluster, random.turned(cluster.position, shift), topology, position, mass);
    constraints.emplace(plan_constraints(topology, mass));
  }
  std::size_t size() const { return mass.size(); }

  Topology topology;
  Positions position;
  std::vector<double> mass;
  std::optional<CpuConstraints> constraints;
};

constexpr Vec3<double> kPlace{31.0, -17.0, 55.0};  // Å: a droplet's edge

class EveryCluster : public testing::TestWithParam<TestCluster> {};

/// Moves of 0.02 Å are those of hydrogen at 300 K in a timestep of 2 fs, and those of 0.1 Å far beyond any run's.
TEST_P(EveryCluster, PositionsSatisfyTheConstraints) {
  RandomVectors random(1);
  double worst = 0;
  for (const double move : {1e-6, 0.02, 0.1}) {
    for (int repeat = 0; repeat < 300; ++repeat) {
      const OneCluster one(GetParam(), random, kPlace);
      Positions moved = one.position + random.vectors(one.size(), move);
      ASSERT_FALSE(one.constraints->positions({}, one.position, moved, {}, 0)) << move;
      worst = std::max(worst, length_error(one.topology, moved));
    }
  }
  RecordProperty("worst", testing::PrintToString(worst));
  EXPECT_LT(worst, 1e-12);
}

/// The matrix of two bonds in almost the same direction from a light atom to heavy ones is singular in single
/// precision: its smaller eigenvalue is some 10⁻⁶ of the larger one. Rounding errors of 10⁻¹⁶ grow by up to 10⁶.
TEST(NearlySingularCluster, PositionsSatisfyTheConstraints) {
  constexpr double kAngle = 1e-3;
  const TestCluster cluster{"nearly parallel bonds",
                            {{0, 0, 0}, {1, 0, 0}, {1.2 * std::cos(kAngle), 1.2 * std::sin(kAngle), 0}},
                            {0.001, 12.011, 12.011},
                            {{0, 1}, {0, 2}}};
  RandomVectors random(4);
  for (int repeat = 0; repeat < 100; ++repeat) {
    const OneCluster one(cluster, random);
    Positions moved = one.position + random.vectors(one.size(), 1e-5);
    ASSERT_FALSE(one.constraints->positions({}, one.position, moved, {}, 0));
    EXPECT_LT(length_error(one.topology, moved), 1e-10);
  }
}

/// An fp64 number of 10⁶ has digits down to 1.2e-10.
TEST_P(EveryCluster, FarFromTheOriginOnlyTheDigitsOfPositionsLimitTheLengths) {
  RandomVectors random(2);
  for (int repeat = 0; repeat < 100; ++repeat) {
    const OneCluster one(GetParam(), random, {1e6, -1e6, 1e6});
    Positions moved = one.position + random.vectors(one.size(), 0.02);
    ASSERT_FALSE(one.constraints->positions({}, one.position, moved, {}, 0));
    EXPECT_LT(length_error(one.topology, moved), 5e-10);
  }
}

TEST_P(EveryCluster, MomentumAndAngularMomentumStay) {
  RandomVectors random(3);
  for (int repeat = 0; repeat < 100; ++repeat) {
    const OneCluster one(GetParam(), random, kPlace);
    const Positions free = one.position + random.vectors(one.size(), 0.05);
    Positions moved = free, velocity(one.size());
    ASSERT_FALSE(one.constraints->positions({}, one.position, moved, velocity, 2.0));
    EXPECT_LT(norm(momentum(one.mass, velocity)), 1e-14);
    EXPECT_LT(norm(angular_momentum(one.mass, one.position, velocity)), 1e-13);
    for (std::size_t i = 0; i < one.size(); ++i)
      EXPECT_LT(norm(2.0 * velocity[i] - (moved[i] - free[i])), 2e-14) << "velocity gets displacement/dt";

    const Positions before = random.vectors(one.size(), 1.0);
    velocity = before;
    ASSERT_FALSE(one.constraints->velocities({}, one.position, velocity));
    const Positions change = velocity + -1.0 * before;
    EXPECT_LT(norm(momentum(one.mass, change)), 1e-13);
    EXPECT_LT(norm(angular_momentum(one.mass, one.position, change)), 1e-13);
  }
}

TEST_P(EveryCluster, VelocitiesHaveNoComponentAlongConstraintsAndRigidOnesStay) {
  RandomVectors random(4);
  double worst = 0;
  for (int repeat = 0; repeat < 300; ++repeat) {
    const OneCluster one(GetParam(), random, kPlace);
    Positions velocity = random.vectors(one.size(), 1.0);
    ASSERT_FALSE(one.constraints->velocities({}, one.position, velocity));
    worst = std::max(worst, velocity_along(one.topology, one.position, velocity));
    const Vec3<double> omega = random.vector(1), shift = random.vector(1);
    for (std::size_t i = 0; i < one.size(); ++i) velocity[i] = shift + cross(omega, one.position[i] - one.position[0]);
    const Positions rigid = velocity;
    ASSERT_FALSE(one.constraints->velocities({}, one.position, velocity));
    for (std::size_t i = 0; i < one.size(); ++i) EXPECT_LT(norm(velocity[i] - rigid[i]), 1e-12);
  }
  RecordProperty("worst", testing::PrintToString(worst));
  EXPECT_LT(worst, 1e-12);
}

TEST_P(EveryCluster, ProjectedForcesAccelerateNothingAlongConstraints) {
  RandomVectors random(5);
  for (int repeat = 0; repeat < 100; ++repeat) {
    const OneCluster one(GetParam(), random, kPlace);
    const Positions before = random.vectors(one.size(), 10.0);
    Positions force = before, acceleration, velocity;
    ASSERT_FALSE(one.constraints->forces({}, one.position, force));
    Vec3<double> total, torque;
    for (std::size_t i = 0; i < one.size(); ++i) {
      acceleration.push_back((1 / one.mass[i]) * force[i]);
      velocity.push_back((1 / one.mass[i]) * before[i]);
      total += force[i] - before[i];
      torque += cross(one.position[i] - one.position[0], force[i] - before[i]);
    }
    EXPECT_LT(velocity_along(one.topology, one.position, acceleration), 1e-12);
    EXPECT_LT(norm(total), 1e-12);
    EXPECT_LT(norm(torque), 1e-12);
    ASSERT_FALSE(one.constraints->velocities({}, one.position, velocity));
    for (std::size_t i = 0; i < one.size(); ++i) EXPECT_LT(norm(velocity[i] - acceleration[i]), 1e-12);
  }
}

/// A cluster that was blown up, or has a position that is no number, is reported and stays as it was.
TEST_P(EveryCluster, MovesWithoutASolutionAreReported) {
  RandomVectors random(6);
  const double nan = std::numeric_limits<double>::quiet_NaN(), infinity = std::numeric_limits<double>::infinity();
  const OneCluster one(GetParam(), random, kPlace);
  Positions flipped;  // every bond points the other way, which satisfies the constraints without being a solution
  for (const auto& p : one.position) flipped.push_back(2.0 * one.position[0] - p);
  if (!one.constraints->positions({}, one.position, flipped, {}, 0)) {  // SETTLE finds the solution that turns back
    for (std::size_t i = 0; i < one.size(); ++i)
      EXPECT_LT(norm(flipped[i] - flipped[0] - (one.position[i] - one.position[0])), 1e-12);
  }
  for (const double bad : {nan, infinity, 1e200}) {
    for (std::size_t i = 0; i < one.size(); ++i) {
      Positions moved = one.position, velocity(one.size()), force(one.size());
      moved[i].y = velocity[i].y = force[i].y = bad;
      const Positions before = moved;
      EXPECT_EQ(one.constraints->positions({}, one.position, moved, {}, 0), 0U) << bad;
      EXPECT_EQ(one.constraints->velocities({}, before, velocity), 0U) << bad;
      if (bad == 1e200) continue;
      EXPECT_EQ(one.constraints->velocities({}, one.position, velocity), 0U) << bad;
      EXPECT_EQ(one.constraints->forces({}, one.position, force), 0U) << bad;
      for (std::size_t j = 0; j < one.size(); ++j)
        if (j != i) {
          EXPECT_EQ(moved[j], one.position[j]);
          EXPECT_EQ(velocity[j], Vec3<double>{});
        }
    }
  }
}

/// Whatever the move, the result is either right or reported.
TEST_P(EveryCluster, AfterMovesOfAnySizeTheConstraintsHoldOrAreReported) {
  RandomVectors random(7);
  int failed = 0;
  for (const double move : {0.3, 1.0, 3.0, 1e3}) {
    for (int repeat = 0; repeat < 200; ++repeat) {
      const OneCluster one(GetParam(), random);
      const Positions free = one.position + random.vectors(one.size(), move);
      Positions moved = free;
      if (one.constraints->positions({}, one.position, moved, {}, 0)) {
        EXPECT_EQ(moved, free);
        ++failed;
      } else {
        EXPECT_LT(length_error(one.topology, moved), 1e-12 * (1 + move));
      }
    }
  }
  EXPECT_GT(failed, 100);
}

TEST_P(EveryCluster, AtomsAtOnePlaceAreReported) {
  RandomVectors random(8);
  const OneCluster one(GetParam(), random);
  const Positions together(one.size(), kPlace);
  Positions moved = one.position, velocity = random.vectors(one.size(), 1), force = velocity;
  EXPECT_EQ(one.constraints->positions({}, together, moved, {}, 0), 0U);
  EXPECT_EQ(one.constraints->velocities({}, together, velocity), 0U);
  EXPECT_EQ(one.constraints->forces({}, together, force), 0U);
}

INSTANTIATE_TEST_SUITE_P(Constraints, EveryCluster, testing::ValuesIn(all_clusters()), name_of_cluster);

}  // namespace
}  // namespace dropmd
