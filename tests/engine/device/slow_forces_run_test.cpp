#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "core/errors.h"
#include "tests/engine/many_atom_terms/bond_term.h"
#include "tests/support/device_runs.h"
#include "tests/support/slow_forces.h"

/// Runs whose mesh is computed at outer steps alone (r-RESPA), on a GPU: in graphs, in loops on the device, and in
/// steps that are launched one by one.
namespace dropmd {
namespace {

constexpr double kTimestep = 0.002;

class SlowForcesOnAGpu : public DeviceRunTest {
 protected:
  static RunConfig run_of(const FormChoice& integrator, std::int64_t steps, std::optional<int> every) {
    RunConfig config = slow_run(integrator, steps, every);
    config.precision = GetParam().precision;
    if (GetParam().without_skin) config.skin = 0;
    return config;
  }
};
INSTANTIATE_TEST_SUITE_P(Methods, SlowForcesOnAGpu, all_device_methods(), name_of_device_method);

TEST_P(SlowForcesOnAGpu, OfEveryStepAreThoseOfARunWithoutTheKey) {
  const RunConfig without = run_of(verlet(kTimestep), 70, std::nullopt), one = run_of(verlet(kTimestep), 70, 1);
  System a = build_system(without, ions(50)), b = build_system(one, ions(50));
  run_short(a, without, gpu(), 0);
  run_short(b, one, gpu(), 0);
  EXPECT_TRUE(same_bytes(a.particles.position, b.particles.position));
}

/// The forces of the two meshes differ by their accuracy, 1e-4 of about 1, which moves an atom by 2e-7 in 30 steps; an
/// impulse that is missing or counts only once moves it by more than 1e-4.
TEST_P(SlowForcesOnAGpu, MoveTheAtomsAsOnTheCpu) {
  for (const int every : {2, 3, 5}) {
    SCOPED_TRACE(every);
    const RunConfig config = run_of(verlet(kTimestep), 30, every);
    System on_cpu = build_system(config, ions(50)), on_gpu = build_system(config, ions(50));
    const RunResult cpu = run_short(on_cpu, config, fp64_method(2), every);
    const RunResult gpu_run = run_short(on_gpu, config, gpu(), every);
    EXPECT_LT(largest_difference(on_gpu.particles.position, on_cpu.particles.position), kMixedBound);
    EXPECT_LT(largest_difference(on_gpu.particles.velocity, on_cpu.particles.velocity), 20 * kMixedBound);
    // In mixed precision the worst atom has 3e-4 of an RMS force of about 50.
    EXPECT_LT(largest_difference(gpu_run.force, cpu.force), 5e-2);
    ASSERT_EQ(gpu_run.rows.size(), cpu.rows.size());
    for (std::size_t k = 0; k < cpu.rows.size(); ++k) {
      const double energy = cpu.rows[k].energies.of("coulomb");
      EXPECT_NEAR(gpu_run.rows[k].energies.of("coulomb"), energy, 1e-3 * std::abs(energy));
      EXPECT_NEAR(gpu_run.rows[k].energies.kinetic, cpu.rows[k].energies.kinetic, 1e-3 * cpu.rows[k].energies.kinetic);
    }
  }
}

/// A term that both processors compute alike, so that the bounds are those of pair forces.
TEST_P(SlowForcesOnAGpu, OfBondsMoveTheAtomsAsOnTheCpu) {
  const std::size_t n = 257;
  std::vector<TestBond> bonds;
  for (std::uint32_t first = 1; first + 1 <= n; first += 2) bonds.push_back({first, first + 1});
  const auto term = std::make_shared<BondTerm>(bonds, BondFormula{50, 1.2}, /*is_slow=*/true);
  for (const FormChoice& integrator : {verlet(kTimestep), langevin(kTimestep)})
    for (const std::int64_t every : {1, 2, 3, 7}) {
      SCOPED_TRACE(every);
      const RunConfig config = charged_run(integrator, 21 - 21 % every);
      System on_cpu = build_system(config, moving_atoms(n, 5));
      on_cpu.terms.push_back(term);
      on_cpu.outer.every = every;
      System on_gpu = on_cpu;
      const RunResult cpu = run_short(on_cpu, config, fp64_method(), every),
                      gpu_run = run_short(on_gpu, config, gpu(), every);
      EXPECT_LT(largest_difference(on_gpu.particles.position, on_cpu.particles.position), bound());
      EXPECT_LT(largest_difference(on_gpu.particles.velocity, on_cpu.particles.velocity), 20 * bound());
      ASSERT_EQ(gpu_run.rows.size(), cpu.rows.size());
      for (std::size_t k = 0; k < cpu.rows.size(); ++k) {
        const double energy = cpu.rows[k].energies.of("bond");
        EXPECT_NEAR(gpu_run.rows[k].energies.of("bond"), energy, 100 * bound() * energy) << "row " << k;
      }
    }
}

/// Steps 0 to 1,100 contain steps at which atoms are sorted and the scale of forces is measured, both outer and inner
/// ones.
TEST_P(SlowForcesOnAGpu, ConserveTheEnergy) {
  for (const int every : {2, 4, 7}) {
    SCOPED_TRACE(every);
    const RunConfig config = run_of(verlet(kTimestep), 1092, every);
    System system = build_system(config, ions(18));
    const RunResult run = run_short(system, config, gpu(), 28);
    for (const EnergyRow& row : run.rows)
      EXPECT_NEAR(row.energies.total(), run.rows[0].energies.total(), 4e-3 * run.last.energies.kinetic)
          << "step " << row.step;
  }
}

TEST_P(SlowForcesOnAGpu, GiveTheSameBytesWithAnyObserversAndResumed) {
  for (const FormChoice& integrator : {verlet(kTimestep), langevin(kTimestep)}) {
    const RunConfig config = run_of(integrator, 150, 3);
    const System start = build_system(config, ions(50));
    System whole = start, watched = start, resumed = start;
    run_short(whole, config, gpu(), 0);
    run_short(watched, config, gpu(), 9);
    EXPECT_TRUE(same_bytes(watched.particles.position, whole.particles.position));
    EXPECT_TRUE(same_bytes(watched.particles.velocity, whole.particles.velocity));
    Timings timings;
    RunState state;
    {
      StepLoop loop(resumed, config, gpu(), timings);
      loop.run_to(63, never_stop);
      state = loop.state();
    }
    StepLoop loop(resumed, config, gpu(), timings, nullptr, &state);
    loop.run_to(150, never_stop);
    loop.complete();
    EXPECT_TRUE(same_bytes(resumed.particles.position, whole.particles.position));
    EXPECT_TRUE(same_bytes(resumed.particles.velocity, whole.particles.velocity));
  }
}

/// Two atoms meet so fast that a step breaks, between two outer steps. The steps before it are made again from a saved
/// outer step, and the host performs it and finds the same as on the CPU.
TEST_P(SlowForcesOnAGpu, AFaultBetweenOuterStepsIsReportedInTheWordsOfTheCpu) {
  const RunConfig config = run_of(verlet(kTimestep), 40, 4);
  Structure structure = ions(18);
  structure.velocity.assign(structure.position.size(), {});
  add_head_on_pair(structure, 2.6);  // they meet in step 21
  const auto fault = [&](const Method& method) {
    System system = build_system(config, structure);
    std::vector<std::int64_t> seen;
    try {
      run_short(system, config, method, 0, [&](const Snapshot& s) { seen.push_back(s.step); });
    } catch (const PhysicsError& error) {
      EXPECT_EQ(seen, (std::vector<std::int64_t>{0, 4, 8, 12, 16, 20}));
      return std::string(error.what());
    }
    return std::string("no error");
  };
  const std::string on_cpu = fault(fp64_method());
  EXPECT_EQ(on_cpu.rfind("step 21,", 0), 0U) << on_cpu;
  EXPECT_EQ(fault(gpu()).substr(0, 8), on_cpu.substr(0, 8));
}

}  // namespace
}  // namespace dropmd
