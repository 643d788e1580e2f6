#include <gtest/gtest.h>

#include <cmath>
#include <cstddef>
#include <vector>

#include "engine/library/simulation.h"
#include "inputs/run_file/run_config.h"
#include "tests/support/molecules/water_droplet.h"
#include "tests/support/processors.h"

/// The physics of rigid water: momenta, reversibility, and how the kinetic energy is shared out.
namespace dropmd {
namespace {

constexpr std::size_t kWaters = 64;

/// A run of a generated droplet of SPC/E water without cutoffs.
class RigidWater : public OnProcessors {
 protected:
  RunConfig config(FormChoice integrator) const {
    RunConfig run;
    run.units = UnitSystem::real;
    run.lennard_jones = LennardJonesConfig{.epsilon = {}, .sigma = {}, .treatment = FormChoice{"none"}};
    run.coulomb = FormChoice{"exact"};
    run.integrator = std::move(integrator);
    run.temperature = 300;
    run.recenter_every = 0;
    run.recenter = Recenter::none;
    run.backend = method().backend;
    run.precision = method().precision;
    run.threads = 1;
    return run;
  }

  Simulation droplet(RunConfig run) const {
    System system = water_droplet(water_models().front(), kWaters, run);  // SPC/E
    return {std::move(system), run};
  }

  /// The droplet after a while at 300 K.
  Simulation settled(const RunConfig& run) const {
    Simulation thermostatted =
        droplet(config({"langevin", {{"timestep", 2.0}, {"temperature", 300.0}, {"friction", 0.02}}}));
    thermostatted.step(3000);
    Simulation next = droplet(run);
    next.set_positions(thermostatted.positions());
    next.set_velocities(thermostatted.velocities());
    return next;
  }
};
INSTANTIATE_TEST_SUITE_P(Processors, RigidWater, all_processors(), name_of_processor);

FormChoice verlet_of(double timestep) { return {"velocity-verlet", {{"timestep", timestep}}}; }

struct Momenta {
  Vec3<double> linear, angular;
};
Momenta momenta(const Simulation& run) {
  const Particles& p = run.system().particles;
  Momenta sum;
  for (std::size_t i = 0; i < p.size(); ++i) {
    sum.linear += p.mass[i] * p.velocity[i];
    sum.angular += p.mass[i] * cross(p.position[i], p.velocity[i]);
  }
  return sum;
}

TEST_P(RigidWater, KeepsItsMomenta) {
  Simulation run = settled(config(verlet_of(2)));
  const Momenta before = momenta(run);
  run.step(500);
  const Momenta after = momenta(run);
  // Σ m v is about 1e-2·1000 g/mol Å/fs in magnitude. In mixed precision the rounding of pair forces, 1e-6 of some
  // 10 kcal/mol/Å, acts in 500 steps as a random impulse.
  const double bound = method().precision == Precision::mixed ? 1e-4 : 1e-9;
  EXPECT_LE(norm(after.linear - before.linear), bound);
  EXPECT_LE(norm(after.angular - before.angular), 30 * bound);
}

TEST_P(RigidWater, ReturnsWhenVelocitiesAreReversed) {
  Simulation run = settled(config(verlet_of(1)));
  const std::vector<Vec3<double>> start(run.positions().begin(), run.positions().end());
  run.step(100);
  std::vector<Vec3<double>> reversed(run.velocities().begin(), run.velocities().end());
  for (Vec3<double>& v : reversed) v = -v;
  run.set_velocities(reversed);
  run.step(100);
  double largest = 0;
  for (std::size_t i = 0; i < start.size(); ++i) largest = std::max(largest, norm(run.positions()[i] - start[i]));
  EXPECT_LE(largest, method().precision == Precision::mixed ? 1e-3 : 1e-7);
}

/// Kinetic energy of the molecules' centres over that of their rotations, minus 1, and its error by blocks. Each of the
/// two has three degrees of freedom per molecule.
struct Partition {
  double excess, error;
};
Partition partition(Simulation& run, double picoseconds) {
  constexpr int kBlocks = 20;
  constexpr double kSampleEvery = 20;  // fs
  const auto steps =
      static_cast<std::int64_t>(std::lround(kSampleEvery / (run.time() / static_cast<double>(run.step_number()))));
  const int per_block = static_cast<int>(picoseconds * 1000 / kSampleEvery / kBlocks);
  const Particles& p = run.system().particles;
  double sum = 0, squares = 0;
  for (int block = 0; block < kBlocks; ++block) {
    double centres = 0, all = 0;
    for (int k = 0; k < per_block; ++k) {
      run.step(steps);
      run.velocities();
      for (std::size_t w = 0; w < kWaters; ++w) {
        Vec3<double> momentum;
        double mass = 0;
        for (std::size_t i = 3 * w; i < 3 * w + 3; ++i) {
          momentum += p.mass[i] * p.velocity[i];
          mass += p.mass[i];
          all += p.mass[i] * dot(p.velocity[i], p.velocity[i]);
        }
        centres += dot(momentum, momentum) / mass;
      }
    }
    // The droplet's own momentum is zero: 3 (N − 1) degrees of freedom of the centres.
    const double excess =
        centres / (all - centres) * static_cast<double>(kWaters) / static_cast<double>(kWaters - 1) - 1;
    sum += excess;
    squares += excess * excess;
  }
  const double mean = sum / kBlocks;
  return {mean, std::sqrt((squares / kBlocks - mean * mean) / (kBlocks - 1))};
}

TEST_P(RigidWater, SharesItsKineticEnergyEqually) {
  Simulation fine = settled(config(verlet_of(0.5)));
  fine.step(100);
  const Partition equal = partition(fine, 40);
  EXPECT_LE(std::abs(equal.excess), 3 * equal.error + 1e-3) << "± " << equal.error;
  EXPECT_LT(equal.error, 0.03) << "otherwise the test says nothing";
}

/// Velocity Verlet's velocities are too slow by a share that grows with the square of the step, above all those of the
/// fast rotations.
TEST_P(RigidWater, MissesKineticEnergyOfRotationsWithLongSteps) {
  Simulation coarse = settled(config(verlet_of(5)));
  coarse.step(20);
  const Partition unequal = partition(coarse, 200);
  EXPECT_GT(unequal.excess, 3 * unequal.error) << "± " << unequal.error;
  EXPECT_LT(unequal.excess, 0.3);
}

}  // namespace
}  // namespace dropmd
