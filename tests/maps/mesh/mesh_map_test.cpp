#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <string>
#include <tuple>

#include "maps/mesh/divided_map.h"
#include "tests/forces/mesh/mesh_systems.h"
#include "tests/support/maps/map_charges.h"
#include "tests/support/maps/map_processors.h"

/// Maps by a particle mesh against direct sums in fp64.
namespace dropmd {
namespace {

/// Charges that are not on the mesh cost so much that there are none, however few charges there are.
constexpr MapMeshPrices kMeshAlone{0.5, 1e9, 70, 2.5, 6, {16, 8, 4}};

MapModel mesh_model(double accuracy, bool field = false) {
  return {.coulomb = {"exact", {}}, .coulomb_constant = kCoulomb, .field = field, .mesh = MapMesh{accuracy}};
}

template <class Real>
std::unique_ptr<DividedMap> parts_on(MapProcessor processor, const MapModel& model, int threads) {
  return is_on_gpu(processor) ? make_divided_map_cuda<Real>(0, {threads}, model)
                              : make_divided_map<Real>({threads}, model);
}

std::unique_ptr<MapSum> mesh_sum(MapProcessor processor, const MapModel& model, int threads = 1,
                                 const MapMeshPrices& prices = kMeshAlone) {
  const bool mixed = is_mixed(processor);
  return make_mesh_map_sum(
      {threads}, mixed ? Precision::mixed : Precision::fp64, model,
      mixed ? parts_on<float>(processor, model, threads) : parts_on<double>(processor, model, threads), prices);
}

MapValues direct_map(MapModel model, const MapGrid& grid, MapCharges charges) {
  model.mesh.reset();
  return make_map_sum(Cpu{2}, Precision::fp64, model)->compute(grid, charges);
}

/// Returns a grid of n points along the longest axis, around the charges and `padding` beyond them.
MapGrid grid_around(MapCharges charges, int n, double padding) {
  Cuboid cuboid;
  for (const Vec3<double>& x : charges.position) cuboid.add(x);
  const Vec3<double> more{padding, padding, padding}, low = cuboid.low - more, size = cuboid.high + more - low;
  const double h = std::max({size.x, size.y, size.z}) / (n - 1);
  const auto points = [&](double along) { return static_cast<std::int32_t>(along / h) + 1; };
  return {low, {h, 0.99 * h, h}, {points(size.x), points(size.y), points(size.z)}};
}

/// Returns the RMS error over the RMS potential, at points at least 1 Å from every charge.
double relative_error(const MapValues& map, const MapValues& direct, const MapGrid& grid, MapCharges charges) {
  double error = 0, all = 0;
  for (std::int32_t k = 0; k < grid.points.z; ++k)
    for (std::int32_t j = 0; j < grid.points.y; ++j)
      for (std::int32_t i = 0; i < grid.points.x; ++i) {
        const Vec3<double> at = grid.at(i, j, k);
        if (std::any_of(charges.position.begin(), charges.position.end(),
                        [&](const Vec3<double>& x) { return norm(x - at) < 1; }))
          continue;
        const std::size_t p = grid.number(i, j, k);
        error += std::pow(map.potential[p] - direct.potential[p], 2);
        all += std::pow(direct.potential[p], 2);
      }
  return all > 0 ? std::sqrt(error / all) : std::sqrt(error);
}

class MeshMap : public OnMapProcessors {
 protected:
  static MapProcessor processor() { return GetParam(); }
  static std::vector<double> accuracies() {
    return is_mixed(processor()) ? std::vector{1e-2, 1e-4, 1e-5} : std::vector{1e-3, 1e-8};
  }

