#include "inputs/run_file/run_config.h"
#include "inputs/structures/structure.h"
#include "tests/support/brute_force_of_run.h"
#include "tests/support/device_runs.h"

/// Steps with lists by the persistent kernel: droplets with more atoms than its all-pairs form takes, up to 48 for each
/// multiprocessor (132 of an H200).
namespace dropmd {
namespace {

class PersistentListTest : public DeviceRunTest {
 protected:
  static Method with_skin(double skin) {
    Method method = gpu();
    method.skin = skin;
    return method;
  }
  static Method cells_on_cpu() {
    Method method = fp64_method();
    method.neighbor = NeighborMethod::cells;
    return method;
  }
  static System run_alone(RunConfig config, const Structure& structure, double skin) {
    config.skin = skin;
    System system = build_system(config, structure);
    Timings timings;
    StepLoop(system, config, with_skin(skin), timings).run([] { return false; });
    return system;
  }
};

INSTANTIATE_TEST_SUITE_P(Method, PersistentListTest,
                         testing::Values(DeviceMethod{Precision::mixed, NeighborMethod::pair_list}),
                         name_of_device_method);

/// Sizes on either side of every change in how atoms are distributed: two kernels per step, one more atom per warp.
TEST_P(PersistentListTest, MovesAsTheCpuDoesAroundEveryChangeOfShape) {
  for (const std::size_t n : {2112U, 2113U, 4224U, 4225U, 5000U, 6336U, 6337U}) {
    SCOPED_TRACE(n);
    expect_same_run(charged_run(verlet(0.002), 5), moving_atoms(n, static_cast<std::uint32_t>(n)), with_skin(0.3));
  }
}

/// Forces depend neither on the age of the lists nor on their pairs beyond the cutoff.
TEST_P(PersistentListTest, GivesTheSameBytesWithEverySkinAndAnyObservers) {
  RunConfig config = charged_run({"langevin", {{"timestep", 0.002}, {"temperature", 2.0}, {"friction", 1.0}}}, 730);
  config.recenter_every = 100;
  config.recenter = Recenter::mass;
  const Structure structure = moving_atoms(2'600, 9);
  const System first = run_alone(config, structure, 0.3);
  EXPECT_GT(largest_difference(first.particles.position, build_system(config, structure).particles.position), 0.5)
      << "lists that are never rebuilt show nothing";
  for (const double skin : {0.02, 0.11, 1.7}) {
    SCOPED_TRACE(skin);
    const System other = run_alone(config, structure, skin);
    EXPECT_TRUE(same_bytes(other.particles.position, first.particles.position));
    EXPECT_TRUE(same_bytes(other.particles.velocity, first.particles.velocity));
  }
  config.skin = 0.3;
  for (const std::int64_t energies_every : {0, 7}) {
    System observed = build_system(config, structure);
    run_short(observed, config, with_skin(0.3), energies_every);
    EXPECT_TRUE(same_bytes(observed.particles.position, first.particles.position));
  }
  System one_by_one = build_system(config, structure);  // each step continues with the lists of the one before
  Timings timings;
  StepLoop loop(one_by_one, config, with_skin(0.3), timings);
  for (std::int64_t step = 0; step <= config.steps; ++step) loop.run_to(step, never_stop);
  loop.fetch();
  EXPECT_TRUE(same_bytes(one_by_one.particles.position, first.particles.position));
  EXPECT_TRUE(same_bytes(one_by_one.particles.velocity, first.particles.velocity));
}

/// A hot droplet evaporates: lists are rebuilt hundreds of times. Energies fall on other steps than sorting. Terms
/// vanish at the cutoff, where only the number of pairs shows a lost pair. The number in fp32 differs by one at most,
/// as hardly any pair is within rounding (1e-7) of the cutoff.
TEST_P(PersistentListTest, LosesNoPairOfAnEvaporatingDroplet) {
  RunConfig config = charged_run({"langevin", {{"timestep", 0.002}, {"temperature", 4.0}, {"friction", 0.5}}}, 4'810);
  config.fields.erase("wall");
  config.recenter_every = 130;
  config.recenter = Recenter::geometric;
  Structure structure = moving_atoms(3'000, 22);
  give_two_species(config, structure);
  System system = build_system(config, structure);
  const std::vector<Vec3<double>> start = system.particles.position;
  std::int64_t seen = 0;
  const RunResult run = run_short(
      system, config, with_skin(0.3), 370,
      [&](const Snapshot& s) {
        ++seen;
        expect_brute_force(s, system, GetParam().precision);
      },
      never_stop, 370);
  EXPECT_EQ(seen, 14);
  std::vector<Vec3<double>> force(system.particles.size());
  const PairSums exact = make_brute_force(Cpu{}, system.model, {system.particles.charge, system.particles.pair_species})
                             ->evaluate(system.particles.position, force, Want::forces_and_energies);
  EXPECT_NEAR(static_cast<double>(run.pairs.pairs_within_cutoff), static_cast<double>(exact.pairs_within_cutoff), 1);
  EXPECT_GE(run.pairs.candidate_pairs, exact.pairs_within_cutoff);
  EXPECT_GT(largest_difference(system.particles.position, start), 10);
}

/// All 6,300 atoms are near each other, so that a multiprocessor cannot hold their positions: they need 197 rows of 32,
/// and some 190 fit. The results are bitwise identical to those with lists: pairs beyond the cutoff add nothing.
TEST_P(PersistentListTest, ServesAtomsThatHaveNoRoom) {
  RunConfig config = charged_run(verlet(0.002), 3);
  config.skin = 160;
  const Structure structure = moving_atoms(6'300, 4);
  for (const Vec3<double>& x : structure.position) ASSERT_LT(norm(x), 80);
  expect_same_run(config, structure, with_skin(160));
  const System overfull = run_alone(config, structure, 160), listed = run_alone(config, structure, 0.4);
  EXPECT_TRUE(same_bytes(overfull.particles.position, listed.particles.position));
  EXPECT_TRUE(same_bytes(overfull.particles.velocity, listed.particles.velocity));
}

/// The position of a droplet makes no difference once it is recentred.
TEST_P(PersistentListTest, TakesADropletFromFarAway) {
  RunConfig config = charged_run(verlet(0.002), 40);
  config.recenter_every = 20;
  config.recenter = Recenter::geometric;
  Structure structure = moving_atoms(2'500, 3);
  expect_same_run(config, structure, with_skin(0.3));
  for (Vec3<double>& x : structure.position) x += Vec3<double>{1e7, -3e6, 2e6};
  expect_same_run(config, structure, with_skin(0.3));
}

/// Two atoms meet head-on far from all others, in a step that is neither the first nor one with a sorting. Methods
/// differ in the last digits of positions and forces, but not in which atom breaks first, and when. Different skins
/// give identical results, and so do steps that are started one by one, which keep their lists: the state from which
/// the steps before the fault are made again may have the atoms in another order.
TEST_P(PersistentListTest, GoesBackToTheStepBeforeAFault) {
  Structure structure = moving_atoms(2'500, 7);
  RunConfig config = charged_run(verlet(0.002), 900);
  config.fields.erase("wall");
  add_head_on_pair(structure, 60);
  const auto message = [&](const Method& method, bool one_by_one = false) {
    config.skin = method.skin;
    System system = build_system(config, structure);
    Timings timings;
    try {
      StepLoop loop(system, config, method, timings);
      for (std::int64_t step = 0; one_by_one && step < config.steps; ++step) loop.run_to(step, never_stop);
      loop.run(never_stop);
    } catch (const PhysicsError& error) {
      return std::string(error.what());
    }
    return std::string("no error");
  };
  const auto step_and_atom = [](const std::string& text) { return text.substr(0, text.find(" at (")); };
  const auto expect_same_fault = [&] {
    const std::string of_gpu = message(with_skin(0.3));
    EXPECT_NE(of_gpu.find(" at ("), std::string::npos) << of_gpu;
    EXPECT_EQ(step_and_atom(of_gpu), step_and_atom(message(cells_on_cpu())));
    EXPECT_EQ(of_gpu, message(with_skin(0.11)));
    EXPECT_EQ(of_gpu, message(with_skin(0.3), /*one_by_one=*/true));
  };
  expect_same_fault();
  structure.velocity[1'234] = {1e6, 0, 0};
  expect_same_fault();
}

}  // namespace
}  // namespace dropmd
