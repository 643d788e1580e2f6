#include <gtest/gtest.h>

#include <numbers>

#include "core/units.h"
#include "tests/support/maps/map_processors.h"

/// Potentials with known values.
namespace dropmd {
namespace {

struct Charges {
  std::vector<Vec3<double>> position;
  std::vector<double> charge;
  void add(const Vec3<double>& x, double q) {
    position.push_back(x);
    charge.push_back(q);
  }
};

class MapPhysics : public OnMapProcessors {
 protected:
  static MapValues map_of(const Charges& charges, const MapGrid& grid, double coulomb = 1, bool field = false) {
    const MapModel model{.coulomb_constant = coulomb, .field = field};
    return make_map_sum(GetParam(), model)->compute(grid, {charges.position, charges.charge});
  }
  static double bound() { return is_mixed(GetParam()) ? 1e-6 : 1e-13; }
};

/// A proton at 1 Å in volts: 14.39964548 V Å (CODATA), of which the constants of the units have 14.39964...
TEST_P(MapPhysics, PointCharge) {
  Charges one;
  one.add({0, 0, 0}, 1);
  const MapGrid grid{{1, 0, 0}, {1, 1, 1}, {20, 1, 1}};
  const MapValues map = map_of(one, grid, kRealUnits.coulomb * kVoltPerEnergy, true);
  for (std::size_t i = 0; i < 20; ++i) {
    const double r = static_cast<double>(i) + 1;
    EXPECT_NEAR(map.potential[i] * r, 14.399645, 2e-5) << r;
    EXPECT_NEAR(map.field[i].x * r * r, 14.399645, 4e-5) << r;
    EXPECT_NEAR(map.field[i].y, 0, 1e-5);
  }
}

/// Far away V = p·r/r³, with a relative error of (d/r)².
TEST_P(MapPhysics, Dipole) {
  const double d = 0.02;
  Charges dipole;
  dipole.add({0, 0, 0.5 * d}, 1);
  dipole.add({0, 0, -0.5 * d}, -1);
  const MapGrid grid{{-6, -6, 3}, {1.5, 1.5, 1.5}, {9, 9, 5}};
  const MapValues map = map_of(dipole, grid);
  for (std::int32_t k = 0; k < 5; ++k)
    for (std::int32_t j = 0; j < 9; ++j)
      for (std::int32_t i = 0; i < 9; ++i) {
        const Vec3<double> r = grid.at(i, j, k);
        const double r2 = dot(r, r), expected = d * r.z / (r2 * std::sqrt(r2));
        // The difference of two charges, each with the rounding error of 2/r.
        EXPECT_NEAR(map.potential[grid.number(i, j, k)], expected, expected * d * d / r2 + bound() * 2 / std::sqrt(r2));
      }
}

/// Charges on the points of a fine lattice within a sphere: the potential is Q/r outside, and Q (3 R² − r²)/(2 R³)
/// inside.
TEST_P(MapPhysics, UniformlyChargedSphere) {
  const double radius = 10, h = 0.5;
  Charges sphere;
  for (int i = -20; i <= 20; ++i)
    for (int j = -20; j <= 20; ++j)
      for (int k = -20; k <= 20; ++k) {
        const Vec3<double> x{(i + 0.5) * h, (j + 0.5) * h, (k + 0.5) * h};
        if (norm(x) <= radius) sphere.add(x, h * h * h);
      }
  const double q = static_cast<double>(sphere.charge.size()) * h * h * h;
  // The equivalent sphere of the lattice has the same charge. Its surface is rough by h, which averages out at a
  // distance.
  const double r_q = std::cbrt(3 * q / (4 * std::numbers::pi));
  EXPECT_NEAR(r_q, radius, 0.02);
  const MapGrid outside{{13, 0, 0}, {4, 1, 1}, {12, 1, 1}};
  const MapValues far = map_of(sphere, outside);
  for (std::int32_t i = 0; i < 12; ++i) EXPECT_NEAR(far.potential[i] * (13 + 4 * i), q, 2e-4 * q);
  // In the middle of eight charges. Using a lattice instead of a uniform density changes V by some h² times the
  // density, 1/4000 of the potential.
  const MapGrid inside{{0, 0, 0}, {h, h, h}, {13, 1, 1}};
  const MapValues near = map_of(sphere, inside);
  for (std::int32_t i = 0; i < 13; ++i) {
    const double r = i * h, expected = q * (3 * r_q * r_q - r * r) / (2 * r_q * r_q * r_q);
    EXPECT_NEAR(near.potential[i], expected, 2e-3 * expected) << r;
  }
}

/// The Madelung constant of rock salt, 1.747564594633 (distance 1), by Evjen's cubes: charges on faces count by half,
/// on edges by a quarter, in corners by an eighth. H. M. Evjen, Phys. Rev. 39, 675 (1932).
TEST_P(MapPhysics, MiddleOfARockSaltCube) {
  Charges cube;
  constexpr int kHalf = 10;
  for (int i = -kHalf; i <= kHalf; ++i)
    for (int j = -kHalf; j <= kHalf; ++j)
      for (int k = -kHalf; k <= kHalf; ++k) {
        if (i == 0 && j == 0 && k == 0) continue;
        double q = (i + j + k) % 2 == 0 ? 1 : -1;
        for (const int n : {i, j, k})
          if (std::abs(n) == kHalf) q /= 2;
        cube.add({1.0 * i, 1.0 * j, 1.0 * k}, q);
      }
  const MapValues map = map_of(cube, {{0, 0, 0}, {1, 1, 1}, {1, 1, 1}});
  EXPECT_NEAR(map.potential[0], -1.747564594633, is_mixed(GetParam()) ? 1e-3 : 1e-5);
}

/// The field is the negative slope of the potential for every form, away from d_min and from the cutoff, where `cut`
/// jumps.
TEST_P(MapPhysics, FieldIsTheSlopeOfThePotential) {
  if (is_mixed(GetParam()))
    GTEST_SKIP() << "differences of rounded potentials say nothing; MapSumTest compares its field";
  Charges charges;
  for (int i = 0; i < 30; ++i)
    charges.add({3 * std::sin(1.0 * i), 3 * std::cos(2.0 * i), 3 * std::sin(3.0 * i + 1)}, i % 2 ? 1 : -0.7);
  const double h = 1e-5;
  for (const FormChoice& form :
       {FormChoice{"exact", {}}, FormChoice{"shift", {{"cutoff", 5.0}}}, FormChoice{"smoothed", {{"cutoff", 5.0}}},
        FormChoice{"reaction-field", {{"cutoff", 5.0}, {"dielectric", 10.0}}}}) {
    const MapModel model{.coulomb = form, .field = true};
    const auto sum = make_map_sum(GetParam(), model);
    for (const Vec3<double>& p : {Vec3<double>{0.3, 0.2, -0.4}, Vec3<double>{5, 1, 2}, Vec3<double>{-2.6, 1.1, 0.7}}) {
      const MapGrid round{{p.x - h, p.y - h, p.z - h}, {h, h, h}, {3, 3, 3}};
      const MapValues map = sum->compute(round, {charges.position, charges.charge});
      const auto v = [&](int i, int j, int k) { return map.potential[round.number(i, j, k)]; };
      const Vec3<double> slope{(v(2, 1, 1) - v(0, 1, 1)) / (2 * h), (v(1, 2, 1) - v(1, 0, 1)) / (2 * h),
                               (v(1, 1, 2) - v(1, 1, 0)) / (2 * h)};
      // Rounding 1e-15 · 30/(2 h), curvature h² V'''.
      EXPECT_LT(norm(map.field[round.number(1, 1, 1)] + slope), 1e-7) << form.form;
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Methods, MapPhysics, all_map_processors(), name_of_map_processor);

}  // namespace
}  // namespace dropmd
