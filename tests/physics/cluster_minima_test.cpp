#include <gtest/gtest.h>

#include <cmath>
#include <random>
#include <tuple>

#include "inputs/run_file/run_config.h"
#include "tests/support/processors.h"

/// The global minima of small Lennard-Jones clusters (Cambridge Cluster Database), found again by FIRE
/// from perturbed starts near them.
namespace dropmd {
namespace {

using Points = std::vector<Vec3<double>>;

/// n points on a circle of radius r at height z, the first at angle `turn`.
void add_ring(Points& points, int n, double r, double z, double turn) {
  for (int k = 0; k < n; ++k) {
    const double angle = turn + 2 * std::acos(-1.0) * k / n;
    points.push_back({r * std::cos(angle), r * std::sin(angle), z});
  }
}

Points tetrahedron() { return {{1, 1, 1}, {1, -1, -1}, {-1, 1, -1}, {-1, -1, 1}}; }

/// An n-gon between two apices.
Points bipyramid(int n, double height) {
  Points points{{0, 0, height}, {0, 0, -height}};
  add_ring(points, n, 1, 0, 0);
  return points;
}

/// Pentagons staggered along an axis, with an atom between neighbouring pentagons and one at each end. 2 rings are an
/// icosahedron (13 atoms), 3 the double icosahedron (19).
Points stacked_icosahedra(int rings) {
  const double radius = 2 / std::sqrt(5.0), gap = 2 / std::sqrt(5.0);
  Points points;
  for (int k = 0; k < rings; ++k) {
    add_ring(points, 5, radius, k * gap, k % 2 == 0 ? 0.0 : std::acos(-1.0) / 5);
    points.push_back({0, 0, (k + 0.5) * gap});
  }
  points.back().z = (rings - 1) * gap + 1 - gap / 2;
  points.push_back({0, 0, gap / 2 - 1});
  return points;
}

/// Scales the points so that nearest neighbours are r_min apart.
Points at_contact(Points points) {
  double nearest = 1e9;
  for (std::size_t i = 0; i < points.size(); ++i)
    for (std::size_t j = 0; j < i; ++j) nearest = std::min(nearest, norm(points[i] - points[j]));
  for (Vec3<double>& x : points) x *= 1.122462048309373 / nearest;
  return points;
}

struct Minimum {
  Points points;
  double energy;
};

class ClusterMinima : public ::testing::TestWithParam<std::tuple<Minimum, Processor>> {
 protected:
  void SetUp() override {
    if (const std::string reason = reason_to_skip(processor()); !reason.empty()) GTEST_SKIP() << reason;
  }
  static const Minimum& minimum() { return std::get<0>(GetParam()); }
  static Processor processor() { return std::get<1>(GetParam()); }
};

/// The energies are stated to 1e-6; a force of 1e-6 leaves 1e-12/60 above the minimum. In mixed precision, energies
/// have an error of 1e-6 of Σ|u| (here −U: no pair repels) and, where few atoms make Σ|u| small, of 1e-6 ε per atom.
/// Forces of f leave N f²/(2 k) above the minimum, where the softest vibrations of these clusters have k ≈ 20 ε/σ².
double allowed_energy_error(const Minimum& minimum, Processor processor) {
  constexpr double kStated = 1e-6, kSoftest = 20;
  if (processor != Processor::gpu_mixed) return kStated;
  const auto n = static_cast<double>(minimum.points.size());
  const double f = reachable_force(processor);
  return kStated + bounds_of(Precision::mixed).energy * (n - minimum.energy) + n * f * f / (2 * kSoftest);
}

TEST_P(ClusterMinima, FireFindsItAgain) {
  const double force_tolerance = reachable_force(processor());
  std::mt19937 random(1);
  std::uniform_real_distribution<double> shake(-0.06, 0.06);
  for (int attempt = 0; attempt < 3; ++attempt) {
    ChargedAtoms atoms;
    for (const Vec3<double>& x : at_contact(minimum().points))
      atoms.add(x + Vec3<double>{shake(random), shake(random), shake(random)});
    const RunConfig config = lj_run({"fire", {{"timestep", 0.005}, {"force-tolerance", force_tolerance}}}, 20000);
    System system = build_system(config, structure_of(atoms));
    const RunResult run = run_short(system, config, method_on(processor()));
    EXPECT_EQ(run.end, RunEnd::converged) << run.steps << " steps";
    EXPECT_NEAR(run.last.energies.of("vdw"), minimum().energy, allowed_energy_error(minimum(), processor()));
    EXPECT_GT(run.rows.front().energies.of("vdw"), minimum().energy + 0.01) << "the start was no test";
    for (const Vec3<double>& f : run.force) EXPECT_LT(norm(f), force_tolerance);
  }
}

INSTANTIATE_TEST_SUITE_P(CambridgeClusterDatabase, ClusterMinima,
                         ::testing::Combine(::testing::Values(Minimum{tetrahedron(), -6.0},
                                                              Minimum{bipyramid(3, 1.4), -9.103852},
                                                              Minimum{bipyramid(4, 1.0), -12.712062},
                                                              Minimum{bipyramid(5, 0.62), -16.505384},
                                                              Minimum{stacked_icosahedra(2), -44.326801},
                                                              Minimum{stacked_icosahedra(3), -72.659782}),
                                            all_processors()),
                         [](const auto& instance) {
                           return "N" + std::to_string(std::get<0>(instance.param).points.size()) + "_" +
                                  name_of(std::get<1>(instance.param));
                         });

}  // namespace
}  // namespace dropmd
