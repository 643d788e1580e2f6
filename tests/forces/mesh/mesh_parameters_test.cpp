#include "forces/mesh/mesh_parameters.h"

#include <gtest/gtest.h>

#include <cmath>
#include <cstring>
#include <numbers>
#include <vector>

#include "forces/mesh/coulomb_split.h"
#include "tests/forces/mesh/mesh_systems.h"

namespace dropmd {
namespace {

/// Spacings over the cutoff at which prototypes in fp64 had these errors.
TEST(SplineError, IsThatOfMeasuredMeshes) {
  struct Measured {
    int order;
    double error, ratio;
  };
  for (const Measured& m :
       {Measured{4, 1e-3, 0.109}, Measured{5, 1e-3, 0.182}, Measured{6, 1e-3, 0.230}, Measured{7, 1e-3, 0.260},
        Measured{8, 1e-3, 0.279}, Measured{5, 1e-4, 0.098}, Measured{6, 1e-4, 0.142}, Measured{7, 1e-4, 0.174},
        Measured{8, 1e-4, 0.196}, Measured{6, 1e-5, 0.087}, Measured{7, 1e-5, 0.116}, Measured{8, 1e-5, 0.139}})
    EXPECT_NEAR(spline_ratio(m.order, m.error), m.ratio, 0.03 * m.ratio) << m.order << ' ' << m.error;
}

TEST(SplineError, IsTheInverseOfTheRatio) {
  for (int order = 4; order <= 8; ++order)
    for (const double ratio : {0.01, 0.05, 0.13, 0.2, 0.28})
      EXPECT_NEAR(spline_ratio(order, spline_error(order, ratio)), ratio, 1e-12) << order;
  EXPECT_EQ(spline_ratio(4, 1e3), kMostSpacing);
}

/// An fcc ball would do as well: in a lattice with a site in each cube of 2.82 the density is known.
TEST(ChargeStatistics, KnowsDensityForcesAndNeighbors) {
  const Particles p = mesh_system("lattice", 1000);
  const ChargeStatistics s = ChargeStatistics::of({1}, 2, p.position, p.charge);
  EXPECT_EQ(s.n_atoms, 1000U);
  EXPECT_EQ(s.n_charged, 1000U);
  EXPECT_EQ(s.sum_q2, 1000);
  EXPECT_NEAR(s.density, std::pow(2.82, -3), 0.05 * std::pow(2.82, -3));
  const auto& extents = s.extents.extents;
  EXPECT_EQ(extents[4].outside, 4U);
  EXPECT_NEAR(extents[4].cuboid.size().x, 9 * 2.82, 1e-12);
  EXPECT_GT(extents.back().outside, 980U);
  EXPECT_LT(extents.back().cuboid.size().x, 4 * 2.82);
  // Each site has six nearest neighbours, one less on each face of the cube: 2 · 3 · 9 · 100 pairs.
  double nearest = 0;
  for (std::size_t k = 0; k < s.distance.size(); ++k)
    if (s.distance[k] < 2.82 * 1.4) nearest = s.neighbors[k];
  EXPECT_NEAR(nearest, 2 * 3 * 9 * 100 / 1000.0, 1e-9);
  EXPECT_NEAR(s.neighbors_within(1e3), 999, 1e-9);
  EXPECT_NEAR(s.charge_pair_density(1e3), 999 / (4 * std::numbers::pi / 3 * 1e9), 1e-9);
}

TEST(ChargeStatistics, KnowsTheForceOfTwoCharges) {
  const std::vector<Vec3<double>> position{{1e6, 0, 0}, {1e6 + 2, 0, 0}, {1e6, 1, 0}};
  const std::vector<double> charge{1, -3, 0};
  const ChargeStatistics s = ChargeStatistics::of({1}, 332, position, charge);
  EXPECT_EQ(s.n_charged, 2U);
  EXPECT_EQ(s.sum_q4, 82);
  EXPECT_NEAR(s.rms_force, 332 * 3 / 4.0 * std::sqrt(2 / 3.0), 1e-9);
  EXPECT_EQ(ChargeStatistics::of({1}, 332, {}, {}).force_scale(332), 0);
}

TEST(ChargeStatistics, DoesNotDependOnThreads) {
  const Particles p = mesh_system("water", 3000);
  const ChargeStatistics a = ChargeStatistics::of({1}, 1, p.position, p.charge),
                         b = ChargeStatistics::of({3}, 1, p.position, p.charge);
  EXPECT_EQ(a.density, b.density);
  EXPECT_EQ(a.rms_force, b.rms_force);
  EXPECT_EQ(std::memcmp(a.charge_pairs.data(), b.charge_pairs.data(), a.charge_pairs.size() * sizeof(double)), 0);
}

/// One ion at 1e6 and a droplet need the mesh of the droplet.
TEST(MeshPlan, IsThatOfTheDropletWhateverIsFar) {
  Particles p = mesh_system("random", 500);
  const ChargeStatistics alone = ChargeStatistics::of({1}, 332, p.position, p.charge);
  p.position.push_back({1e6, 0, 0});
  p.charge.push_back(1);
  const ChargeStatistics both = ChargeStatistics::of({1}, 332, p.position, p.charge);
  const double spacing = mesh_parameters(alone, 332, 1e-4, 9, 6).spacing;
  EXPECT_NEAR(mesh_parameters(both, 332, 1e-4, 9, 6).spacing, spacing, 0.1 * spacing);
  const std::vector<double> cutoffs{6, 9, 12};
  const MeshPlan of_both = plan_mesh(both, 332, {}, cutoffs, {2, 1, 0.1, 10}),
                 of_one = plan_mesh(alone, 332, {}, cutoffs, {2, 1, 0.1, 10});
  EXPECT_NEAR(of_both.cost, of_one.cost, 0.1 * of_one.cost);
  EXPECT_EQ(of_both.parameters.cutoff, of_one.parameters.cutoff);
}

TEST(MeshPlan, FollowsAccuracySettingsAndPrices) {
  const Particles p = mesh_system("water", 3000);
  const ChargeStatistics s = ChargeStatistics::of({1}, 332, p.position, p.charge);
  const std::vector<double> cutoffs{6, 9, 12, 15};
  CoulombSettings settings;
  double cost = 0;
  for (const double accuracy : {1e-2, 1e-3, 1e-4, 1e-5}) {
    settings.accuracy = accuracy;
    const MeshPlan plan = plan_mesh(s, 332, settings, cutoffs, kCpuMeshPrices);
    EXPECT_GT(plan.cost, cost) << "more accuracy costs more";
    EXPECT_LE(kErrorMargin * plan.error, accuracy * (1 + 1e-9));
    const double f = spline_error(plan.parameters.order, plan.parameters.spacing / plan.parameters.cutoff);
    EXPECT_EQ(plan.parameters.bandwidth, CoulombSplit::bandwidth_for(f));
    EXPECT_EQ(plan.parameters.fit_error, 0.2 * f);
    cost = plan.cost;
  }
  settings.accuracy = 1e-4;
  EXPECT_GE(plan_mesh(s, 332, settings, cutoffs, {0, 1, 0, 1}).parameters.cutoff, 12) << "pairs cost nothing";
  EXPECT_EQ(plan_mesh(s, 332, settings, cutoffs, {1, 0, 0, 1}).parameters.cutoff, 6) << "pairs alone cost";
  settings.mesh_cutoff = 11;
  settings.mesh_order = 7;
  const MeshPlan fixed = plan_mesh(s, 332, settings, cutoffs, kCpuMeshPrices);
  EXPECT_EQ(fixed.parameters.cutoff, 11);
  EXPECT_EQ(fixed.parameters.order, 7);
  settings.mesh_spacing = 1;
  EXPECT_EQ(plan_mesh(s, 332, settings, cutoffs, kCpuMeshPrices).parameters.spacing, 1);
  settings.mesh_order.reset();
  settings.mesh_spacing = 4;
  const MeshPlan coarse = plan_mesh(s, 332, settings, cutoffs, kCpuMeshPrices);
  EXPECT_GT(coarse.error, 1e-4) << "no order reaches the accuracy";
  EXPECT_EQ(coarse.parameters.spacing, 4);
}

}  // namespace
}  // namespace dropmd
