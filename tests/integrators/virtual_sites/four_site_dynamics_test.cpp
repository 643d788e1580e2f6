#include <gtest/gtest.h>

#include <cmath>

#include "core/units.h"
#include "integrators/constraints/cpu_constraints.h"
#include "integrators/integrator.h"
#include "integrators/virtual_sites/cpu_virtual_sites.h"
#include "tests/integrators/constraints/test_clusters.h"

/// A rigid four-site water that a spring holds by its massless site alone, integrated by velocity Verlet with RATTLE:
/// the constraints and the spread force together must conserve energy, with an error of dt².
namespace dropmd {
namespace {

constexpr double kSpring = 60;  // kcal/mol/Å²
constexpr Vec3<double> kAnchor{0.4, -0.3, 0.5};

double energy(const Particles& p) {
  double sum = 0.5 * kSpring * dot(p.position[3] - kAnchor, p.position[3] - kAnchor);
  for (std::size_t i = 0; i < 3; ++i)
    sum += 0.5 * p.mass[i] * dot(p.velocity[i], p.velocity[i]) / kRealUnits.acceleration;
  return sum;
}

/// Returns the largest change of the energy over 300 fs, relative.
double energy_error(double dt) {
  Topology topology;
  Particles p;
  append(water_cluster(), water_cluster().position, topology, p.position, p.mass);
  topology.virtual_sites = {{SiteForm::three, 3, {0, 1, 2, 0}, {0.128, 0.128, 0}}};
  p.position.emplace_back();
  p.mass.push_back(0);
  const Vec3<double> omega{0.01, -0.02, 0.015};
  for (const auto& x : p.position) p.velocity.push_back(cross(omega, x - p.position[0]));
  const CpuConstraints constraints(plan_constraints(topology, p.mass));
  const CpuVirtualSites sites(plan_virtual_sites(topology, p.size()));
  const auto integrator = make_integrator({"velocity-verlet", {{"timestep", dt}}}, kRealUnits, {});

  Positions force(4);
  const auto update_forces = [&] {
    sites.place({}, p.position);
    force.assign(4, {});
    force[3] = -kSpring * (p.position[3] - kAnchor);
    sites.spread({}, p.position, force);
  };
  update_forces();
  const double before = energy(p);
  double worst = 0;
  for (int s = 0; s < static_cast<int>(std::lround(300 / dt)); ++s) {
    const Positions reference = p.position;
    integrator->move({}, p, force, 1, {});
    EXPECT_FALSE(constraints.positions({}, reference, p.position, p.velocity, dt));
    update_forces();
    integrator->finish({}, p, force, 1);
    EXPECT_FALSE(constraints.velocities({}, p.position, p.velocity));
    worst = std::max(worst, std::fabs(energy(p) - before));
  }
  return worst / before;
}

TEST(FourSiteWater, ConservesEnergyToTheSquareOfTheTimestep) {
  const double coarse = energy_error(1.0), middle = energy_error(0.5), fine = energy_error(0.25);
  EXPECT_LT(coarse, 0.01);
  EXPECT_NEAR(coarse / middle, 4, 0.4);
  EXPECT_NEAR(middle / fine, 4, 0.2);
}

}  // namespace
}  // namespace dropmd
