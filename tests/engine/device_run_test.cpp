#include "engine/device_run.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <cstring>
#include <map>

#include "core/errors.h"
#include "core/ordered_sum.h"
#include "device/device_info.h"
#include "engine/centre.h"
#include "forces/brute_force.h"
#include "tests/support/fcc_ball.h"
#include "tests/support/force_error.h"
#include "tests/support/random_droplets.h"
#include "tests/support/short_run.h"

/// Steps made on the GPU against steps made on the CPU, with the same run file.
namespace dropmd {
namespace {

/// Over 20 steps of 0.002 an error of 5e-6 of forces of about 100 (the design's bound for mixed precision) moves an
/// atom by 0.5 · 5e-4 · 0.04² = 4e-7; ten times that for what neighbours make of it, and a margin of 2.5.
constexpr double kMixedBound = 1e-5;
/// double: 1e-12 of the force instead; the same factors and rounding of positions.
constexpr double kDoubleBound = 1e-10;

/// How the GPU computes forces.
struct Way {
  Precision precision;
  NeighborMethod neighbor;
};
void PrintTo(const Way& way, std::ostream* out) {
  *out << word_of(way.neighbor) << (way.precision == Precision::mixed ? "_mixed" : "_fp64");
}

double bound_of(Precision precision) { return precision == Precision::mixed ? kMixedBound : kDoubleBound; }

bool same_bytes(const std::vector<Vec3<double>>& a, const std::vector<Vec3<double>>& b) {
  return a.size() == b.size() && std::memcmp(a.data(), b.data(), a.size() * sizeof(a[0])) == 0;
}

double largest_difference(const std::vector<Vec3<double>>& a, const std::vector<Vec3<double>>& b) {
  double largest = 0;
  for (std::size_t i = 0; i < a.size(); ++i) largest = std::max(largest, norm(a[i] - b[i]));
  return largest;
}

/// Atoms of a loose fcc lattice, as many as asked, moving at random.
Structure moving_atoms(std::size_t n, std::uint32_t seed) {
  ChargedAtoms atoms = fcc_ball(static_cast<int>(std::max<std::size_t>(n, 400)));
  Structure structure = structure_of(atoms);
  structure.position.resize(n);
  structure.charge.resize(n);
  structure.species.resize(n);
  std::mt19937 random(seed);
  std::uniform_real_distribution<double> uniform(-1, 1);
  for (std::size_t i = 0; i < n; ++i) {
    structure.position[i] = 1.1 * structure.position[i] + 0.02 * Vec3<double>{uniform(random), uniform(random), 0};
    structure.charge[i] = 0.3 * uniform(random);
    structure.velocity.push_back(0.5 * Vec3<double>{uniform(random), uniform(random), uniform(random)});
  }
  return structure;
}

class DeviceRunTest : public testing::TestWithParam<Way> {
 protected:
  void SetUp() override {
    if (const std::string reason = query_devices().reason; !reason.empty()) GTEST_SKIP() << reason;
  }
  static bool by_list() { return GetParam().neighbor == NeighborMethod::pair_list; }
  static Method gpu() {
    Method method = fp64_method();
    method.backend = Backend::cuda;
    method.precision = GetParam().precision;
    method.neighbor = GetParam().neighbor;
    return method;
  }
  static double bound() { return bound_of(GetParam().precision); }

  static RunConfig plain_run(FormChoice integrator, std::int64_t steps) {
    RunConfig config = lj_run(std::move(integrator), steps);
    if (by_list()) config.lennard_jones->treatment = {"force-shift", {{"cutoff", 2.5}}};
    return config;
  }
  static RunConfig charged_run(FormChoice integrator, std::int64_t steps) {
    RunConfig config = plain_run(std::move(integrator), steps);
    config.coulomb = by_list() ? FormChoice{"smoothed", {{"cutoff", 3.0}}} : FormChoice{"exact"};
    config.wall = FormChoice{"harmonic", {{"radius", 3.0}, {"stiffness", 2.0}}};
    return config;
  }

