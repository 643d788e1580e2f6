#include <gtest/gtest.h>

#include <cmath>
#include <vector>

#include "forces/mesh/mesh_potential.h"
#include "maps/mesh/grid_interpolation.h"
#include "tests/forces/mesh/mesh_systems.h"

namespace dropmd {
namespace {

/// At the points of a grid the tensor product is the sum over P³ points that charges get, to rounding.
TEST(GridInterpolation, IsThatOfCharges) {
  for (int order = 4; order <= 8; ++order) {
    SCOPED_TRACE(order);
    Particles p = mesh_system("random", 200);
    const MapGrid grid{{-5, -4, -3.5}, {1.1, 0.7, 2.3}, {9, 12, 5}};
    const std::size_t n = p.size();
    for (std::int32_t k = 0; k < grid.points.z; ++k)
      for (std::int32_t j = 0; j < grid.points.y; ++j)
        for (std::int32_t i = 0; i < grid.points.x; ++i) {
          p.position.push_back(grid.at(i, j, k));
          p.charge.push_back(0);
        }
    const MeshBox box = MeshBox::around({-12, -12, -12}, {14, 14, 14}, 1.7, order);
    MeshPotential mesh({2}, CoulombSplit(7, 12), box, order, 60);
    std::vector<double> potential(p.position.size(), NAN);
    std::vector<Vec3<double>> gradient(p.position.size(), {NAN, NAN, NAN});
    mesh.evaluate({2}, p.position, p.charge, potential, gradient);
    MapValues map;
    map.potential.assign(grid.n_points(), 1);
    map.field.assign(grid.n_points(), {1, 2, 3});
    const auto values = mesh.on_mesh({2}, p.position, p.charge);
    GridInterpolation(grid, box, order).add({2}, values, 10, map);
    for (std::size_t k = 0; k < grid.n_points(); ++k) {
      EXPECT_NEAR(map.potential[k], 1 + 10 * potential[n + k], 1e-11);
      const Vec3<double> d = map.field[k] - (Vec3<double>{1, 2, 3} - 10.0 * gradient[n + k]);
      EXPECT_LE(norm(d), 1e-10);
    }
  }
}

}  // namespace
}  // namespace dropmd
