#include <gtest/gtest.h>

#include <algorithm>

#include "integrators/virtual_sites/cpu_virtual_sites.h"
#include "tests/integrators/virtual_sites/site_examples.h"

/// Each form by itself, with four parents (atoms 1 to 4) of which it may use some, and the site as atom 0.
namespace dropmd {
namespace {

class EverySiteForm : public testing::TestWithParam<SiteExample> {
 protected:
  EverySiteForm() : sites_(plan()) {}

  static VirtualSitePlan plan() {
    Topology topology;
    topology.virtual_sites = {{GetParam().form, 0, {1, 2, 3, 4}, GetParam().parameter}};
    return plan_virtual_sites(topology, 5);
  }
  /// Positions of the site (not yet placed) and of parents about 1.5 Å apart.
  static Vectors positions(std::uint64_t seed) {
    Vectors position = random_vectors(5, 0.3, seed);
    position[2] += {1.5, 0, 0};
    position[3] += {1.0, 1.5, 0};
    position[4] += {0, 0.5, 1.5};
    return position;
  }
  Vec3<double> placed(Vectors position) const {
    sites_.place({}, position);
    return position[0];
  }

  CpuVirtualSites sites_;
};

TEST_P(EverySiteForm, IsWhereTheFormulaSays) {
  for (std::uint64_t seed = 0; seed < 100; ++seed) {
    const Vectors position = positions(seed);
    const Vec3<double> expected = formula(GetParam(), Vectors(position.begin() + 1, position.end()));
    EXPECT_LT(norm(placed(position) - expected), 1e-14);
  }
}

TEST_P(EverySiteForm, FarFromTheOriginIsAsNear) {
  for (std::uint64_t seed = 0; seed < 100; ++seed) {
    const Vec3<double> far{1 << 20, -(1 << 20), 1 << 20};
    Vectors near = positions(seed), shifted = near;
    for (std::size_t i = 0; i < near.size(); ++i) {
      shifted[i] += far;
      near[i] = shifted[i] - far;
    }
    EXPECT_LT(norm(placed(shifted) - far - placed(near)), 3e-10) << "half a unit of the last place is 1.2e-10";
  }
}

TEST_P(EverySiteForm, ForcesAreTheTransposedDerivative) {
  constexpr double kStep = 1e-5;
  for (std::uint64_t seed = 0; seed < 30; ++seed) {
    const Vectors position = positions(seed), random = random_vectors(5, 1, seed + 1000);
    Vectors force(5);
    force[0] = random[0];
    sites_.spread({}, position, force);
    EXPECT_EQ(force[0], Vec3<double>{});
    for (std::size_t p = 1; p < 5; ++p) {
      double Vec3<double>::*const axes[] = {&Vec3<double>::x, &Vec3<double>::y, &Vec3<double>::z};
      for (const auto axis : axes) {
        Vectors up = position, down = position;
        up[p].*axis += kStep;
        down[p].*axis -= kStep;
        EXPECT_NEAR(force[p].*axis, dot(random[0], placed(up) - placed(down)) / (2 * kStep), 1e-8) << "parent " << p;
      }
    }
  }
}

TEST_P(EverySiteForm, TotalForceAndTorqueStay) {
  for (std::uint64_t seed = 0; seed < 100; ++seed) {
    Vectors position = positions(seed);
    sites_.place({}, position);
    const Vectors before = random_vectors(5, 1, seed + 2000);
    Vectors force = before;
    sites_.spread({}, position, force);
    Vec3<double> total, torque;
    for (std::size_t i = 0; i < 5; ++i) {
      total += force[i] - before[i];
      torque += cross(position[i], force[i] - before[i]);
    }
    EXPECT_LT(norm(total), 1e-13);
    EXPECT_LT(norm(torque), 1e-13);
  }
}

/// A force on the site does the same work per time there as, spread, on the parents.
TEST_P(EverySiteForm, SpreadForcesDoTheWorkOfTheirSite) {
  constexpr double kStep = 1e-5;
  for (std::uint64_t seed = 0; seed < 30; ++seed) {
    const Vectors position = positions(seed);
    const Vectors velocity = random_vectors(5, 1, seed + 3000);
    Vectors later = position, earlier = position;
    for (std::size_t i = 1; i < 5; ++i) {
      later[i] += kStep * velocity[i];
      earlier[i] -= kStep * velocity[i];
    }
    const Vec3<double> site_velocity = (0.5 / kStep) * (placed(later) - placed(earlier));
    for (const Vec3<double> axis : {Vec3<double>{1, 0, 0}, Vec3<double>{0, 1, 0}, Vec3<double>{0, 0, 1}}) {
      Vectors force(5);
      force[0] = axis;
      sites_.spread({}, position, force);
      double power = 0;
      for (std::size_t i = 1; i < 5; ++i) power += dot(force[i], velocity[i]);
      EXPECT_NEAR(power, dot(axis, site_velocity), 1e-7);  // of the difference quotient
    }
  }
}

/// Parents in one place, on a line or in a plane, exactly or except for rounding: sites and forces are finite, within
/// the form's distances, and total force and torque stay.
TEST_P(EverySiteForm, DegenerateParentsGiveFiniteSites) {
  const Vec3<double> x{0.3, -0.8, 1.1}, d{0.6, 0.7, -0.2}, e{-0.4, 0.5, 0.9};
  const std::vector<Vectors> cases{
      {{}, x, x, x, x},
      {{}, x, x, x + d, x + d},
      {{}, x, x + d, x, x},
      {{}, x, x + d, x + d, x + d},
      {{}, x, x + d, x + 2.0 * d, x + 3.0 * d},
      {{}, x, x + d, x - d, x + 0.5 * d},
      {{}, x, x + d, x + e, x + d + e},
      {{}, x, x + d, x + (1 / 0.9) * d, x + (1 / 1.2) * d},
      {{}, x, x + 1.5 * d, x - d, x + e},
      {{}, {}, {1e-170, 0, 0}, {0, 1e-170, 0}, {0, 0, 1e-170}},
      {{}, {}, {1e-150, 0, 0}, {0, 1e-150, 0}, {0, 0, 1e-150}},
      {{}, x, x + 1e-9 * d, x + 1e-9 * e, x - 1e-9 * d},
      {{}, {5e-324, 0, 0}, {}, {0, 5e-324, 0}, {0, 0, 5e-324}},
  };
  for (std::size_t n = 0; n < cases.size(); ++n) {
    Vectors position = cases[n], force(5);
    force[0] = {1, -2, 3};
    sites_.place({}, position);
    EXPECT_TRUE(is_finite(position[0])) << n;
    EXPECT_LT(norm(position[0] - position[1]), 3) << n;
    sites_.spread({}, position, force);
    Vec3<double> total, torque;
    double largest = 1;
    for (std::size_t i = 1; i < 5; ++i) {
      EXPECT_TRUE(is_finite(force[i])) << n;
      largest = std::max(largest, norm(force[i]));
      total += force[i];
      torque += cross(position[i] - position[1], force[i]);
    }
    EXPECT_LT(norm(total - Vec3<double>{1, -2, 3}), 1e-15 * largest + 1e-13) << n;
    EXPECT_LT(norm(torque - cross(position[0] - position[1], {1, -2, 3})), 1e-15 * largest + 1e-13) << n;
  }
}

INSTANTIATE_TEST_SUITE_P(VirtualSites, EverySiteForm, testing::ValuesIn(site_examples()),
                         [](const auto& example) { return std::string(example.param.name); });

/// A water of four sites: M is 0.1546 Å from O (TIP4P/2005), whose weight on H is 0.1546/(2·0.9572 cos 52.26°).
TEST(VirtualSites, TheChargeOfFourSiteWaterIsOnTheBisector) {
  const double half = 0.5 * 104.52 / 180 * 3.14159265358979323846, weight = 0.1546 / (2 * 0.9572 * std::cos(half));
  Topology topology;
  topology.virtual_sites = {{SiteForm::three, 3, {0, 1, 2, 0}, {weight, weight, 0}}};
  const CpuVirtualSites sites(plan_virtual_sites(topology, 4));
  Vectors position{{0, 0, 0},
                   {0.9572 * std::sin(half), 0.9572 * std::cos(half), 0},
                   {-0.9572 * std::sin(half), 0.9572 * std::cos(half), 0},
                   {9, 9, 9}};
  sites.place({}, position);
  EXPECT_NEAR(position[3].x, 0, 1e-15);
  EXPECT_NEAR(position[3].y, 0.1546, 1e-15);
  EXPECT_NEAR(position[3].z, 0, 1e-15);
}

}  // namespace
}  // namespace dropmd
