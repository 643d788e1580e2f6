#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "core/ordered_sum.h"
#include "inputs/run_file/run_config.h"
#include "tests/support/fcc_ball.h"
#include "tests/support/force_error.h"
#include "tests/support/processors.h"

/// The quantities that velocity Verlet conserves, and how well.
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

class EnergyConservation : public OnProcessors {};
INSTANTIATE_TEST_SUITE_P(Processors, EnergyConservation, all_processors(), name_of_processor);

struct EnergyError {
  double rms;   ///< root mean square of E(t) − E(0) over a fixed time
  double size;  ///< Σ|u| over all pairs at the end
};

EnergyError energy_error(const Method& method, const FormChoice& lj, const std::optional<FormChoice>& coulomb,
                         double dt) {
  RunConfig config = lj_run(verlet(dt), std::llround(0.6 / dt));
  System system = warm_droplet(config, lj, coulomb);
  const RunResult run = run_short(system, config, method);
  double sum = 0;
  for (const EnergyRow& row : run.rows) sum += std::pow(row.energies.total() - run.rows[0].energies.total(), 2);
  const PairScales scales =
      pair_scales(system.model, {system.particles.charge, system.particles.pair_species}, system.particles.position);
  return {std::sqrt(sum / static_cast<double>(run.rows.size())), scales.vdw + scales.coulomb};
}

/// In mixed precision, E(t) and E(0) each have an error of 1e-6 of Σ|u| ≈ 1e3, as much as the error of the integrator
/// at 0.001. So the timesteps are four times as long there, and the bound on the ratio allows for this change of both
/// errors.
TEST_P(EnergyConservation, ErrorFallsWithTheSquareOfTheTimestep) {
  struct Case {
    FormChoice lj;
    std::optional<FormChoice> coulomb;
  };
  for (const Case& c : {Case{kSwitch, kSmoothed}, Case{kForceShift, std::nullopt}}) {
    SCOPED_TRACE(c.lj.form);
    const double dt = is_mixed() ? 0.004 : 0.001;
    const EnergyError coarse = energy_error(method(), c.lj, c.coulomb, 2 * dt);
    const EnergyError fine = energy_error(method(), c.lj, c.coulomb, dt);
    const double rounding = is_mixed() ? 2 * bounds().energy * coarse.size : 0;
    EXPECT_NEAR(coarse.rms / fine.rms, 4.0, 0.2 + (1 + 4) * rounding / fine.rms)
        << "errors " << coarse.rms << " and " << fine.rms;
  }
}

/// Velocity Verlet is reversible except for rounding, 1e-16 per step, which the droplet's chaos amplifies: with a
/// Lyapunov exponent of about 1/τ, by less than 1e3 in 2 × 5 τ.
TEST_P(EnergyConservation, TimeRunsBackToTheStart) {
  if (is_mixed())
    GTEST_SKIP() << "the way back starts with another order of atoms, so mixed forces round differently: kicks of "
                    "5e-6 of the force, which the droplet's chaos makes as large as the way itself";
  RunConfig config = lj_run(verlet(0.005), 1000);
  System system = warm_droplet(config, kSwitch, kSmoothed);
  const Particles start = system.particles;
  run_short(system, config, method());
  double travelled = 0;
  for (std::size_t i = 0; i < start.size(); ++i)
    travelled = std::max(travelled, norm(system.particles.position[i] - start.position[i]));
  EXPECT_GT(travelled, 0.1) << "the atoms did not move";
  for (Vec3<double>& v : system.particles.velocity) v = -v;
  run_short(system, config, method());
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

/// Independent rounding errors of forces add up over atoms and steps to a random walk of kicks of 5e-6 of the RMS force
/// each (bounds()). The bound is five times its root mean square.
double walk_of_roundings(double rms_force, std::size_t n_atoms, std::int64_t steps, double dt) {
  return 5 * bounds_of(Precision::mixed).rms_force * rms_force * dt *
         std::sqrt(static_cast<double>(n_atoms) * static_cast<double>(steps));
}

/// 767 atoms, 1,000 steps of 0.004 τ. The energy fluctuates, with dt², by a part in 1e3 of the kinetic energy while the
/// crystal warms up, and does not drift. The rounding of mixed energies, 1e-6 of Σ|u| ≈ 5e3, is a quarter of the
/// allowed drift. Trajectories that agree to 1e-4 give the same fluctuation otherwise.
TEST_P(EnergyConservation, DropletDoesNotDrift) {
  constexpr double kTimestep = 0.004;
  RunConfig config = lj_run(verlet(kTimestep), 1000);
  System system = warm_droplet(config, kForceShift, std::nullopt, 50);
  const Vec3<double> linear = momentum(system.particles), angular = angular_momentum(system.particles);
  const RunResult run = run_short(system, config, method(1, NeighborMethod::cells), 10);

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

  // Pairs push both atoms alike: 1,000 steps add 767 rounded forces of up to 1e2 each, times dt. In mixed precision the
  // sum of each atom is rounded independently; torques have arms of up to the droplet's radius, about 6.
  const double walk = walk_of_roundings(rms_of(run.force), system.particles.size(), config.steps, kTimestep);
  EXPECT_LT(norm(momentum(system.particles) - linear), is_mixed() ? walk : 1e-10);
  EXPECT_LT(norm(angular_momentum(system.particles) - angular), is_mixed() ? 6 * walk : 1e-9);
}

}  // namespace
}  // namespace dropmd
