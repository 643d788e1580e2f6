#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <string>
#include <tuple>
#include <vector>

#include "forces/mesh/host_mesh.h"
#include "forces/pair/pair_force_term.h"
#include "tests/forces/mesh/mesh_systems.h"

/// The error of pairs and mesh together, with the parameters that are chosen for an accuracy.
namespace dropmd {
namespace {

constexpr double kCoulomb = 332.063713299;
/// Charges outside of the mesh cost so much that there are none.
constexpr MeshPrices kMeshAlone{2, 30, 2.5, 1e9};

/// Direct sums of 1/r and of its short part alone, over all atoms.
struct Direct {
  std::vector<Vec3<double>> force, short_force;
  double energy = 0, short_energy = 0;
  double absolute = 0;  ///< Σ|q_i φ_i|

  Direct(const Particles& p, const CoulombSplit& split) : force(p.size()), short_force(p.size()) {
    const SmoothKernel kernel(split);
    const double cutoff2 = split.cutoff() * split.cutoff();
    std::vector<double> potential(p.size(), 0.0);
    for (std::size_t i = 0; i < p.size(); ++i)
      for (std::size_t j = 0; j < i; ++j) {
        const Vec3<double> d = p.position[i] - p.position[j];
        const double r2 = dot(d, d), inverse = 1 / std::sqrt(r2), qq = kCoulomb * p.charge[i] * p.charge[j];
        const Vec3<double> f = (qq * inverse * inverse * inverse) * d;
        force[i] += f, force[j] -= f;
        energy += qq * inverse;
        potential[i] += qq * inverse, potential[j] += qq * inverse;
        if (r2 >= cutoff2) continue;
        const SmoothKernel::Value smooth = kernel(r2);
        const Vec3<double> s = f - (qq * smooth.force_over_r) * d;
        short_force[i] += s, short_force[j] -= s;
        short_energy += qq * (inverse - smooth.potential);
      }
    for (const double u : potential) absolute += std::abs(u);
  }
};

struct Errors {
  double rms, worst, energy, net;  ///< relative to the force scale and to Σ|qφ|
};

Errors errors_of(const Particles& p, const ChargeStatistics& statistics, const MeshParameters& parameters) {
  HostMesh mesh({1}, kCoulomb, parameters, kMeshAlone, p);
  const std::size_t n = p.size();
  std::vector<Vec3<double>> force(n, {NAN, NAN, NAN});
  Energies energies;
  mesh.evaluate({p.position, 0}, Want::forces_and_energies, true, force, energies);
  const Direct direct(p, CoulombSplit(parameters.cutoff, parameters.bandwidth));
  double sum = 0, worst = 0;
  Vec3<double> net;
  for (std::size_t i = 0; i < n; ++i) {
    const Vec3<double> error = direct.short_force[i] + force[i] - direct.force[i];
    sum += dot(error, error);
    worst = std::max(worst, norm(error));
    net += force[i];
  }
  const double scale = statistics.force_scale(kCoulomb);
  return {std::sqrt(sum / static_cast<double>(n)) / scale, worst / scale,
          std::abs(direct.short_energy + energies.of(kCoulombEnergy) - direct.energy) / direct.absolute,
          norm(net) / (scale * static_cast<double>(n))};
}

constexpr double kCutoffs[] = {6, 9, 12, 15, 20};

class MeshAccuracy : public testing::TestWithParam<std::tuple<std::string, double>> {};
INSTANTIATE_TEST_SUITE_P(Systems, MeshAccuracy,
                         testing::Combine(testing::ValuesIn(kMeshSystems),
                                          testing::Values(1e-2, 1e-3, 1e-4, 1e-5, 1e-8, 1e-10)),
                         [](const auto& info) {
                           return std::get<0>(info.param) + "_" +
                                  std::to_string(std::lround(-std::log10(std::get<1>(info.param))));
                         });

TEST_P(MeshAccuracy, IsThatWhichWasAskedFor) {
  const auto& [name, accuracy] = GetParam();
  if (name == "far_away" && accuracy < 1e-8) return;  // positions there have 1e-10 of a spacing
  for (const std::size_t n : accuracy < 1e-6 ? std::vector<std::size_t>{300} : std::vector<std::size_t>{33, 1000}) {
    const Particles p = mesh_system(name, n);
    const ChargeStatistics statistics = ChargeStatistics::of({1}, kCoulomb, p.position, p.charge);
    CoulombSettings settings;
    settings.accuracy = accuracy;
    const MeshPlan plan = plan_mesh(statistics, kCoulomb, settings, kCutoffs, kMeshAlone);
    const Errors errors = errors_of(p, statistics, plan.parameters);
    std::printf("%-13s N %5zu asked %.0e: r_c %4.1f P %d h %.3f estimate %.2f rms %.3f worst %.2f energy %.1e\n",
                name.c_str(), n, accuracy, plan.parameters.cutoff, plan.parameters.order, plan.parameters.spacing,
                plan.error / accuracy, errors.rms / accuracy, errors.worst / accuracy, errors.energy / accuracy);
    EXPECT_LE(errors.rms, accuracy);
    EXPECT_LE(errors.worst, 30 * accuracy);
    EXPECT_LE(errors.energy, accuracy);
    EXPECT_LE(errors.net, 1e-13);
  }
}

}  // namespace
}  // namespace dropmd
