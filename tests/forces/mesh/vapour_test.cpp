#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <vector>

#include "forces/mesh/host_mesh.h"
#include "forces/mesh/split_polynomial.h"
#include "forces/pair/pair_force_term.h"
#include "tests/forces/mesh/mesh_systems.h"

/// Droplets with a vapour around them, whose charges are outside of the mesh or on a second, coarser one.
namespace dropmd {
namespace {

constexpr double kCoulomb = 332.063713299;
constexpr double kCutoffs[] = {6, 9, 12, 15};

/// A droplet of n charges, a cube of density 0.1, and others at random places within ten times its radius.
Particles droplet_with_vapour(std::size_t n, std::size_t n_vapour, double radii = 10) {
  ChargesForMesh charges(11);
  charges.add_water(n);
  const double radius = radii * std::cbrt(3 * static_cast<double>(n) / (4 * 3.1416 * 0.1));
  for (std::size_t k = 0; k < n_vapour;) {
    const Vec3<double> x{charges.uniform(-radius, radius), charges.uniform(-radius, radius),
                         charges.uniform(-radius, radius)};
    if (norm(x) > radius || norm(x) < 1.3 * radius / radii) continue;
    charges.add(x, k % 2 == 0 ? 0.8 : -0.8);
    ++k;
  }
  return charges.take();
}

struct Errors {
  double rms, worst, energy;  ///< relative to the force scale and to Σ|qφ|
};

/// Of pairs and mesh together, for atoms that are evenly spaced by index, against sums of 1/r.
Errors errors_of(const Particles& p, HostMesh& mesh, const CoulombSplit& split, double scale, std::size_t most_sample) {
  std::vector<Vec3<double>> force(p.size(), {NAN, NAN, NAN});
  Energies energies, of_reference;
  mesh.evaluate({p.position, 0}, Want::forces_and_energies, true, force, energies);
  mesh.add_reference_energies({2}, {p.position, 0}, of_reference);
  std::vector<std::uint32_t> sample;
  for (std::size_t i = 0; i < p.size(); i += std::max<std::size_t>(1, p.size() / most_sample))
    sample.push_back(static_cast<std::uint32_t>(i));
  // The reference is the smooth part: what is left of 1/r by the pair part, which is exact.
  std::vector<AtomSums> exact(sample.size());
  mesh.add_reference({2}, {p.position, 0}, sample, exact);
  double sum = 0, worst = 0, absolute = 0;
  for (std::size_t s = 0; s < sample.size(); ++s) {
    const Vec3<double> error = force[sample[s]] - exact[s].force;
    sum += dot(error, error);
    worst = std::max(worst, norm(error));
    absolute += std::abs(exact[s].coulomb);
  }
  static_cast<void>(split);
  absolute *= static_cast<double>(p.size()) / static_cast<double>(sample.size());
  return {std::sqrt(sum / static_cast<double>(sample.size())) / scale, worst / scale,
          std::abs(energies.of(kCoulombEnergy) - of_reference.of(kCoulombEnergy)) / absolute};
}

MeshPlan plan_for(const ChargeStatistics& statistics, double accuracy, const MeshPrices& prices) {
  CoulombSettings settings;
  settings.accuracy = accuracy;
  return plan_mesh(statistics, kCoulomb, settings, kCutoffs, prices);
}

TEST(Vapour, KeepsTheAccuracy) {
  for (const std::size_t n_vapour : {0U, 1U, 5U, 60U, 500U, 3000U})
    for (const double accuracy : {1e-3, 1e-4, 1e-5, 1e-7}) {
      SCOPED_TRACE(testing::Message() << n_vapour << " at " << accuracy);
      const Particles p = droplet_with_vapour(3000, n_vapour);
      const ChargeStatistics statistics = ChargeStatistics::of({2}, kCoulomb, p.position, p.charge);
      const MeshPlan plan = plan_for(statistics, accuracy, kCpuMeshPrices);
      const CoulombSplit split(plan.parameters.cutoff, plan.parameters.bandwidth);
      HostMesh mesh({2}, kCoulomb, plan.parameters, kCpuMeshPrices, p);
      const Errors errors = errors_of(p, mesh, split, statistics.force_scale(kCoulomb), 500);
      std::printf("%zu %g: rc %g h %g P %d ratio %g boxes %d %d rms/acc %g worst %g energy %g\n", n_vapour, accuracy,
                  plan.parameters.cutoff, plan.parameters.spacing, plan.parameters.order, mesh.region().coarse.ratio,
                  mesh.region().box.points[0], mesh.region().coarse.box.points[0], errors.rms / accuracy,
                  errors.worst / accuracy, errors.energy / accuracy);
      EXPECT_LE(errors.rms, accuracy);
      EXPECT_LE(errors.worst, 30 * accuracy);
      EXPECT_LE(errors.energy, accuracy);
    }
}

}  // namespace
}  // namespace dropmd