  /// Runs on both processors; positions, velocities and energies agree.
  void expect_same_run(const RunConfig& config, const Structure& structure) const {
    System on_cpu = build_system(config, structure), on_gpu = build_system(config, structure);
    const RunResult cpu = run_short(on_cpu, config, fp64_method(), config.steps);
    const RunResult gpu_run = run_short(on_gpu, config, gpu(), config.steps);
    EXPECT_EQ(gpu_run.steps, cpu.steps);
    EXPECT_EQ(gpu_run.pairs.pairs_within_cutoff, cpu.pairs.pairs_within_cutoff);
    EXPECT_LT(largest_difference(on_gpu.particles.position, on_cpu.particles.position), bound());
    EXPECT_LT(largest_difference(on_gpu.particles.velocity, on_cpu.particles.velocity), 20 * bound());
    const Energies &a = gpu_run.last.energies, &b = cpu.last.energies;
    const double scale = std::abs(b.vdw) + std::abs(b.coulomb) + std::abs(b.wall) + std::abs(b.kinetic) + 1e-3;
    EXPECT_NEAR(a.vdw, b.vdw, bound() * scale);
    EXPECT_NEAR(a.coulomb, b.coulomb, bound() * scale);
    EXPECT_NEAR(a.wall, b.wall, bound() * scale);
    EXPECT_NEAR(a.kinetic, b.kinetic, bound() * scale);
    EXPECT_NEAR(gpu_run.last.temperature, cpu.last.temperature, bound() * (1 + cpu.last.temperature));
  }
};

INSTANTIATE_TEST_SUITE_P(Ways, DeviceRunTest,
                         testing::Values(Way{Precision::mixed, NeighborMethod::all_pairs},
                                         Way{Precision::fp64, NeighborMethod::all_pairs},
                                         Way{Precision::mixed, NeighborMethod::pair_list},
                                         Way{Precision::fp64, NeighborMethod::pair_list}),
                         [](const auto& way) {
                           return std::string(way.param.neighbor == NeighborMethod::pair_list ? "list" : "all_pairs") +
                                  (way.param.precision == Precision::mixed ? "_mixed" : "_fp64");
                         });

TEST_P(DeviceRunTest, MovesAsTheCpuDoesAtEveryAwkwardSize) {
  for (const std::size_t n : {1U, 2U, 15U, 16U, 17U, 31U, 33U, 63U, 64U, 65U, 127U, 128U, 129U, 255U, 257U, 1000U}) {
    SCOPED_TRACE(n);
    expect_same_run(charged_run(verlet(0.002), 20), moving_atoms(n, static_cast<std::uint32_t>(n)));
  }
}

/// One size on either side of every change in how a small droplet is dealt out to the multiprocessors of an H200 (132),
/// and of the change to steps of two kernels.
TEST_P(DeviceRunTest, MovesAsTheCpuDoesAroundEveryChangeOfShape) {
  for (const std::size_t n : {528U, 529U, 640U, 641U, 1056U, 1057U, 2112U, 2113U}) {
    SCOPED_TRACE(n);
    expect_same_run(charged_run(verlet(0.002), 5), moving_atoms(n, static_cast<std::uint32_t>(n)));
  }
}

TEST_P(DeviceRunTest, HasEveryIntegrator) {
  const FormChoice integrators[] = {{"descent", {{"factor", 1e-4}}},
                                    {"langevin", {{"timestep", 0.002}, {"temperature", 0.5}, {"friction", 1.0}}},
                                    {"csvr", {{"timestep", 0.002}, {"temperature", 0.5}, {"relaxation", 0.05}}},
                                    {"fire", {{"timestep", 0.002}, {"force-tolerance", 1e-9}}}};
  for (const FormChoice& integrator : integrators) {
    SCOPED_TRACE(integrator.form);
    expect_same_run(charged_run(integrator, 20), moving_atoms(200, 5));
  }
}

/// Cutoffs, two species, masses and a centre of mass, in every kind of step.
TEST_P(DeviceRunTest, KnowsSpeciesMassesAndCutoffs) {
  for (const std::size_t n : {60U, 128U, 250U, 700U, 2300U}) {
    SCOPED_TRACE(n);
    RunConfig config = charged_run({"langevin", {{"timestep", 0.002}, {"temperature", 0.5}, {"friction", 1.0}}}, 12);
    config.lennard_jones =
        LennardJonesConfig{.epsilon = {}, .sigma = {}, .treatment = {"force-shift", {{"cutoff", 2.2}}}};
    config.species.resize(2);
    config.species[0].name = "A";
    config.species[1].name = "B";
    config.species[0].epsilon = 1.0;
    config.species[1].epsilon = 0.5;
    config.species[1].sigma = 0.9;
    config.coulomb = FormChoice{"smoothed", {{"cutoff", 2.5}}};
    config.recenter_every = 5;
    config.recenter = Recenter::mass;
    config.remove_momentum = RemoveMomentum::none;
    Structure structure = moving_atoms(n, 17);
    structure.species_names = {"A", "B"};
    for (std::size_t i = 0; i < n; ++i) {
      structure.species[i] = i % 3 == 0 ? 1 : 0;
      structure.mass.push_back(i % 3 == 0 ? 2.5 : 1.0);
    }
    expect_same_run(config, structure);
  }
}

TEST_P(DeviceRunTest, HasBothWalls) {
  for (const char* form : {"harmonic", "quartic"}) {
    RunConfig config = charged_run(verlet(0.002), 15);
    config.wall = FormChoice{form, {{"radius", 2.0}, {"stiffness", 1.0}}};
    expect_same_run(config, moving_atoms(130, 8));
  }
}

TEST_P(DeviceRunTest, RecentresAndRemovesMomentumAtTheirSteps) {
  for (const Recenter which : {Recenter::geometric, Recenter::mass}) {
    RunConfig config = charged_run(verlet(0.002), 12);
    config.recenter_every = 4;
    config.recenter = which;
    config.remove_momentum = RemoveMomentum::linear;
    const Structure structure = moving_atoms(150, 3);
    expect_same_run(config, structure);
    System system = build_system(config, structure);
    std::int64_t seen = 0;
    run_short(system, config, gpu(), 1, [&](const Snapshot& s) {
      if (s.step % 4 != 0) return;
      ++seen;
      EXPECT_LT(norm(centre_of(Cpu{}, s.particles, which)), 1e-13) << "step " << s.step;
      Vec3<double> momentum{};
      for (std::size_t i = 0; i < s.particles.size(); ++i) momentum += s.particles.mass[i] * s.particles.velocity[i];
      EXPECT_LT(norm(momentum), 1e-12) << "step " << s.step;
    });
    EXPECT_EQ(seen, 4);
  }
}

/// With atoms that have no rotation, or none about their line, and with persistent steps and those of two kernels.
TEST_P(DeviceRunTest, RemovesAngularMomentum) {
  for (const RemoveMomentum which : {RemoveMomentum::angular, RemoveMomentum::both})
    for (const std::size_t n : {1U, 2U, 3U, 100U, 300U, 2500U}) {
      SCOPED_TRACE(n);
      RunConfig config = charged_run(verlet(0.002), 6);
      config.recenter_every = 3;
      config.remove_momentum = which;
      const Structure structure = moving_atoms(n, 4);
      expect_same_run(config, structure);
      System system = build_system(config, structure);
      std::int64_t seen = 0;
      run_short(system, config, gpu(), 1, [&](const Snapshot& s) {
        if (s.step % 3 != 0) return;
        ++seen;
        const Vec3<double> centre = centre_of(Cpu{}, s.particles, Recenter::mass);
        Vec3<double> angular{};
        for (std::size_t i = 0; i < s.particles.size(); ++i)
          angular += s.particles.mass[i] * cross(s.particles.position[i] - centre, s.particles.velocity[i]);
        // Terms of up to 10 (a radius of 7, thermal speeds), some 10 roundings in each.
        EXPECT_LT(norm(angular), 1e-14 * static_cast<double>(n)) << "step " << s.step;
      });
      EXPECT_EQ(seen, 3);
    }
}

/// Through the sorting of the atoms at step 1000 and graphs of steps. Velocity Verlet's energy swings by about (ω
/// dt)²/8 of the vibrational energy: 5e-5 at ω = 20, which is stiff for Lennard-Jones; twice that is allowed, of the
/// total.
TEST_P(DeviceRunTest, ConservesEnergyOverThousandsOfSteps) {
  RunConfig config = charged_run(verlet(0.001), 2500);
  config.recenter_every = 100;
  config.recenter = Recenter::geometric;
  config.wall.reset();
  System system = build_system(config, moving_atoms(300, 6));
  const RunResult run = run_short(system, config, gpu(), 250);
  ASSERT_EQ(run.rows.size(), 11U);
  const double start = run.rows[0].energies.total();
  double exchanged = 0;  // between potential and kinetic: what conservation is measured against
  for (const EnergyRow& row : run.rows) {
    exchanged = std::max(exchanged, std::abs(row.energies.kinetic - run.rows[0].energies.kinetic));
    EXPECT_NEAR(row.energies.total(), start, 1e-4 * std::abs(start)) << "step " << row.step;
  }
  EXPECT_GT(exchanged, 1e-2 * std::abs(start)) << "a run in which nothing happens shows nothing";
}

TEST_P(DeviceRunTest, GivesTheSameBytesHoweverItIsWatched) {
  const FormChoice integrators[] = {verlet(0.002),
                                    {"langevin", {{"timestep", 0.002}, {"temperature", 0.5}, {"friction", 1.0}}},
                                    {"csvr", {{"timestep", 0.002}, {"temperature", 0.5}, {"relaxation", 0.05}}}};
  for (const FormChoice& integrator : integrators) {
    SCOPED_TRACE(integrator.form);
    RunConfig config = charged_run(integrator, 1210);
    config.recenter_every = 100;
    config.recenter = Recenter::mass;
    const Structure structure = moving_atoms(200, 9);
    std::vector<System> systems(3, build_system(config, structure));
    Timings timings;
    Simulation(systems[0], config, gpu(), timings).run([] { return false; });  // nobody looks
    run_short(systems[1], config, gpu(), 7);
    run_short(systems[2], config, gpu(), 0);  // every step is looked at, no energies
    for (const System& other : systems) {
      EXPECT_TRUE(same_bytes(other.particles.position, systems[0].particles.position));
      EXPECT_TRUE(same_bytes(other.particles.velocity, systems[0].particles.velocity));
    }
  }
}

/// Three sizes: persistent steps twice, steps of two kernels in mixed precision; two kernels in double.
TEST_P(DeviceRunTest, GivesTheSameBytesAfterAHundredThousandSteps) {
  for (const std::size_t n : {128U, 1000U, 2500U}) {
    SCOPED_TRACE(n);
    RunConfig config = charged_run(verlet(0.0005), 100'000);
    config.wall = FormChoice{"harmonic", {{"radius", 10.0}, {"stiffness", 2.0}}};
    config.recenter_every = 100;
    config.recenter = Recenter::geometric;
    const Structure structure = moving_atoms(n, 12);
    std::vector<System> systems(2, build_system(config, structure));
    for (System& system : systems) {
      Timings timings;
      Simulation(system, config, gpu(), timings).run([] { return false; });
    }
    EXPECT_TRUE(same_bytes(systems[1].particles.position, systems[0].particles.position));
    EXPECT_TRUE(same_bytes(systems[1].particles.velocity, systems[0].particles.velocity));
    EXPECT_GT(largest_difference(systems[0].particles.position, structure.position), 0.1);
  }
}

TEST_P(DeviceRunTest, BrokenPhysicsIsReportedInTheWordsOfTheCpu) {
  const auto message = [](const RunConfig& config, const Structure& structure, const Method& method) {
    System system = build_system(config, structure);
    try {
      Timings timings;
      Simulation(system, config, method, timings).run([] { return false; });
    } catch (const PhysicsError& error) {
      return std::string(error.what());
    }
    return std::string("no error");
  };
  // Two atoms meet head-on in step 6 and are thrown apart.
  Structure structure = moving_atoms(130, 2);
  structure.position.push_back({30, 0, 0});
  structure.position.push_back({31.2, 0, 0});
  for (const double speed : {60.0, -60.0}) structure.velocity.push_back({speed, 0, 0});
  structure.charge.resize(132);
  structure.species.resize(132);
  const RunConfig config = charged_run(verlet(0.002), 500);
  const std::string cpu = message(config, structure, fp64_method());
  const std::string on_gpu = message(config, structure, gpu());
  EXPECT_THAT(cpu, testing::HasSubstr("in one step, more than"));
  EXPECT_EQ(on_gpu.substr(0, on_gpu.find(" at (")), cpu.substr(0, cpu.find(" at (")));
  EXPECT_THAT(on_gpu, testing::HasSubstr("in one step, more than"));
}

TEST_P(DeviceRunTest, StopsWhenAsked) {
  const RunConfig config = charged_run(verlet(0.002), 1'000'000);
  System system = build_system(config, moving_atoms(100, 1));
  int asked = 0;
  const RunResult run = run_short(system, config, gpu(), 50, nullptr, [&] { return ++asked > 10; });
  EXPECT_EQ(run.end, RunEnd::interrupted);
  EXPECT_GT(run.steps, 0);
  EXPECT_LT(run.steps, 1000);
  EXPECT_EQ(run.last.step, run.steps);
}

/// Each step that is seen is shown while the device makes the next seven; among them, after step 994, the sorting of
/// the atoms at step 1000.
TEST_P(DeviceRunTest, ShowsEachStepAsItWasWhileTheNextAreMade) {
  struct Seen {
    std::vector<Vec3<double>> position, velocity, force;
    double potential;
  };
  const FormChoice csvr{"csvr", {{"timestep", 0.002}, {"temperature", 0.5}, {"relaxation", 0.05}}};
  for (const auto& [n, integrator] : {std::pair{100U, verlet(0.002)}, {300U, csvr}, {2500U, verlet(0.002)}}) {
    SCOPED_TRACE(n);
    RunConfig config = charged_run(integrator, 1005);
    config.recenter_every = 10;
    config.recenter = Recenter::geometric;
    const Structure structure = moving_atoms(n, 3);
    std::map<std::int64_t, Seen> seen;
    const auto look = [&](const Snapshot& s) {
      seen[s.step] = {s.particles.position,
                      s.particles.velocity,
                      {s.force.begin(), s.force.end()},
                      s.energies->energies.potential()};
    };
    System watched = build_system(config, structure);
    run_short(watched, config, gpu(), 7, look, never_stop, 7);
    EXPECT_EQ(seen.size(), 144U);
    for (const std::int64_t step : {7, 497, 994, 1001}) {
      SCOPED_TRACE(step);
      ASSERT_TRUE(seen.contains(step));
      RunConfig until = config;
      until.steps = step;
      System alone = build_system(until, structure);
      const RunResult run = run_short(alone, until, gpu(), 0);
      EXPECT_TRUE(same_bytes(seen[step].position, alone.particles.position));
      EXPECT_TRUE(same_bytes(seen[step].velocity, alone.particles.velocity));
      EXPECT_TRUE(same_bytes(seen[step].force, run.force));
      EXPECT_EQ(seen[step].potential, run.last.energies.potential());
    }
  }
}

/// When the output fails, thousands of steps are being made.
TEST_P(DeviceRunTest, AnOutputThatFailsEndsTheRunWhileTheDeviceIsAhead) {
  constexpr std::int64_t kEvery = 1 << 14;
  const RunConfig config = charged_run(verlet(0.0005), 1'000'000);
  System system = build_system(config, moving_atoms(500, 3));
  const auto look = [](const Snapshot& s) {
    if (s.step == kEvery) throw OutputError("no space");
  };
  EXPECT_THROW(run_short(system, config, gpu(), 0, look, never_stop, kEvery), OutputError);
  expect_same_run(charged_run(verlet(0.002), 5), moving_atoms(500, 3));  // the device is left in order
}

TEST_P(DeviceRunTest, FireFindsTheMinimum) {
  if (GetParam().precision == Precision::mixed) GTEST_SKIP() << "mixed forces are too coarse for this tolerance";
  RunConfig config = plain_run({"fire", {{"timestep", 0.01}, {"force-tolerance", 1e-8}}}, 20'000);
  System system = build_system(config, structure_of(fcc_ball(18)));
  const RunResult run = run_short(system, config, gpu(), 0);
  EXPECT_EQ(run.end, RunEnd::converged);
  System same = build_system(config, structure_of(fcc_ball(18)));
  EXPECT_NEAR(run.last.energies.vdw, run_short(same, config, fp64_method(), 0).last.energies.vdw, 1e-9);
}

/// Forces and energies of a state against brute force.
void expect_brute_force(const Snapshot& s, const System& system, Precision precision) {
  SCOPED_TRACE("step " + std::to_string(s.step));
  const PairAtoms atoms{system.particles.charge, system.pair_species};
  std::vector<Vec3<double>> force(system.particles.size());
  const PairSums exact =
      make_brute_force(Cpu{}, system.model, atoms)->evaluate(s.particles.position, force, Want::forces_and_energies);
  const PairScales scales = pair_scales(system.model, atoms, s.particles.position);
  const Bounds bounds = bounds_of(precision);
  const ForceError error = force_error({s.force.begin(), s.force.end()}, force);
  EXPECT_LE(error.rms, bounds.rms_force);
  EXPECT_LE(error.worst, bounds.worst_force);
  EXPECT_NEAR(s.energies->energies.vdw, exact.vdw, bounds.energy * scales.vdw);
  EXPECT_NEAR(s.energies->energies.coulomb, exact.coulomb, bounds.energy * scales.coulomb);
}

/// A hot droplet flies apart: lists are built hundreds of times, and tiles are stretched.
TEST_P(DeviceRunTest, LosesNoPairOfAnEvaporatingDropletInTenThousandSteps) {
  RunConfig config = charged_run({"langevin", {{"timestep", 0.002}, {"temperature", 4.0}, {"friction", 0.5}}}, 10'000);
  config.wall.reset();
  config.recenter_every = 130;
  config.recenter = Recenter::geometric;
  System system = build_system(config, moving_atoms(2'000, 21));
  const std::vector<Vec3<double>> start = system.particles.position;
  run_short(
      system, config, gpu(), 1'000, [&](const Snapshot& s) { expect_brute_force(s, system, GetParam().precision); },
      never_stop, 1'000);
  EXPECT_GT(largest_difference(system.particles.position, start), 20);
}

/// A thin gas that falls together has no pairs at first: the list needs more room in the midst of steps that nobody
/// looks at.
TEST_P(DeviceRunTest, MakesRoomForPairsThatComeLater) {
  Structure structure = moving_atoms(1'500, 5);
  for (std::size_t i = 0; i < structure.position.size(); ++i) {
    structure.position[i] = 2.8 * structure.position[i];
    structure.velocity[i] = -0.5 * structure.position[i];
  }
  RunConfig config = charged_run(verlet(0.004), 300);
  config.wall.reset();
  config.temperature.reset();
  System system = build_system(config, structure);
  PairSums first;
  std::vector<Vec3<double>> force(structure.position.size());
  first = make_brute_force(Cpu{}, system.model, {system.particles.charge, system.pair_species})
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