  static MapValues expect_accurate(const MapGrid& grid, MapCharges charges, double accuracy,
                                   const MapMeshPrices& prices = kMeshAlone) {
    const MapModel model = mesh_model(accuracy);
    MapValues map = mesh_sum(processor(), model, 2, prices)->compute(grid, charges);
    const MapValues direct = direct_map(model, grid, charges);
    EXPECT_TRUE(map.mesh.has_value());
    EXPECT_EQ(map.near_points, direct.near_points);
    const double error = relative_error(map, direct, grid, charges);
    EXPECT_LE(error, accuracy);
    // It is measured at up to 512 of the points, whose RMS potential differs.
    EXPECT_LE(error, 3 * map.mesh->measured_error + 1e-7);
    EXPECT_GE(error + 1e-7, map.mesh->measured_error / 3);
    return map;
  }
};

INSTANTIATE_TEST_SUITE_P(Methods, MeshMap, all_map_processors(), name_of_map_processor);

/// Random, lattice, water-like, charged, elongated, two droplets, far from the origin. (At 1e6 Å positions have a
/// rounding of 1e-10 Å.)
TEST_P(MeshMap, ErrorIsAtMostTheAccuracy) {
  for (const std::string& name : kMeshSystems)
    for (const std::size_t n : {33U, 1000U})
      for (const double accuracy : accuracies()) {
        if (name == "far_away" && accuracy < 1e-6) continue;
        SCOPED_TRACE(testing::Message() << name << ' ' << n << ' ' << accuracy);
        const Particles p = mesh_system(name, n);
        const MapCharges charges{p.position, p.charge};
        const MapValues map = expect_accurate(grid_around(charges, 21, 3), charges, accuracy);
        EXPECT_GT(map.mesh->points[0], 0) << "the mesh is used";
        EXPECT_EQ(map.mesh->outside, 0U);
        RecordProperty(name + std::to_string(n) + "_" + std::to_string(-std::log10(accuracy)),
                       std::to_string(map.mesh->measured_error / accuracy));
      }
}

/// At the points of small grids the potential may be near 0 by accident, so errors are relative to k_e Σ|q|/r, and to
/// that of the charges' own arithmetic in mixed precision.
TEST_P(MeshMap, AnyNumberOfChargesAndPoints) {
  std::uint32_t seed = 1;
  for (const Vec3<std::int32_t> points : {Vec3<std::int32_t>{1, 1, 1}, {2, 3, 5}, {33, 1, 2}, {1, 17, 9}})
    for (const std::size_t n : {0U, 1U, 2U, 31U, 32U, 33U, 129U}) {
      SCOPED_TRACE(testing::Message() << n << " charges, points " << points.x << ' ' << points.y << ' ' << points.z);
      const Charges charges = random_charges(n, 6.0, seed++);
      Charges sizes = charges;
      for (double& q : sizes.charge) q = std::abs(q);
      const MapGrid grid{{-3.3, -2.9, -2.1}, {0.31, 0.5, 0.37}, points};
      const MapModel model = mesh_model(1e-4);
      const MapValues map = mesh_sum(processor(), model)->compute(grid, charges.view()),
                      direct = direct_map(model, grid, charges.view()), scale = direct_map(model, grid, sizes.view());
      ASSERT_EQ(map.potential.size(), grid.n_points());
      for (std::size_t p = 0; p < grid.n_points(); ++p)
        EXPECT_NEAR(map.potential[p], direct.potential[p], 3e-4 * scale.potential[p]) << p;
    }
}

/// A part of a droplet, points outside of it, and a plane.
TEST_P(MeshMap, PointsAnywhere) {
  const Particles p = mesh_system("water", 1500);
  const MapCharges charges{p.position, p.charge};
  const MapGrid grids[] = {{{-3, -4, -5}, {0.4, 0.5, 0.6}, {12, 13, 14}},
                           {{25, -10, -10}, {1.5, 1.5, 1.5}, {12, 12, 12}},
                           {{-20, -20, 0.3}, {0.7, 0.9, 1}, {60, 50, 1}},
                           {{-60, -60, -60}, {6, 6, 6}, {21, 21, 21}}};
  for (const MapGrid& grid : grids) {
    SCOPED_TRACE(grid.origin.x);
    expect_accurate(grid, charges, 1e-4);
  }
}

/// Molecules on a lattice whose period is twice the spacing of the mesh that is chosen first: the error is five times
/// the estimate, and the mesh is refined.
TEST_P(MeshMap, IsRefinedWhereTheEstimateFails) {
  const Particles p = mesh_system("water", 1500);
  const MapCharges charges{p.position, p.charge};
  const MapGrid grid{{-3, -4, -5}, {0.4, 0.5, 0.6}, {12, 13, 14}};
  for (const double accuracy : {1e-3, 3e-4, 1e-4, 3e-5}) expect_accurate(grid, charges, accuracy);
}

TEST_P(MeshMap, AChargeFarAwayIsSummedDirectly) {
  const Particles p = mesh_system("random", 1000);
  Charges charges{p.position, p.charge};
  const MapGrid grid = grid_around(charges.view(), 25, 3);
  const MapValues without = expect_accurate(grid, charges.view(), 1e-4);
  charges.add({1e6, 2e5, -3e5}, 40);
  charges.add({-900, 500, 20}, -30);
  MapMeshPrices prices = kMeshAlone;
  prices.direct_pair = 10;
  const MapValues map = expect_accurate(grid, charges.view(), 1e-4, prices);
  EXPECT_EQ(map.mesh->outside, 2U);
  EXPECT_EQ(map.mesh->points, without.mesh->points) << "neither memory nor accuracy";
}

/// Points on a charge and nearer than d_min have the potential of direct sums there, too: the mesh has the smooth part
/// of a charge at the point itself, which the near path replaces by that at d_min.
TEST_P(MeshMap, NearerThanDMin) {
  Charges charges = random_charges(200, 7.0, 3);
  charges.add({0, 0, 0}, 1);
  const MapGrid grid{{-4, -4, -4}, {1, 1, 1}, {9, 9, 9}};
  for (const double nearest : {0.1, 1.4}) {
    MapModel model = mesh_model(1e-4);
    model.nearest = nearest;
    const MapValues map = mesh_sum(processor(), model)->compute(grid, charges.view()),
                    direct = direct_map(model, grid, charges.view());
    EXPECT_EQ(map.near_points, direct.near_points);
    double square = 0;
    for (const double v : direct.potential) square += v * v / static_cast<double>(grid.n_points());
    // The error of single points is up to some times the RMS error.
    for (std::size_t p = 0; p < grid.n_points(); ++p)
      EXPECT_NEAR(map.potential[p], direct.potential[p], 6e-4 * std::sqrt(square)) << p;
  }
}

/// Interpolation by the derivatives of the B-splines. The error of the field is larger than that of the potential by
/// about the wave number of the finest waves of the mesh, π/h, over that of the potential itself.
TEST_P(MeshMap, Field) {
  const Particles p = mesh_system("random", 1000);
  const MapCharges charges{p.position, p.charge};
  const MapGrid grid = grid_around(charges, 15, 3);
  for (const double accuracy : {1e-3, 1e-5}) {
    const MapModel model = mesh_model(accuracy, true);
    const MapValues map = mesh_sum(processor(), model)->compute(grid, charges),
                    direct = direct_map(model, grid, charges);
    ASSERT_EQ(map.field.size(), grid.n_points());
    double error = 0, all = 0;
    for (std::size_t k = 0; k < grid.n_points(); ++k) {
      const Vec3<double> d = map.field[k] - direct.field[k];
      error += dot(d, d);
      all += dot(direct.field[k], direct.field[k]);
    }
    EXPECT_LE(std::sqrt(error / all), 3 * accuracy);
    EXPECT_LE(relative_error(map, direct, grid, charges), accuracy);
  }
}

TEST_P(MeshMap, SameBytesForAnyThreadsAndOrderOfMaps) {
  const Particles p = mesh_system("water", 900);
  const MapCharges charges{p.position, p.charge};
  const MapGrid grid = grid_around(charges, 24, 3), other = grid_around(charges, 13, 9);
  const MapModel model = mesh_model(1e-4);
  const MapValues one = mesh_sum(processor(), model, 1)->compute(grid, charges);
  const auto sum = mesh_sum(processor(), model, 3);
  sum->compute(other, charges);
  EXPECT_EQ(sum->compute(grid, charges).potential, one.potential);
  EXPECT_EQ(sum->compute(grid, charges).potential, one.potential) << "with the influence function that was kept";
}

TEST_P(MeshMap, CanBeStoppedAndUsedAgain) {
  const Particles p = mesh_system("random", 300);
  const MapCharges charges{p.position, p.charge};
  const MapGrid grid = grid_around(charges, 15, 3);
  const auto sum = mesh_sum(processor(), mesh_model(1e-3));
  EXPECT_THROW(sum->compute(grid, charges, [](std::size_t, std::size_t) { return false; }), MapStopped);
  const MapValues again = sum->compute(grid, charges);
  EXPECT_EQ(again.potential, mesh_sum(processor(), mesh_model(1e-3))->compute(grid, charges).potential);
}

TEST(MeshMapModel, WhatCannotBeIsRefused) {
  const auto refusal = [](double accuracy, Precision precision) {
    try {
      make_map_sum(Cpu{1}, precision, mesh_model(accuracy));
    } catch (const InputError& error) {
      return std::string(error.what());
    }
    return std::string{};
  };
  EXPECT_EQ(refusal(1e-5, Precision::mixed), "");
  EXPECT_EQ(refusal(1e-10, Precision::fp64), "");
  EXPECT_NE(refusal(9e-6, Precision::mixed).find("double precision"), std::string::npos);
  EXPECT_NE(refusal(1e-11, Precision::fp64).find("must be from"), std::string::npos);
  EXPECT_NE(refusal(0.1, Precision::mixed).find("must be from"), std::string::npos);
  EXPECT_NE(refusal(NAN, Precision::fp64).find("must be from"), std::string::npos);
  EXPECT_THROW(make_map_sum(Cpu{1}, Precision::mixed, {.coulomb = {"cut", {{"cutoff", 5.0}}}, .mesh = MapMesh{1e-4}}),
               InputError);
}

}  // namespace
}  // namespace dropmd
