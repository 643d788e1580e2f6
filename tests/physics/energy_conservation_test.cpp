#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "core/ordered_sum.h"
#include "tests/support/fcc_ball.h"
#include "tests/support/short_run.h"

/// What velocity Verlet keeps and how well.
namespace dropmd {
namespace {

/// A warm fcc ball with alternating charges of ±0.3, whose forces are smooth at the cutoff.
System warm_droplet(RunConfig& config, const FormChoice& lj, const std::optional<FormChoice>& coulomb, int shell = 18) {
  config.lennard_jones->treatment = lj;
  config.coulomb = coulomb;
  config.temperature = 0.3;
  ChargedAtoms ball = fcc_ball(shell);
  for (std::size_t i = 0; i < ball.size(); ++i) ball.charge[i] = i % 2 == 0 ? 0.3 : -0.3;
  return build_system(config, structure_of(ball));
}

const FormChoice kForceShift{"force-shift", {{"cutoff", 2.5}}};
const FormChoice kSwitch{"switch", {{"cutoff", 2.5}, {"switch-from", 1.8}}};
const FormChoice kSmoothed{"smoothed", {{"cutoff", 2.5}}};

/// Root mean square of E(t) − E(0) over a fixed time.
double energy_error(const FormChoice& lj, const std::optional<FormChoice>& coulomb, double dt) {
  RunConfig config = lj_run(verlet(dt), std::llround(0.6 / dt));
  System system = warm_droplet(config, lj, coulomb);
  const RunResult run = run_short(system, config);
  double sum = 0;
  for (const EnergyRow& row : run.rows) sum += std::pow(row.energies.total() - run.rows[0].energies.total(), 2);
  return std::sqrt(sum / static_cast<double>(run.rows.size()));
}

TEST(EnergyConservation, ErrorFallsWithTheSquareOfTheTimestep) {
  struct Case {
    FormChoice lj;
    std::optional<FormChoice> coulomb;
  };
  for (const Case& c : {Case{kSwitch, kSmoothed}, Case{kForceShift, std::nullopt}}) {
    SCOPED_TRACE(c.lj.form);
    const double coarse = energy_error(c.lj, c.coulomb, 0.002), fine = energy_error(c.lj, c.coulomb, 0.001);
    EXPECT_NEAR(coarse / fine, 4.0, 0.2) << "errors " << coarse << " and " << fine;
  }
}

/// Velocity Verlet is reversible but for rounding, 1e-16 a step, which the droplet's chaos amplifies: with a Lyapunov
/// exponent of about 1/τ by less than 1e3 in 2 × 5 τ.
TEST(EnergyConservation, TimeRunsBackToTheStart) {
  RunConfig config = lj_run(verlet(0.005), 1000);
  System system = warm_droplet(config, kSwitch, kSmoothed);
  const Particles start = system.particles;
  run_short(system, config);
  double travelled = 0;
  for (std::size_t i = 0; i < start.size(); ++i)
    travelled = std::max(travelled, norm(system.particles.position[i] - start.position[i]));
  EXPECT_GT(travelled, 0.1) << "the atoms did not move";
  for (Vec3<double>& v : system.particles.velocity) v = -v;
  run_short(system, config);
  double position = 0, velocity = 0;
  for (std::size_t i = 0; i < start.size(); ++i) {
    position = std::max(position, norm(system.particles.position[i] - start.position[i]));
    velocity = std::max(velocity, norm(system.particles.velocity[i] + start.velocity[i]));
  }
  EXPECT_LT(position, 1e-9);
  EXPECT_LT(velocity, 1e-8);
}

Vec3<double> momentum(const Particles& p) {
  return ordered_sum<Vec3<double>>(Cpu{}, p.size(), [&](std::size_t i) { return p.mass[i] * p.velocity[i]; });
}
Vec3<double> angular_momentum(const Particles& p) {
  return ordered_sum<Vec3<double>>(Cpu{}, p.size(),
                                   [&](std::size_t i) { return p.mass[i] * cross(p.position[i], p.velocity[i]); });
}

/// 767 atoms, 1,000 steps of 0.004 τ: the energy fluctuates by a part in 1e3 of the kinetic energy while the crystal
/// warms through, with dt², and does not drift.
TEST(EnergyConservation, DropletDoesNotDrift) {
  RunConfig config = lj_run(verlet(0.004), 1000);
  System system = warm_droplet(config, kForceShift, std::nullopt, 50);
  const Vec3<double> linear = momentum(system.particles), angular = angular_momentum(system.particles);
  const RunResult run = run_short(system, config, fp64_method(1, NeighborMethod::cells), 10);

  const double start = run.rows.front().energies.total();
  double worst = 0;
  for (const EnergyRow& row : run.rows) worst = std::max(worst, std::abs(row.energies.total() - start));
  const auto mean = [&](std::size_t begin, std::size_t end) {
    double sum = 0;
    for (std::size_t k = begin; k < end; ++k) sum += run.rows[k].energies.total();
    return sum / static_cast<double>(end - begin);
  };
  const std::size_t quarter = run.rows.size() / 4;
  const double drift = mean(3 * quarter, 4 * quarter) - mean(quarter, 2 * quarter);
  const double kinetic = run.rows.back().energies.kinetic;
  EXPECT_LT(worst, 2e-3 * kinetic);
  EXPECT_LT(std::abs(drift), 1e-4 * kinetic);

  // Pairs push both atoms alike: 1,000 steps add 767 rounded forces of up to 1e2 each, times dt.
  EXPECT_LT(norm(momentum(system.particles) - linear), 1e-10);
  EXPECT_LT(norm(angular_momentum(system.particles) - angular), 1e-9);
}

}  // namespace
}  // namespace dropmd
