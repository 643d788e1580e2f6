#include <gtest/gtest.h>

#include <array>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <random>
#include <string>
#include <utility>
#include <vector>

#include "core/errors.h"
#include "core/topology/topology.h"
#include "device/device_info.h"
#include "engine/device/device_run.h"
#include "engine/methods/method_parameters.h"
#include "inputs/run_file/run_config.h"
#include "inputs/water/joung_cheatham.h"
#include "tests/support/device_runs.h"
#include "tests/support/molecules/water_droplet.h"
#include "tests/support/seen_run.h"
#include "tests/support/state_of.h"

/// Steps of rigid water and ions by the persistent kernel or, on a share of the GPU, by TileSteps, compared with those
/// of one kernel for each stage of a step in double precision (which MolecularRun compares with the host).
namespace dropmd {
namespace {

constexpr std::size_t kSpce = 0, kTip4p2005 = 2;  // in water_models()

/// Largest difference of positions after 20 steps of 1 fs, Å: that of RunBesideTheHost (molecular_run_test.cpp).
constexpr double kBound = 2e-4;

FormChoice langevin(double friction = 0.01) {
  return {"langevin", {{"timestep", 1.0}, {"temperature", 300.0}, {"friction", friction}}};
}

/// A model of water, and the multiprocessors of a run; 0: all.
struct WaterOnShare {
  std::size_t model;
  int multiprocessors;
};

class PersistentMolecules : public testing::TestWithParam<WaterOnShare> {
 protected:
  void SetUp() override {
    if (const std::string reason = query_devices().reason; !reason.empty()) GTEST_SKIP() << reason;
  }

  static const WaterModel& model() { return water_models()[GetParam().model]; }
  static RunConfig run_of(FormChoice integrator, std::int64_t steps) {
    RunConfig config;
    config.file = "built-in-code";
    config.units = UnitSystem::real;
    config.lennard_jones = LennardJonesConfig{.epsilon = {}, .sigma = {}, .treatment = {"none"}};
    config.coulomb = FormChoice{"exact"};
    config.integrator = std::move(integrator);
    config.steps = steps;
    config.recenter_every = 0;
    config.recenter = Recenter::none;
    return config;
  }
  static Method on_gpu(Precision precision) {
    Method method = fp64_method();
    method.backend = Backend::cuda;
    method.precision = precision;
    if (precision == Precision::mixed) method.multiprocessors = GetParam().multiprocessors;
    return method;
  }
  static bool is_on_share() { return GetParam().multiprocessors > 0; }

  /// Returns a droplet whose atoms have random velocities that satisfy the constraints after the first step.
  static System droplet(RunConfig& config, std::size_t waters, std::size_t ions = 0) {
    WaterComposition composition{.model = model(), .waters = waters};
    if (ions > 0) composition.ions = {{ion_named("Na", model().ions).value(), ions}};
    System system = water_droplet(composition, config);
    std::mt19937 random(static_cast<std::uint32_t>(waters + ions));
    std::normal_distribution<double> normal(0, 0.005);  // Å/fs
    const Vec3<double> none{0, 0, 0};
    Vec3<double> velocity = none;  // one per molecule: rigid bodies that move without turning
    std::vector<Vec3<double>>& of_atom = system.particles.velocity;
    of_atom.resize(system.particles.size());
    for (std::size_t i = 0; i < of_atom.size(); ++i) {
      const bool begins = i >= waters * model().size() || i % model().size() == 0;
      if (begins) velocity = {normal(random), normal(random), normal(random)};
      of_atom[i] = system.particles.mass[i] > 0 ? velocity : none;
    }
    return system;
  }

  /// Expects a kernel that stays on its multiprocessors. On a share, general kernels perform what TileSteps do not
  /// suit.
  static void expect_persistent(const System& system, const RunConfig& config) {
    EXPECT_TRUE(is_on_share() || is_persistent(system, config, on_gpu(Precision::mixed)));
    EXPECT_FALSE(DeviceRun::may_stay_on_share(system, config, on_gpu(Precision::fp64)));
  }

