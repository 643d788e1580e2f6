#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <string>
#include <vector>

#include "forces/mesh/mesh_potential.h"
#include "forces/pair/pair_force_term.h"
#include "tests/forces/mesh/mesh_evaluation.h"

/// Sums over all charges of what a mesh computes: lattice sums, net force and torque.
namespace dropmd {
namespace {

/// The ions of rock salt within m nearest distances of one along each axis, in the units of that distance. Ions in a
/// face, an edge or a corner of the cube belong to it by a half, a quarter and an eighth, so that each cube is neutral
/// (H. M. Evjen, Phys. Rev. 39, 675, 1932).
struct RockSalt {
  std::vector<Vec3<double>> position;
  std::vector<double> charge;
  std::size_t centre = 0;

  explicit RockSalt(int m) {
    const auto part = [m](int i) { return std::abs(i) == m ? 0.5 : 1.0; };
    for (int i = -m; i <= m; ++i)
      for (int j = -m; j <= m; ++j)
        for (int k = -m; k <= m; ++k) {
          if (i == 0 && j == 0 && k == 0) centre = position.size();
          position.push_back({static_cast<double>(i), static_cast<double>(j), static_cast<double>(k)});
          charge.push_back(((i + j + k) % 2 == 0 ? 1 : -1) * part(i) * part(j) * part(k));
        }
  }

  double total_charge() const {
    double sum = 0;
    for (const double q : charge) sum += q;
    return sum;
  }

  /// The potential at the central ion by direct summation of the others.
  double direct() const {
    double sum = 0;
    for (std::size_t i = 0; i < position.size(); ++i)
      if (i != centre) sum += charge[i] / norm(position[i]);
    return sum;
  }

  /// The same by a mesh, and by the short-range part of the pairs.
  double by_mesh(const CoulombSplit& split, double spacing, int order, const Vec3<double>& shift) const {
    std::vector<Vec3<double>> at = position;
    for (Vec3<double>& x : at) x += shift;
    const MeshBox box = MeshBox::around(at.front(), at.back(), spacing, order);
    MeshPotential mesh({1}, split, box, order, norm(at.back() - at.front()));
    std::vector<double> potential(at.size(), NAN);
    std::vector<Vec3<double>> gradient(at.size());
    mesh.evaluate({1}, at, charge, potential, gradient);
    double sum = potential[centre] - charge[centre] * split.smooth(0);
    for (std::size_t i = 0; i < at.size(); ++i) {
      const double r = norm(position[i]);
      if (i != centre && r < split.cutoff()) sum += charge[i] * (1 / r - split.smooth(r));
    }
    return sum;
  }
};

/// Madelung's constant of rock salt is 1.747564594633. Cubes of whole shells have sums that differ from it by 2e-2,
/// 5e-4 and 1e-4 or less for m = 2, 3 and 5; a mesh has those sums to its own error.
TEST(MeshSums, ApproachMadelungsConstant) {
  constexpr double kMadelung = 1.747564594633;
  struct Shells {
    int m;
    double difference;
  };
  const CoulombSplit split(3.5, 15);
  for (const Shells& shells : {Shells{2, 2e-2}, Shells{3, 1e-3}, Shells{5, 2e-4}, Shells{6, 2e-4}}) {
    SCOPED_TRACE(shells.m);
    const RockSalt salt(shells.m);
    EXPECT_NEAR(salt.total_charge(), 0, 1e-12);
    const double direct = salt.direct();
    for (const Vec3<double>& shift : {Vec3<double>{0, 0, 0}, Vec3<double>{0.13, -0.37, 0.41}}) {
      const double sum = salt.by_mesh(split, 0.5, 7, shift);
      EXPECT_NEAR(sum, direct, 1e-5);
      EXPECT_NEAR(sum, -kMadelung, shells.difference + 1e-5);
    }
  }
}

/// A cube of whole ions has the potential of a finite crystal, which no lattice sum gives.
TEST(MeshSums, AreThoseOfAFiniteCrystal) {
  RockSalt salt(4);
  for (double& q : salt.charge) q = q > 0 ? 1 : -1;
  EXPECT_NEAR(std::abs(salt.total_charge()), 1, 1e-12);
  EXPECT_NEAR(salt.by_mesh(CoulombSplit(3, 14), 0.4, 6, {0.2, 0.3, 0.1}), salt.direct(), 3e-5);
}

class MeshMoments : public testing::TestWithParam<std::string> {};
INSTANTIATE_TEST_SUITE_P(Systems, MeshMoments, testing::ValuesIn(kMeshSystems),
                         [](const auto& test) { return test.param; });

/// Pairs have no net force and no torque, so those of all forces are those of the mesh. Relative to the sum of all
/// forces of the size of the scale, and of their moments, both are within the accuracy; the net force, which is
/// subtracted, is zero to rounding.
TEST_P(MeshMoments, AreZeroToTheAccuracy) {
  constexpr double kFewCutoffs[] = {6, 9, 12};
  for (const double accuracy : {1e-3, 1e-5}) {
    const Particles p = mesh_system(GetParam(), 400);
    const ChargeStatistics statistics = ChargeStatistics::of({1}, kCoulomb, p.position, p.charge);
    CoulombSettings settings;
    settings.accuracy = accuracy;
    const MeshPlan plan = plan_mesh(statistics, kCoulomb, settings, kFewCutoffs, kMeshAlone);
    HostMesh mesh({1}, kCoulomb, plan.parameters, kMeshAlone, p);
    std::vector<Vec3<double>> force(p.size(), {NAN, NAN, NAN});
    Energies energies;
    mesh.evaluate({p.position, 0}, Want::forces, true, force, energies);
    Vec3<double> centre, net, torque;
    double mass = 0, arms = 0;
    for (std::size_t i = 0; i < p.size(); ++i) {
      centre += p.mass[i] * (p.position[i] - p.position[0]);
      mass += p.mass[i];
    }
    centre = p.position[0] + (1 / mass) * centre;
    for (std::size_t i = 0; i < p.size(); ++i) {
      const Vec3<double> arm = p.position[i] - centre;
      net += force[i];
      torque += cross(arm, force[i]);
      arms += norm(arm);
    }
    const double scale = statistics.force_scale(kCoulomb);
    EXPECT_LE(norm(net), 1e-13 * scale * static_cast<double>(p.size()));
    EXPECT_LE(norm(torque), accuracy * scale * arms);
  }
}

}  // namespace
}  // namespace dropmd
