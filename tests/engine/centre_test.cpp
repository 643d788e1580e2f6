#include "engine/centre.h"

#include <gtest/gtest.h>

#include <random>

#include "core/ordered_sum.h"

namespace dropmd {
namespace {

constexpr Cpu kCpu{2};

/// Atoms of random masses in a moving, rotating, off-centre cloud.
Particles random_cloud(std::size_t n, std::uint32_t seed) {
  std::mt19937 random(seed);
  std::normal_distribution<double> normal;
  std::uniform_real_distribution<double> mass(1, 30);
  Particles p;
  for (std::size_t i = 0; i < n; ++i) {
    p.position.push_back({5 * normal(random) + 40, 3 * normal(random) - 7, normal(random)});
    p.velocity.push_back({normal(random) + 0.5, normal(random), normal(random) + 0.1 * p.position[i].x});
    p.mass.push_back(mass(random));
  }
  return p;
}

Vec3<double> linear_momentum(const Particles& p) {
  Vec3<double> sum{};
  for (std::size_t i = 0; i < p.size(); ++i) sum += p.mass[i] * p.velocity[i];
  return sum;
}

/// Angular momentum about the centre of mass.
Vec3<double> angular_momentum(const Particles& p) {
  const Vec3<double> centre = centre_of(kCpu, p, Recenter::mass);
  Vec3<double> sum{};
  for (std::size_t i = 0; i < p.size(); ++i) sum += p.mass[i] * cross(p.position[i] - centre, p.velocity[i]);
  return sum;
}

/// 3,000 atoms × mass 15 × distance from the origin 45 × velocity 5 × 1e-16 per rounding × about 10 operations.
constexpr double kRounding = 2e-8;

TEST(Centre, GeometricAndMassCentre) {
  Particles p;
  p.position = {{0, 0, 0}, {3, 0, 6}};
  p.mass = {1, 2};
  EXPECT_EQ(centre_of(kCpu, p, Recenter::geometric), (Vec3<double>{1.5, 0, 3}));
  EXPECT_EQ(centre_of(kCpu, p, Recenter::mass), (Vec3<double>{2, 0, 4}));
  EXPECT_EQ(centre_of(kCpu, p, Recenter::none), (Vec3<double>{}));
  EXPECT_EQ(centre_of(kCpu, Particles{}, Recenter::geometric), (Vec3<double>{}));
}

TEST(Centre, RecentringPutsTheCentreAtTheOrigin) {
  for (const Recenter which : {Recenter::geometric, Recenter::mass}) {
    Particles p = random_cloud(5000, 1);
    const Vec3<double> between = p.position[7] - p.position[4001];
    recenter(kCpu, p, which);
    EXPECT_LT(norm(centre_of(kCpu, p, which)), 1e-13);
    EXPECT_LT(norm(p.position[7] - p.position[4001] - between), 1e-13);
  }
  Particles p = random_cloud(10, 1);
  const auto before = p.position;
  recenter(kCpu, p, Recenter::none);
  EXPECT_EQ(p.position, before);
}

TEST(Centre, RemovalLeavesMomentaAtRounding) {
  const Particles start = random_cloud(3000, 2);
  ASSERT_GT(norm(linear_momentum(start)), 1.0);
  ASSERT_GT(norm(angular_momentum(start)), 1.0);

  Particles p = start;
  remove_momentum(kCpu, p, RemoveMomentum::linear);
  EXPECT_LT(norm(linear_momentum(p)), kRounding);
  EXPECT_LT(norm(angular_momentum(p) - angular_momentum(start)), kRounding) << "linear removal turns the droplet";

  p = start;
  remove_momentum(kCpu, p, RemoveMomentum::angular);
  EXPECT_LT(norm(angular_momentum(p)), kRounding);
  EXPECT_LT(norm(linear_momentum(p) - linear_momentum(start)), kRounding) << "angular removal pushes the droplet";

  p = start;
  remove_momentum(kCpu, p, RemoveMomentum::both);
  EXPECT_LT(norm(linear_momentum(p)), kRounding);
  EXPECT_LT(norm(angular_momentum(p)), kRounding);

  p = start;
  remove_momentum(kCpu, p, RemoveMomentum::none);
  EXPECT_EQ(p.velocity, start.velocity);
}

/// The inertia tensor of a line is not invertible: rotation about the line must be left alone, not divided by rounding
/// errors.
TEST(Centre, AtomsOnALineStayFinite) {
  for (const std::size_t n : {1U, 2U, 5U}) {
    SCOPED_TRACE(n);
    Particles p;
    for (std::size_t i = 0; i < n; ++i) {
      const double t = static_cast<double>(i);
      p.position.push_back({0.1 * t + 3, 0.3 * t, -0.7 * t});
      p.velocity.push_back({t * t, 1 - t, 0.5});
      p.mass.push_back(1 + t);
    }
    double fastest = 0;
    for (const auto& v : p.velocity) fastest = std::max(fastest, norm(v));
    remove_momentum(kCpu, p, RemoveMomentum::both);
    EXPECT_LT(norm(linear_momentum(p)), 1e-13);
    EXPECT_LT(norm(angular_momentum(p)), 1e-12);
    for (const auto& v : p.velocity) EXPECT_LT(norm(v), 3 * fastest + 1);
  }
}

TEST(Centre, AtomsAtOnePlaceStayFinite) {
  Particles p;
  p.position = {{1, 2, 3}, {1, 2, 3}, {1, 2, 3}};
  p.velocity = {{1, 0, 0}, {0, 1, 0}, {0, 0, 1}};
  p.mass = {1, 1, 1};
  remove_momentum(kCpu, p, RemoveMomentum::both);
  for (const auto& v : p.velocity) EXPECT_TRUE(is_finite(v));
}

TEST(Centre, RemovedDegrees) {
  EXPECT_EQ(removed_degrees(10, RemoveMomentum::none), 0U);
  EXPECT_EQ(removed_degrees(10, RemoveMomentum::linear), 3U);
  EXPECT_EQ(removed_degrees(10, RemoveMomentum::angular), 3U);
  EXPECT_EQ(removed_degrees(10, RemoveMomentum::both), 6U);
  EXPECT_EQ(removed_degrees(2, RemoveMomentum::both), 5U);
  EXPECT_EQ(removed_degrees(1, RemoveMomentum::both), 3U);
}

/// The droplet's members are moved as a system by itself; the others keep their velocities.
TEST(Centre, OfTheDropletAlone) {
  for (const std::size_t n : {2U, 33U, 257U, 3001U}) {
    Particles p = random_cloud(n, 11), members;
    std::mt19937 random(static_cast<std::uint32_t>(n));
    p.groups.assign(n, field::kInBath);
    for (std::size_t i = 0; i < n; ++i) {
      if (random() % 3 == 0) continue;
      p.groups[i] = field::kInBath | field::kInDroplet;
      members.position.push_back(p.position[i]);
      members.velocity.push_back(p.velocity[i]);
      members.mass.push_back(p.mass[i]);
    }
    const Particles before = p;
    const Vec3<double> centre = centre_of(kCpu, members, Recenter::mass);
    EXPECT_LT(norm(centre_of(kCpu, p, Recenter::droplet) - centre), 1e-12 * 100);
    remove_momentum(kCpu, p, RemoveMomentum::both, /*of_droplet=*/true);
    remove_momentum(kCpu, members, RemoveMomentum::both);
    std::size_t next = 0;
    for (std::size_t i = 0; i < n; ++i) {
      if (!p.is_in(i, field::kInDroplet))
        EXPECT_EQ(p.velocity[i], before.velocity[i]);
      else
        EXPECT_LT(norm(p.velocity[i] - members.velocity[next++]), 1e-10);
    }
    EXPECT_EQ(next, members.size());
    recenter(kCpu, p, Recenter::droplet);
    EXPECT_LT(norm(centre_of(kCpu, p, Recenter::droplet)), 1e-12);
    EXPECT_LT(norm(p.position[0] - before.position[0] + centre), 1e-12 * 100) << "all atoms move";
  }
}

TEST(Centre, OfADropletWithoutMembers) {
  Particles p = random_cloud(5, 3);
  p.groups.assign(5, field::kInBath);
  const Particles before = p;
  recenter(kCpu, p, Recenter::droplet);
  remove_momentum(kCpu, p, RemoveMomentum::both, /*of_droplet=*/true);
  EXPECT_EQ(p.position, before.position);
  EXPECT_EQ(p.velocity, before.velocity);
}

}  // namespace
}  // namespace dropmd