  /// Runs a system by both kinds of kernels and expects that they agree.
  static void expect_same_run(const RunConfig& config, const System& start) {
    expect_persistent(start, config);
    expect_same_run(config, start, on_gpu(Precision::mixed));
  }
  static void expect_same_run(const RunConfig& config, const System& start, const Method& method) {
    System fast = start, exact = start;
    const RunResult a = run_short(fast, config, method, config.steps);
    const RunResult b = run_short(exact, config, on_gpu(Precision::fp64), config.steps);
    EXPECT_EQ(a.steps, b.steps);
    EXPECT_EQ(a.pairs.pairs_within_cutoff, b.pairs.pairs_within_cutoff);
    EXPECT_LE(largest_difference(fast.particles.position, exact.particles.position), kBound);
    // The bound of mixed precision for energies (docs/guarantees.md), here 1e-6 of each component, and what the
    // rounding of terms that cancel adds: those of neutral waters are many times their sum. The worst of the cases here
    // reach half of this bound, on whole GPUs and on shares, while positions differ by less than a hundredth of theirs.
    const auto n = static_cast<double>(start.particles.size());
    for (const auto& [name, energy] : b.last.energies.components())
      EXPECT_NEAR(a.last.energies.of(name), energy, 1e-6 * std::abs(energy) + 2e-2 * kBound * n) << name;
    EXPECT_NEAR(a.last.energies.kinetic, b.last.energies.kinetic, 1e-2 * kBound * n);
  }
};

INSTANTIATE_TEST_SUITE_P(Water, PersistentMolecules,
                         testing::Values(WaterOnShare{kSpce, 0}, WaterOnShare{kTip4p2005, 0}, WaterOnShare{kSpce, 2},
                                         WaterOnShare{kTip4p2005, 3}),
                         [](const auto& tested) {
                           return std::string(tested.param.model == kSpce ? "spce" : "tip4p2005") +
                                  (tested.param.multiprocessors > 0 ? "_on_share" : "");
                         });

/// Sizes on either side of every change in how molecules are distributed on 132 multiprocessors, and small ones; those
/// of tiles of molecules are among them.
TEST_P(PersistentMolecules, MovesAsOtherKernelsDoAroundEveryChangeOfShape) {
  for (const std::size_t n :
       {1U, 2U, 31U, 33U, 63U, 64U, 65U, 127U, 129U, 132U, 133U, 255U, 257U, 1056U, 1057U, 1320U, 1321U}) {
    SCOPED_TRACE(n);
    for (const FormChoice& integrator : {verlet(1.0), langevin()}) {
      RunConfig config = run_of(integrator, 20);
      const System start = droplet(config, n);
      EXPECT_TRUE(DeviceRun::may_stay_on_share(start, config, on_gpu(Precision::mixed)));
      expect_same_run(config, start);
    }
  }
}

/// The persistent kernel cannot hold the droplet on so few multiprocessors; with 40 there are more warps than work
/// items for many of these droplets.
TEST_P(PersistentMolecules, MovesOnAnyShareOfTheGpu) {
  for (const int share : {1, 4, 40})
    for (const std::size_t n : {65U, 127U, 129U, 257U, 1000U})
      for (const FormChoice& integrator : {verlet(1.0), langevin()}) {
        SCOPED_TRACE(std::to_string(n) + " on " + std::to_string(share));
        RunConfig config = run_of(integrator, 20);
        config.recenter = Recenter::mass;
        config.recenter_every = 7;
        if (n == 257) config.lennard_jones->treatment = {"force-shift", {{"cutoff", 8.0}}};
        const System system = droplet(config, n, n % 3);
        Method method = on_gpu(Precision::mixed);
        method.multiprocessors = share;
        EXPECT_TRUE(DeviceRun::may_stay_on_share(system, config, method));
        expect_same_run(config, system, method);
      }
}

/// With sorting, recentring and energies, on either side of every change in how one GPU and two distribute molecules,
/// and with fewer molecules than GPUs. A run that began on two GPUs is resumed on one, and the other way round.
TEST_P(PersistentMolecules, HasTheBytesOfOneGpuOnTwo) {
  if (is_on_share()) GTEST_SKIP() << "several GPUs are used whole";
  load_all_kernels();
  const std::vector<DeviceInfo> devices = query_devices().devices;
  if (devices.size() < 2) GTEST_SKIP() << "there is one GPU";
  const Method one_gpu = on_gpu(Precision::mixed);
  Method two_gpus = one_gpu;
  two_gpus.device = devices[0].index;
  two_gpus.devices = {devices[0].index, devices[1].index};
  for (const std::size_t n : {1U, 2U, 33U, 127U, 132U, 133U, 264U, 265U, 396U, 397U, 528U, 529U, 660U, 1000U, 1321U}) {
    SCOPED_TRACE(n);
    RunConfig config = run_of(n % 2 == 0 ? verlet(1.0) : langevin(), n < 600 ? 2'100 : 300);
    config.recenter = Recenter::mass;
    config.recenter_every = 50;
    const System system = droplet(config, n, n > 2 ? n % 3 : 0);
    EXPECT_TRUE(is_persistent(system, config, one_gpu));
    EXPECT_TRUE(is_persistent(system, config, two_gpus));
    const std::int64_t half = config.steps / 2 - 10;
    const Seen one = seen_of(system, config, one_gpu, half), two = seen_of(system, config, two_gpus, half);
    expect_same(two, one);
    ASSERT_TRUE(one.state && two.state);
    expect_same(seen_of(system, config, with_choice(two_gpus, one.state->choice), -1, &*one.state), one);
    expect_same(seen_of(system, config, with_choice(one_gpu, two.state->choice), -1, &*two.state), one);
  }
}

TEST_P(PersistentMolecules, MovesIonsAmongWaters) {
  for (const std::size_t ions : {1U, 7U, 40U}) {
    SCOPED_TRACE(ions);
    RunConfig config = run_of(langevin(), 20);
    expect_same_run(config, droplet(config, 300, ions));
  }
}

/// A kernel on a share stores the energies of its last step.
TEST_P(PersistentMolecules, HasTheEnergiesThatAreComputedApart) {
  if (!is_on_share()) GTEST_SKIP() << "on a whole GPU the persistent kernel computes them in both cases";
  RunConfig config = run_of(langevin(), 20);
  for (const std::size_t ions : {0U, 7U})
    expect_same_energies_apart(droplet(config, 200, ions), config, on_gpu(Precision::mixed), 7);
}

/// Every form of the terms, with cutoffs that leave out whole molecules and pairs of atoms of others.
TEST_P(PersistentMolecules, CutsTermsOff) {
  for (const FormChoice& lj : {FormChoice{"cut", {{"cutoff", 9.0}}}, FormChoice{"force-shift", {{"cutoff", 8.0}}},
                               FormChoice{"switch", {{"cutoff", 9.0}, {"switch-from", 7.0}}}})
    for (const FormChoice& coulomb :
         {FormChoice{"exact"}, FormChoice{"shift", {{"cutoff", 9.0}}}, FormChoice{"smoothed", {{"cutoff", 7.0}}},
          FormChoice{"dsf", {{"cutoff", 9.0}, {"damping", 0.1}}},
          FormChoice{"reaction-field", {{"cutoff", 9.0}, {"dielectric", 78.5}}}}) {
      SCOPED_TRACE(lj.form + " " + coulomb.form);
      RunConfig config = run_of(verlet(1.0), 20);
      config.lennard_jones->treatment = lj;
      config.coulomb = coulomb;
      expect_same_run(config, droplet(config, 400, 3));
    }
}

/// Far from all others: two molecules that have evaporated together and are near each other; an ion; and a molecule
/// near another ion, so far away that positions in tiles have too few digits for their distance.
TEST_P(PersistentMolecules, MovesEvaporatedMolecules) {
  RunConfig config = run_of(verlet(1.0), 20);
  System system = droplet(config, 200, 2);
  const std::size_t size = model().size(), first = 5 * size, ion = 200 * size;
  for (std::size_t k = 0; k < 2 * size; ++k) system.particles.position[first + k] += Vec3<double>{3'000, -2'000, 700};
  system.particles.position[ion] = {-900, 5, 1e5};
  const std::size_t other = 90 * size;
  for (std::size_t k = 0; k < size; ++k) system.particles.position[other + k] += Vec3<double>{4e5, 1e5, 0};
  system.particles.position[ion + 1] = system.particles.position[other] + Vec3<double>{-2, 1.5, 0.7};
  expect_same_run(config, system);
}

TEST_P(PersistentMolecules, RecentresWithinItsSteps) {
  for (const Recenter which : {Recenter::mass, Recenter::geometric}) {
    RunConfig config = run_of(langevin(), 20);
    config.recenter = which;
    config.recenter_every = 3;
    System system = droplet(config, 150, 4);
    for (Vec3<double>& x : system.particles.position) x += Vec3<double>{40, -7, 3};
    expect_same_run(config, system);
  }
}

/// Fields act on charges, those of sites too; momenta are removed between launches.
TEST_P(PersistentMolecules, MovesInFieldsWithoutMomentum) {
  RunConfig config = run_of(langevin(), 20);
  FormChoice uniform{"uniform", {{"frequency", 1e-3}}};
  uniform.set_vector("strength", {0.05, 0, -0.1});
  config.fields["field"] = uniform;
  config.fields["wall"] = FormChoice{"harmonic", {{"radius", 10.0}, {"stiffness", 0.5}}};
  config.remove_momentum = RemoveMomentum::both;
  config.recenter_every = 7;
  expect_same_run(config, droplet(config, 250, 5));
}

/// More than a thousand steps, in which atoms are reordered, with and without interruptions.
TEST_P(PersistentMolecules, GivesTheSameBytesWithAnyObservers) {
  RunConfig config = run_of(langevin(), 1'030);
  config.recenter = Recenter::mass;
  config.recenter_every = 100;
  const System start = droplet(config, 140, 3);
  System alone = start;
  Timings timings;
  StepLoop(alone, config, on_gpu(Precision::mixed), timings).run([] { return false; });
  EXPECT_GT(largest_difference(alone.particles.position, start.particles.position), 1);
  for (const std::int64_t energies_every : {7, 206}) {
    System observed = start;
    run_short(observed, config, on_gpu(Precision::mixed), energies_every);
    EXPECT_TRUE(same_bytes(observed.particles.position, alone.particles.position));
    EXPECT_TRUE(same_bytes(observed.particles.velocity, alone.particles.velocity));
  }
}

/// The rest of a run from a state between two sortings, with steps before it that are not repeated.
TEST_P(PersistentMolecules, ContinuesToTheSameBytes) {
  RunConfig config = run_of(langevin(), 1'200);
  config.recenter = Recenter::mass;
  config.recenter_every = 100;
  const System start = droplet(config, 150, 2);
  std::optional<RunState> state;
  const auto end_of = [&](const Method& method, const RunState* from) {
    System system = start;
    Timings timings;
    StepLoop simulation(system, config, method, timings, nullptr, from);
    if (!state) simulation.add_observer(std::make_unique<StateOf>(700, [&] { state.emplace(simulation.state()); }));
    simulation.run(never_stop);
    return system.particles.position;
  };
  const std::vector<Vec3<double>> whole = end_of(on_gpu(Precision::mixed), nullptr);
  ASSERT_TRUE(state);
  EXPECT_TRUE(same_bytes(end_of(with_choice(on_gpu(Precision::mixed), state->choice), &*state), whole));
}

/// Waters whose hydrogens have a van der Waals term, as some force fields give them a small one.
TEST_P(PersistentMolecules, MovesWatersWithVdwTermsOfHydrogens) {
  RunConfig config = run_of(langevin(), 20);
  System system = droplet(config, 200, 2);
  const std::size_t hydrogen = system.particles.pair_species[1], n = system.model.n_species;
  std::vector<LjParameters>& of = system.model.lj_parameters;
  ASSERT_EQ(of[hydrogen * n + hydrogen].epsilon, 0);
  for (std::size_t other = 0; other < n; ++other) {
    const LjParameters alone = of[other * n + other];
    const double epsilon = other == hydrogen ? 0.046 : std::sqrt(0.046 * alone.epsilon);
    const double sigma = other == hydrogen ? 0.4 : 0.5 * (0.4 + alone.sigma);
    of[hydrogen * n + other] = of[other * n + hydrogen] = {epsilon, sigma};
  }
  expect_same_run(config, system);
}

/// Two waters meet head-on far from all others, in a step that is not the first one of a launch.
TEST_P(PersistentMolecules, GoesBackToTheStepBeforeAFault) {
  RunConfig config = run_of(verlet(1.0), 900);
  System start = droplet(config, 150);
  for (const double side : {1.0, -1.0}) {
    const std::size_t first = side > 0 ? 0 : model().size();
    const Vec3<double> to = Vec3<double>{side * 40, 300, 0} - start.particles.position[first];
    for (std::size_t k = 0; k < model().size(); ++k) {
      start.particles.position[first + k] += to;
      if (start.particles.mass[first + k] > 0) start.particles.velocity[first + k] = {-side * 0.3, 0, 0};
    }
  }
  const auto message = [&](Precision precision) {
    System system = start;
    Timings timings;
    try {
      StepLoop(system, config, on_gpu(precision), timings).run([] { return false; });
    } catch (const PhysicsError& error) {
      return std::string(error.what());
    }
    return std::string("no error");
  };
  const std::string fast = message(Precision::mixed), exact = message(Precision::fp64);
  EXPECT_NE(fast, "no error");
  EXPECT_EQ(fast.substr(0, fast.find(':')), exact.substr(0, exact.find(':'))) << fast << '\n' << exact;
}

/// Droplets with other integrators, too many molecules or no waters are left to other kernels.
TEST_P(PersistentMolecules, LeavesOtherDropletsToOtherKernels) {
  if (is_on_share()) GTEST_SKIP() << "a share holds fewer molecules";
  const auto is_taken = [](const System& system, const RunConfig& config) {
    return is_persistent(system, config, on_gpu(Precision::mixed));
  };
  RunConfig config = run_of({"csvr", {{"timestep", 1.0}, {"temperature", 300.0}, {"relaxation", 50.0}}}, 20);
  EXPECT_FALSE(is_taken(droplet(config, 10), config));
  config = run_of(verlet(1.0), 20);
  EXPECT_FALSE(is_taken(droplet(config, 4'000), config));
  // Two waters whose atoms are excluded from each other, and a water that is not like the others.
  System system = droplet(config, 10);
  EXPECT_TRUE(is_taken(system, config));
  Topology topology = *system.topology;
  const auto size = static_cast<std::uint32_t>(model().size());
  std::vector<std::array<std::uint32_t, 2>> pairs{{0, size}};
  for (std::uint32_t i = 0; i < 10 * size; ++i)
    for (std::uint32_t j = i / size * size; j < i; ++j) pairs.push_back({j, i});
  topology.exclusions = exclusions_of_pairs(10 * std::size_t{size}, pairs);
  system.topology = std::make_shared<const Topology>(topology);
  EXPECT_FALSE(is_taken(system, config));
  system = droplet(config, 10);
  system.particles.mass[1] = system.particles.mass[2] = 2.014;
  EXPECT_FALSE(is_taken(system, config));
}

}  // namespace
}  // namespace dropmd
