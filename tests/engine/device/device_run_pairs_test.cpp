#include "forces/pair/brute_force.h"
#include "inputs/run_file/run_config.h"
#include "inputs/structures/structure.h"
#include "tests/support/brute_force_of_run.h"
#include "tests/support/device_runs.h"

/// Forces and energies during runs on the GPU, compared with brute force: no pair is lost.
namespace dropmd {
namespace {

class DeviceRunPairsTest : public DeviceRunTest {};

INSTANTIATE_TEST_SUITE_P(Ways, DeviceRunPairsTest, all_ways(), name_of_way);

/// A hot droplet evaporates: lists are built hundreds of times, and tiles are wide.
TEST_P(DeviceRunPairsTest, LosesNoPairOfAnEvaporatingDropletInTenThousandSteps) {
  RunConfig config = charged_run({"langevin", {{"timestep", 0.002}, {"temperature", 4.0}, {"friction", 0.5}}}, 10'000);
  config.fields.erase("wall");
  config.recenter_every = 130;
  config.recenter = Recenter::geometric;
  System system = build_system(config, moving_atoms(2'000, 21));
  const std::vector<Vec3<double>> start = system.particles.position;
  run_short(
      system, config, gpu(), 1'000, [&](const Snapshot& s) { expect_brute_force(s, system, GetParam().precision); },
      never_stop, 1'000);
  EXPECT_GT(largest_difference(system.particles.position, start), 20);
}

/// A thin gas that falls together has no pairs at first: the list exceeds its capacity during steps that nobody
/// observes.
TEST_P(DeviceRunPairsTest, MakesRoomForPairsThatComeLater) {
  Structure structure = moving_atoms(1'500, 5);
  for (std::size_t i = 0; i < structure.position.size(); ++i) {
    structure.position[i] = 2.8 * structure.position[i];
    structure.velocity[i] = -0.5 * structure.position[i];
  }
  RunConfig config = charged_run(verlet(0.004), 300);
  config.fields.erase("wall");
  config.temperature.reset();
  System system = build_system(config, structure);
  PairSums first;
  std::vector<Vec3<double>> force(structure.position.size());
  first = make_brute_force(Cpu{}, system.model, {system.particles.charge, system.particles.pair_species})
              ->evaluate(system.particles.position, force, Want::forces);
  const RunResult run = run_short(
      system, config, gpu(), 300,
      [&](const Snapshot& s) {
        if (s.step > 0) expect_brute_force(s, system, GetParam().precision);
      },
      never_stop, 300);
  EXPECT_EQ(run.steps, 300);
  EXPECT_GT(run.pairs.pairs_within_cutoff, 10 * first.pairs_within_cutoff);
}

}  // namespace
}  // namespace dropmd
