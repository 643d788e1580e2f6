#include "integrators/constraints/settle.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "tests/integrators/constraints/test_clusters.h"

/// SETTLE against Newton's method on the same triangle.
namespace dropmd {
namespace {

struct Water {
  const char* name;
  double leg, angle, mass_apex, mass_base;
};

class SettleModels : public testing::TestWithParam<Water> {
 protected:
  static double base() { return 2 * GetParam().leg * std::sin(0.5 * GetParam().angle / 180 * 3.14159265358979323846); }
  static Settle settle() { return Settle::make(GetParam().mass_apex, GetParam().mass_base, GetParam().leg, base()); }
  /// Height or half base, the smaller one: moves as long as that lead to several solutions.
  static double size() {
    return std::min(0.5 * base(), GetParam().leg * std::cos(0.5 * GetParam().angle / 180 * 3.14159265358979323846));
  }
  static Positions molecule() {
    const double half = 0.5 * base(), height = std::sqrt(GetParam().leg * GetParam().leg - half * half);
    return {{0, 0, 0}, {half, height, 0}, {-half, height, 0}};
  }
};

TEST_P(SettleModels, AgreesWithNewtonsMethodOnPerturbedMolecules) {
  RandomVectors random(11);
  const Settle settle = SettleModels::settle();
  double worst = 0;
  int solved = 0;
  for (const double move : {1e-8, 1e-3, 0.02, 0.1}) {
    for (int repeat = 0; repeat < 500; ++repeat) {
      const Positions reference = random.turned(molecule(), {3, -8, 12});
      const Positions free = reference + random.vectors(3, move * size());
      Vec3<double> analytic[3], iterated[3];
      const bool has_solution = settle.displacements(reference.data(), free.data(), analytic);
      if (!settle.triangle.displacements(reference.data(), free.data(), iterated) || !has_solution) continue;
      ++solved;
      for (int i = 0; i < 3; ++i) worst = std::max(worst, norm(analytic[i] - iterated[i]));
    }
  }
  RecordProperty("worst", testing::PrintToString(worst));
  EXPECT_LT(worst, 1e-12 * GetParam().leg);
  EXPECT_GT(solved, 1990);
}

/// The two have the same solutions: where SETTLE has none, Newton's method finds none, for moves up to half a bond.
TEST_P(SettleModels, FailsWhereNewtonsMethodFails) {
  RandomVectors random(12);
  const Settle settle = SettleModels::settle();
  int failed = 0;
  for (int repeat = 0; repeat < 3000; ++repeat) {
    const Positions reference = random.turned(molecule(), {});
    const Positions free = reference + random.vectors(3, 0.5 * GetParam().leg);
    Vec3<double> analytic[3], iterated[3];
    if (settle.displacements(reference.data(), free.data(), analytic)) continue;
    ++failed;
    EXPECT_FALSE(settle.triangle.displacements(reference.data(), free.data(), iterated));
    for (const auto& d : analytic) EXPECT_EQ(d, Vec3<double>{});
  }
  EXPECT_GT(failed, 10);
}

/// With the positions themselves as reference it makes a molecule rigid that is not yet, as at the start of a run.
TEST_P(SettleModels, MakesADistortedMoleculeRigid) {
  RandomVectors random(13);
  const Settle settle = SettleModels::settle();
  for (int repeat = 0; repeat < 100; ++repeat) {
    Positions position = random.turned(molecule(), {1, 2, 3}) + random.vectors(3, 0.05 * GetParam().leg);
    const Positions start = position;
    ASSERT_TRUE(settle.solve_positions(start.data(), position.data()));
    EXPECT_NEAR(norm(position[1] - position[0]) / GetParam().leg, 1, 1e-14);
    EXPECT_NEAR(norm(position[2] - position[0]) / GetParam().leg, 1, 1e-14);
    EXPECT_NEAR(norm(position[2] - position[1]) / base(), 1, 1e-14);
  }
}

/// A molecule that only moves on needs no constraint force.
TEST_P(SettleModels, LeavesAShiftedMoleculeAlone) {
  RandomVectors random(14);
  for (int repeat = 0; repeat < 100; ++repeat) {
    const Positions reference = random.turned(molecule(), {});
    const Vec3<double> shift = random.vector(1);
    const Positions free = reference + Positions(3, shift);
    Vec3<double> displacement[3];
    ASSERT_TRUE(settle().displacements(reference.data(), free.data(), displacement));
    for (const auto& d : displacement) EXPECT_LT(norm(d), 1e-14);
  }
}

INSTANTIATE_TEST_SUITE_P(Models, SettleModels,
                         testing::Values(Water{"spce", 1.0, 109.4712, 15.999, 1.008},
                                         Water{"tip3p", 0.9572, 104.52, 15.9994, 1.008},
                                         Water{"heavy", 0.9572, 104.52, 15.9994, 2.014},
                                         Water{"sharp", 1.0, 20, 15.999, 1.008},
                                         Water{"blunt", 1.0, 165, 15.999, 1.008}, Water{"equal_masses", 1.5, 60, 1, 1},
                                         Water{"light_apex", 1.5, 100, 1.008, 78.971}),
                         [](const auto& water) { return std::string(water.param.name); });

}  // namespace
}  // namespace dropmd
