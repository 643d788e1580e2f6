#include <gtest/gtest.h>

#include <cmath>
#include <optional>

#include "maps/mesh/map_mesh_plan.h"
#include "tests/forces/mesh/mesh_systems.h"

namespace dropmd {
namespace {

class MapMeshPlanTest : public testing::Test {
 protected:
  MapMeshPlan plan(const MapMesh& wanted, double rms = 3) const {
    return plan_map_mesh(wanted, grid_, MapSurroundings(grid_, charges(), 0.1), rms, kCpuMapMeshPrices);
  }
  MapCharges charges() const { return {particles_.position, particles_.charge}; }
  const MapGrid& grid() const { return grid_; }
  Particles& particles() { return particles_; }

 private:
  Particles particles_ = mesh_system("water", 3000);
  MapGrid grid_{{-25, -25, -25}, {0.5, 0.5, 0.5}, {101, 101, 101}};
};

TEST_F(MapMeshPlanTest, ErrorIsBelowTheAccuracyByTheMargin) {
  double spacing = INFINITY;
  for (const double accuracy : {1e-2, 1e-4, 1e-6, 1e-8}) {
    const MapMeshPlan p = plan({accuracy});
    ASSERT_FALSE(p.empty());
    EXPECT_LE(p.error, accuracy / kErrorMargin * (1 + 1e-9));
    EXPECT_LE(p.parameters.spacing / p.parameters.cutoff, spacing);
    spacing = p.parameters.spacing / p.parameters.cutoff;
  }
}

TEST_F(MapMeshPlanTest, TheBoxHoldsAllPointsAndCharges) {
  const MapMeshPlan p = plan({1e-4});
  for (const Vec3<double>& x : particles().position) EXPECT_TRUE(p.holds(x));
  EXPECT_TRUE(p.holds(grid().at(0, 0, 0)));
  EXPECT_TRUE(p.holds(grid().at(100, 100, 100)));
  EXPECT_FALSE(p.holds({0, 0, 100}));
}

TEST_F(MapMeshPlanTest, AMeshOfTheRunIsTakenIfItSuffices) {
  const MeshParameters of_run{12, 14, 2, 6, 1e-5};
  const MapMeshPlan shared = plan({1e-3, 1, of_run});
  EXPECT_EQ(shared.parameters.cutoff, of_run.cutoff);
  EXPECT_EQ(shared.parameters.bandwidth, of_run.bandwidth);
  EXPECT_EQ(shared.parameters.spacing, of_run.spacing);
  EXPECT_EQ(shared.parameters.order, of_run.order);
  const MapMeshPlan own = plan({1e-7, 1, of_run});
  EXPECT_FALSE(own.empty());
  EXPECT_NE(own.parameters.spacing, of_run.spacing);
}

TEST_F(MapMeshPlanTest, FewPointsOrChargesHaveNoMesh) {
  const MapGrid one{{0, 0, 0}, {1, 1, 1}, {1, 1, 1}};
  EXPECT_TRUE(plan_map_mesh({1e-4}, one, MapSurroundings(one, charges(), 0.1), 1, kCpuMapMeshPrices).empty());
  EXPECT_TRUE(plan_map_mesh({1e-4}, grid(), MapSurroundings(grid(), {}, 0.1), 0, kCpuMapMeshPrices).empty());
}

/// Polynomials of pairs in fp32 do not follow splits finer than 1e-5.
TEST_F(MapMeshPlanTest, MixedPrecisionHasNoSplitThatIsTooFine) {
  const auto finest = [](const MapMeshPlan& p) {
    return spline_error(p.parameters.order, p.parameters.spacing / p.parameters.cutoff);
  };
  bool any = false, none = false;
  for (const double rms : {3.0, 0.03, 3e-4, 3e-6}) {
    const MapMeshPlan mixed = plan({1e-4, 1, std::nullopt, Precision::mixed}, rms), fp64 = plan({1e-4}, rms);
    ASSERT_FALSE(fp64.empty());
    (mixed.empty() ? none : any) = true;
    if (mixed.empty())
      EXPECT_LT(finest(fp64), 1e-5);
    else
      EXPECT_GE(finest(mixed), 1e-5 * (1 - 1e-9));
  }
  EXPECT_TRUE(any);
  EXPECT_TRUE(none);
}

TEST_F(MapMeshPlanTest, NoMeshIsExact) { EXPECT_TRUE(plan({0}).empty()); }

TEST_F(MapMeshPlanTest, ExtentsGoFromTheGridOutwards) {
  for (int k = 0; k < 5; ++k) {
    particles().position.push_back({100.0 + k, 0, 0});
    particles().charge.push_back(1);
  }
  particles().position.push_back({1e9, 0, 0});  // uncharged
  particles().charge.push_back(0);
  const MapSurroundings surroundings(grid(), charges(), 0.1);
  EXPECT_EQ(surroundings.n_charges(), 3005U);
  std::vector<std::size_t> outside;
  for (const MapSurroundings::Extent& e : surroundings.extents()) outside.push_back(e.outside);
  EXPECT_EQ(outside, (std::vector<std::size_t>{5, 4, 2, 1, 0}));
  EXPECT_EQ(surroundings.extents().back().cuboid.high.x, 104);
  EXPECT_NEAR(surroundings.density(1).number, 3000 / std::pow(50.2, 3), 1e-9);
}

}  // namespace
}  // namespace dropmd
