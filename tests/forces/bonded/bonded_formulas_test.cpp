#include <gtest/gtest.h>

#include <cmath>
#include <cstddef>
#include <limits>
#include <utility>

#include "forces/bonded/potentials/bonded_potentials.h"
#include "tests/forces/bonded/bonded_samples.h"

/// Potentials of atoms that are placed at given distances and angles, for which the formulas can be written down.
namespace dropmd {
namespace {

const BondedContext kContext{kSampleCoulomb, {}};

/// Three atoms with distances a and b from the middle one, and the angle between them.
struct Bent {
  Vec3<double> x[3];
  Bent(double a, double b, double angle) : x{{a, 0, 0}, {0, 0, 0}, {b * std::cos(angle), b * std::sin(angle), 0}} {}
};

/// Four atoms with the dihedral angle phi by IUPAC's convention: looking along the middle bond, which points away, the
/// last bond is turned clockwise from the first.
struct Twisted {
  Vec3<double> x[4];
  explicit Twisted(double phi)
      : x{{-0.5, 1.25, 0}, {0, 0, 0}, {1.5, 0, 0}, {2, 1.25 * std::cos(phi), 1.25 * std::sin(phi)}} {}
};

TEST(BondedFormulas, Bond) {
  const Vec3<double> x[2] = {{1, 2, 2}, {0, 0, 0}};
  const auto value = HarmonicBondPotential({{0, 1}, 40, 2.5}, kContext)(x);
  EXPECT_DOUBLE_EQ(value.energy[0], 0.5 * 40 * 0.25);
  EXPECT_NEAR(value.force[0].x, -40 * 0.5 / 3, 1e-14);
  EXPECT_NEAR(value.force[0].z, -40 * 0.5 * 2 / 3, 1e-14);
  const Vec3<double> same[2] = {{1, 2, 2}, {1, 2, 2}};
  const auto at_zero = UreyBradleyPotential({{0, 1}, 40, 2.5}, kContext)(same);
  EXPECT_DOUBLE_EQ(at_zero.energy[0], 0.5 * 40 * 2.5 * 2.5);
  EXPECT_EQ(at_zero.force[0], Vec3<double>{});
  EXPECT_EQ(at_zero.force[1], Vec3<double>{});
}

TEST(BondedFormulas, AngleAndItsForces) {
  for (double theta = 0.05; theta < kPi; theta += 0.05) {
    const auto value = AnglePotential({{0, 1, 2}, 80, 1.9}, kContext)(Bent(1.1, 1.7, theta).x);
    EXPECT_NEAR(value.energy[0], 40 * std::pow(theta - 1.9, 2), 1e-12);
    // The force on the first atom is k (θ − θ_0)/a across its bond, towards the third where the angle is too large.
    EXPECT_NEAR(value.force[0].x, 0, 1e-12);
    EXPECT_NEAR(value.force[0].y, 80 * (theta - 1.9) / 1.1, 1e-12);
    EXPECT_NEAR(norm(value.force[2]), std::abs(80 * (theta - 1.9) / 1.7), 1e-12);
  }
}

/// Positions have rounding errors of 1e-16, so the difference of the angle from 0 or 180° is known to that.
TEST(BondedFormulas, AngleNearALine) {
  for (const double line : {0.0, kPi})
    for (const double equilibrium : {0.0, 1.9, kPi})
      for (double off = 0.1; off > 1e-300; off *= 0.1) {
        SCOPED_TRACE(testing::Message() << line << ' ' << equilibrium << ' ' << off);
        const double side = line == 0 ? 1 : -1;
        const Vec3<double> x[3] = {{1.1, 0, 0}, {0, 0, 0}, {side * 1.7 * std::cos(off), 1.7 * std::sin(off), 0}};
        const double theta = line == 0 ? off : kPi - off;
        const auto value = AnglePotential({{0, 1, 2}, 80, equilibrium}, kContext)(x);
        EXPECT_NEAR(value.energy[0], 40 * std::pow(theta - equilibrium, 2), 1e-12);
        const bool has_direction = off > 1e-150;  // the square of the cross product is in the range of fp64
        if (!has_direction) continue;
        EXPECT_NEAR(value.force[0].y, 80 * (theta - equilibrium) / 1.1, 1e-11);
        EXPECT_NEAR(value.force[2].y, -side * 80 * (theta - equilibrium) / 1.7 * std::cos(off), 1e-11);
      }
  const Vec3<double> straight[3] = {{1.1, 0, 0}, {0, 0, 0}, {-1.7, 0, 0}};
  const auto value = AnglePotential({{0, 1, 2}, 80, 1.9}, kContext)(straight);
  EXPECT_NEAR(value.energy[0], 40 * std::pow(kPi - 1.9, 2), 1e-12);
  for (const Vec3<double>& f : value.force) EXPECT_EQ(f, Vec3<double>{});
}

TEST(BondedFormulas, DihedralsOfAnyAngle) {
  const double c[] = {1.5, -2, 0.75, 3, -1, 0.5};
  for (int degrees = -180; degrees <= 180; degrees += 5) {
    SCOPED_TRACE(degrees);
    const double phi = degrees * kPi / 180;
    const Twisted at(phi);
    for (const int n : {-3, 0, 1, 2, 3, 6}) {
      const auto periodic = PeriodicDihedralPotential({{0, 1, 2, 3}, 2.5, 0.7, n}, kContext)(at.x);
      EXPECT_NEAR(periodic.energy[0], 2.5 * (1 + std::cos(n * phi - 0.7)), 1e-13);
      // The last atom moves on a circle of radius 1.25.
      const double torque = 2.5 * n * std::sin(n * phi - 0.7);
      EXPECT_NEAR(periodic.force[3].y, -torque / 1.25 * std::sin(phi), 1e-12);
      EXPECT_NEAR(periodic.force[3].z, torque / 1.25 * std::cos(phi), 1e-12);
      EXPECT_NEAR(periodic.force[3].x, 0, 1e-13);
    }
    const auto rb = RyckaertBellemansPotential({{0, 1, 2, 3}, {c[0], c[1], c[2], c[3], c[4], c[5]}}, kContext)(at.x);
    double expected = 0;
    for (int n = 0; n < 6; ++n) expected += c[n] * std::pow(std::cos(phi - kPi), n);
    EXPECT_NEAR(rb.energy[0], expected, 1e-13);
    for (const double equilibrium : {-3.1, -1.0, 0.0, 0.5, 3.1}) {
      const auto improper = ImproperPotential({{0, 1, 2, 3}, 30, equilibrium}, kContext)(at.x);
      double delta = phi - equilibrium;
      if (delta > kPi) delta -= 2 * kPi;
      if (delta < -kPi) delta += 2 * kPi;
      EXPECT_NEAR(improper.energy[0], 15 * delta * delta, 1e-12);
      EXPECT_NEAR(improper.force[3].z, -30 * delta / 1.25 * std::cos(phi), 1e-11);
    }
  }
}

TEST(BondedFormulas, PairOfItsOwn) {
  const BondedPair term{{0, 1}, {0.2, 3.1, true}, -0.25};
  const Vec3<double> x[2] = {{0, 3.5, 0}, {0, 0, 0}};
  const auto value = BondedPairPotential(term, kContext)(x);
  const double s6 = std::pow(3.1 / 3.5, 6);
  EXPECT_NEAR(value.energy[0], 0.8 * (s6 * s6 - s6), 1e-15);
  EXPECT_NEAR(value.energy[1], -0.25 * kSampleCoulomb / 3.5, 1e-13);
  EXPECT_NEAR(value.force[0].y, 4.8 / 3.5 * (2 * s6 * s6 - s6) - 0.25 * kSampleCoulomb / (3.5 * 3.5), 1e-13);
  BondedPair repulsive = term;
  repulsive.lj.attracts = false;
  EXPECT_NEAR(BondedPairPotential(repulsive, kContext)(x).energy[0], 0.8 * s6 * s6, 1e-15);
}

TEST(BondedFormulas, PairAtOnePlaceIsInfiniteOrNothing) {
  constexpr double kInfinity = std::numeric_limits<double>::infinity();
  const Vec3<double> x[2] = {{0, 3.5, 0}, {0, 3.5, 0}};
  const auto value = BondedPairPotential({{0, 1}, {0.2, 3.1, true}, -0.25}, kContext)(x);
  EXPECT_EQ(value.energy[0], kInfinity);
  EXPECT_EQ(value.energy[1], -kInfinity);
  EXPECT_EQ(value.force[0].x, kInfinity);
  EXPECT_EQ(value.force[1].x, -kInfinity);
  const auto none = BondedPairPotential({{0, 1}, {0, 3.1, true}, 0}, kContext)(x);
  EXPECT_EQ(none.energy[0], 0);
  EXPECT_EQ(none.energy[1], 0);
  EXPECT_EQ(none.force[0], Vec3<double>{});
}

TEST(BondedFormulas, Restraint) {
  const Vec3<double> x[1] = {{1, 2, 3}};
  const auto value = PositionRestraintPotential({{0}, {2, 0, 4}, {0.5, 7, 3.5}}, kContext)(x);
  EXPECT_DOUBLE_EQ(value.energy[0], 0.25 + 0.5);
  EXPECT_EQ(value.force[0], (Vec3<double>{-1, 0, 2}));
}

}  // namespace
}  // namespace dropmd
