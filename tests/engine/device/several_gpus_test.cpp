#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <optional>
#include <string>
#include <vector>

#include "core/errors.h"
#include "device/communicator/nccl.h"
#include "engine/device/peers/peer_run.h"
#include "engine/methods/method_rule.h"
#include "tests/engine/device/several_gpus.h"
#include "tests/engine/many_atom_terms/bond_term.h"
#include "tests/support/device_runs.h"
#include "tests/support/seen_run.h"
#include "tests/support/slow_forces.h"
#include "tests/support/thread_ranks.h"

/// A run on several GPUs has the bytes of the same run on one, both without a persistent kernel.
namespace dropmd {
namespace {

INSTANTIATE_TEST_SUITE_P(Methods, SeveralGpus, all_device_methods(), name_of_device_method);

/// Otherwise all other tests would compare a run with itself.
TEST_P(SeveralGpus, PerformARunTogether) {
  const RunConfig config = charged_run(verlet(0.002), 10);
  const System system = build_system(config, moving_atoms(100, 1));
  const auto run_on = [&](const Method& method) { return make_device_run(system, config, method, 300); };
  EXPECT_EQ(dynamic_cast<const PeerRun*>(run_on(on_one()).get()), nullptr);
  for (const Method& method : on_several()) EXPECT_NE(dynamic_cast<const PeerRun*>(run_on(method).get()), nullptr);
}

/// With a list or all pairs each moves its own atoms, unless GPUs cannot access each other's memory or forces are slow.
/// The tests below compare both ways.
TEST_P(SeveralGpus, ShareTheAtoms) {
  const RunConfig config = charged_run(verlet(0.002), 10);
  System system = build_system(config, moving_atoms(300, 1));
  const auto with_bond = [&](bool is_slow) {
    System with = system;
    with.terms.push_back(std::make_shared<BondTerm>(std::vector<TestBond>{{1, 2}}, BondFormula{50, 1.2}, is_slow));
    if (is_slow) with.outer.every = 3;
    return with;
  };
  const auto how = [&](const System& of, const Method& method) {
    return make_device_run(of, config, method, 300)->describe_peers();
  };
  for (const Method& method : on_several()) {
    if (how(system, method).find("NCCL") != std::string::npos) GTEST_SKIP() << "no access to each other's memory";
    const bool share = GetParam().neighbor == NeighborMethod::all_pairs ||
                       (GetParam().neighbor == NeighborMethod::pair_list && !GetParam().without_skin);
    const std::string usual = share ? "share the atoms" : "add up forces";
    EXPECT_NE(how(system, method).find(usual), std::string::npos) << how(system, method);
    EXPECT_NE(how(with_bond(false), method).find(usual), std::string::npos) << how(with_bond(false), method);
    EXPECT_NE(how(with_bond(true), method).find("add up forces"), std::string::npos) << how(with_bond(true), method);
  }
}

/// Fewer atoms than GPUs, fewer than fill a tile or the tiles of a block, and more; with recentring, which moves the
/// atoms, and with enough steps that atoms are sorted and the scale of forces is measured.
TEST_P(SeveralGpus, HaveTheBytesOfOne) {
  for (const std::size_t n : {1, 2, 3, 33, 65, 127, 257, 1000, 5001}) {
    SCOPED_TRACE(n);
    RunConfig config = charged_run(langevin(0.002), n > 1000 ? 130 : 1130);
    config.recenter_every = 50;
    config.recenter = Recenter::geometric;
    expect_same_on_all(build_system(config, moving_atoms(n, 7)), config);
  }
}

TEST_P(SeveralGpus, HaveTheBytesOfOneWithEveryKindOfIntegrator) {
  for (const FormChoice& integrator :
       {verlet(0.002), FormChoice{"descent", {{"factor", 1e-4}}},
        FormChoice{"csvr", {{"timestep", 0.002}, {"temperature", 0.5}, {"relaxation", 0.05}}},
        FormChoice{"fire", {{"timestep", 0.002}, {"force-tolerance", 1e-9}}}}) {
    SCOPED_TRACE(integrator.form);
    const RunConfig config = charged_run(integrator, 230);
    expect_same_on_all(build_system(config, moving_atoms(700, 3)), config);
  }
}

/// All atoms on one side of the curve that orders them: half of the tiles have few neighbours.
TEST_P(SeveralGpus, HaveTheBytesOfOneForUnevenDroplets) {
  RunConfig config = charged_run(verlet(0.002), 120);
  config.fields.erase("wall");
  expect_same_on_all(build_system(config, uneven_moving_atoms(900, 5)), config);
}

/// Fields, constant and not, whose work is booked, and pairs of two species.
TEST_P(SeveralGpus, HaveTheBytesOfOneWithSpeciesInAField) {
  for (const double frequency : {0.0, 0.7}) {
    SCOPED_TRACE(frequency);
    RunConfig config = charged_run(langevin(0.002), 130);
    FormChoice& field = config.fields["field"] = FormChoice{"uniform", {{"frequency", frequency}}};
    field.set_vector("strength", {0.3, -0.2, 1.0});
    Structure structure = moving_atoms(700, 3);
    give_two_species(config, structure);
    expect_same_on_all(build_system(config, structure), config);
  }
}

TEST_P(SeveralGpus, HaveTheBytesOfOneWithBornMayerPairs) {
  RunConfig config = charged_run(verlet(0.002), 130);
  config.born_mayer = BornMayerConfig{.values = BornMayerValues{.a = 1, .rho = 0.1, .sigma = 1, .c = 0.5, .d = 0.1},
                                      .treatment = config.lennard_jones->treatment};
  config.lennard_jones.reset();
  expect_same_on_all(build_system(config, moving_atoms(700, 3)), config);
}

TEST_P(SeveralGpus, HaveTheBytesOfOneWithATermOfManyAtoms) {
  const std::size_t n = 513;
  std::vector<TestBond> bonds;
  for (std::uint32_t first = 1; first + 1 <= n; first += 2) bonds.push_back({first, first + 1});
  for (const bool is_slow : {false, true}) {
    SCOPED_TRACE(is_slow);
    const RunConfig config = charged_run(langevin(0.002), 210);
    System system = build_system(config, moving_atoms(n, 5));
    system.terms.push_back(std::make_shared<BondTerm>(bonds, BondFormula{50, 1.2}, is_slow));
    if (is_slow) system.outer.every = 3;
    expect_same_on_all(system, config);
  }
}

TEST_P(SeveralGpus, HaveTheBytesOfOneWithAMesh) {
  for (const int every : {1, 2}) {
    SCOPED_TRACE(every);
    RunConfig config = slow_run(langevin(0.002), 240, every);
    config.precision = GetParam().precision;
    expect_same_on_all(build_system(config, ions(50)), config);
  }
}

/// Ions so far apart that slow forces are the larger part. The unit of the force sums follows from the terms of all
/// forces, and each term must count once, though every GPU computes the slow ones.
TEST_P(SeveralGpus, HaveTheBytesOfOneWithWeakSlowForces) {
  for (const double charge : {0.1, 0.12, 0.14, 0.17}) {  // the forces grow by about the square root of 2
    SCOPED_TRACE(charge);
    RunConfig config = slow_run(langevin(0.002), 120, 2);
    config.precision = GetParam().precision;
    config.fields.clear();
    Structure structure = ions(30);
    for (Vec3<double>& x : structure.position) x = 3.0 * x;
    for (double& q : structure.charge) q *= charge;
    expect_same_on_all(build_system(config, structure), config);
  }
}

TEST_P(SeveralGpus, BreakAtTheStepOfOne) {
  const RunConfig config = plain_run(verlet(0.002), 400);
  Structure structure = moving_atoms(400, 9);
  add_head_on_pair(structure, 3.0);
  const std::string of_one = fault_of(config, structure, on_one());
  EXPECT_NE(of_one, "no error");
  for (const Method& method : on_several()) EXPECT_EQ(fault_of(config, structure, method), of_one);
}

/// Fast atoms evaporate, and those far away are removed; others are added and removed at steps of their own.
TEST_P(SeveralGpus, HaveTheBytesOfOneWhereAtomsLeaveAndCome) {
  RunConfig config = charged_run(langevin(0.002), 330);
  config.fields.clear();
  Structure structure = ions(50);  // a ball with a radius of 5.7
  structure.velocity.assign(structure.position.size(), {0, 0, 0});
  for (std::size_t i = 0; i < structure.position.size(); i += 7)
    if (const double r = norm(structure.position[i]); r > 4) structure.velocity[i] = (25 / r) * structure.position[i];
  const System start = build_system(config, structure);
  const auto far_away = [](std::int64_t, double, const System& system) {
    PopulationChange change;
    for (std::size_t i = 0; i < system.particles.size(); ++i)
      if (norm(system.particles.position[i]) > 14) change.removed.push_back(system.particles.id_of(i));
    return change;
  };
  const auto with_changes = [&](StepLoop& loop) {
    loop.set_population_rule({.every = 40, .change = far_away});
    loop.add_action({130, [](const System&) {
                       return PopulationChange{.added = {{.position = {9, 1, 0}, .charge = 0.2, .species = "X"}}};
                     }});
    loop.add_action({170, [](const System&) { return PopulationChange{.removed = {2, 8, 9}}; }});
  };
  const auto seen_on = [&](const Method& method) { return seen_of(start, config, method, -1, nullptr, with_changes); };
  const Seen one = seen_on(on_one());
  EXPECT_LT(one.position.size(), 750U) << "some of the 767 have evaporated";
  EXPECT_GT(one.position.size(), 600U);
  for (const Method& method : on_several()) expect_same(seen_on(method), one);
}

/// As on a host whose GPUs cannot access each other's memory: with sums by NCCL, and loops on the host.
TEST_P(SeveralGpus, HaveTheBytesOfOneByNccl) {
  if (const std::string problem = nccl_problem(); !problem.empty()) GTEST_SKIP() << problem;
  RunConfig config = charged_run(langevin(0.002), 260);
  config.recenter_every = 50;
  const System system = build_system(config, moving_atoms(700, 7));
  const Seen one = seen_of(system, config, on_one());
  ::setenv("DROPMD_NO_PEER_MEMORY", "1", 1);
  for (const Method& method : on_several()) {
    const auto run = make_device_run(system, config, method, 2100);
    EXPECT_NE(run->describe_peers().find("NCCL"), std::string::npos) << run->describe_peers();
    expect_same(seen_of(system, config, method), one);
  }
  ::unsetenv("DROPMD_NO_PEER_MEMORY");
}

/// As ranks, which here are threads: each has a loop of its own, and only the first one has observers.
TEST_P(SeveralGpus, HaveTheBytesOfOneInRanks) {
  if (const std::string problem = nccl_problem(); !problem.empty()) GTEST_SKIP() << problem;
  RunConfig config = charged_run(langevin(0.002), 260);
  config.recenter_every = 50;
  const System system = build_system(config, moving_atoms(700, 7));
  const Seen one = seen_of(system, config, on_one());
  for (const Method& method : on_several())
    ThreadRanks(static_cast<int>(method.devices.size())).run([&](RunRanks& ranks) {
      const Method of_rank = method_of_rank(method, ranks);
      if (ranks.rank() == 0) {
        expect_same(seen_of(system, config, of_rank), one);
        return;
      }
      System own = system;
      Timings timings;
      StepLoop loop(own, config, of_rank, timings);
      EXPECT_EQ(loop.run(never_stop), one.end);
      EXPECT_TRUE(same_bytes(own.particles.position, one.position)) << ranks.rank();
      EXPECT_TRUE(same_bytes(own.particles.velocity, one.velocity)) << ranks.rank();
    });
}

/// The first rank copies states for its observer, so it has another one to go back to than it would alone.
TEST_P(SeveralGpus, BreakInRanksAtTheStepOfOne) {
  if (const std::string problem = nccl_problem(); !problem.empty()) GTEST_SKIP() << problem;
  const RunConfig config = plain_run(verlet(0.002), 400);
  Structure structure = moving_atoms(400, 9);
  add_head_on_pair(structure, 3.0);
  const std::string of_one = fault_of(config, structure, on_one());
  EXPECT_NE(of_one, "no error");
  const Method method = on_several().front();
  std::vector<std::string> faults(2);
  ThreadRanks(2).run([&](RunRanks& ranks) {
    System system = build_system(config, structure);
    Timings timings;
    StepLoop loop(system, config, method_of_rank(method, ranks), timings);
    if (ranks.rank() == 0) loop.add_observer(std::make_unique<StepObserver>(3, 5, [](const Snapshot&) {}));
    try {
      loop.run(never_stop);
    } catch (const PhysicsError& error) {
      faults[static_cast<std::size_t>(ranks.rank())] = error.what();
    }
  });
  EXPECT_EQ(faults, std::vector<std::string>(2, of_one));
}

TEST_P(SeveralGpus, RanksNeedAGpuEach) {
  if (const std::string problem = nccl_problem(); !problem.empty()) GTEST_SKIP() << problem;
  const RunConfig config = charged_run(verlet(0.002), 10);
  const System system = build_system(config, moving_atoms(100, 1));
  std::vector<std::string> refusals(2);
  ThreadRanks(2).run([&](RunRanks& ranks) {
    Method method = method_of_rank(on_several().front(), ranks);
    method.device = on_one().device;
    try {
      make_device_run(system, config, method, 300);
    } catch (const DeviceError& error) {
      refusals[static_cast<std::size_t>(ranks.rank())] = error.what();
    }
  });
  for (const std::string& refusal : refusals)
    EXPECT_NE(refusal.find("ranks 0 and 1 have the same GPU"), std::string::npos) << refusal;
}

TEST_P(SeveralGpus, ResumeEachOther) {
  const RunConfig config = charged_run(langevin(0.002), 700);
  expect_each_resumes(build_system(config, moving_atoms(600, 2)), config, 350);
}

TEST_P(SeveralGpus, GiveWayToOneForAFewAtoms) {
  RunConfig config = charged_run(verlet(0.002), 10);
  config.backend = Backend::cuda;
  config.precision = GetParam().precision;
  config.neighbor = GetParam().neighbor;
  config.device = on_one().device;
  config.devices = on_several().front().devices;
  const auto chosen = [&](int shell) { return choose_by_rule(config, build_system(config, ions(shell))); };
  const Method few = chosen(50), many = chosen(700);  // 767 and some 39,000
  EXPECT_TRUE(few.devices.empty());
  EXPECT_NE(few.note.find("performs all steps"), std::string::npos) << few.note;
  EXPECT_EQ(few.device_name.find("×"), std::string::npos) << few.device_name;
  EXPECT_EQ(many.devices, config.devices);
  EXPECT_EQ(many.note, "");
}

}  // namespace
}  // namespace dropmd
