#include "engine/self_check.h"

#include <fmt/core.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstring>
#include <string>

#include "engine/jobs/run_job.h"
#include "engine/observers.h"
#include "inputs/run_file/run_config.h"
#include "inputs/structures/structure.h"
#include "tests/support/device_runs.h"
#include "tests/support/random_droplets.h"
#include "tests/support/system/child_process.h"
#include "tests/support/system/temp_folder.h"

/// Checks of the forces of whole runs. tests/app/self_check_test.cpp tests the command line.
namespace dropmd {
namespace {

using testing::AllOf;
using testing::HasSubstr;

/// Gives a SelfCheckObserver modified forces.
class Tampering final : public Observer {
 public:
  using Change = std::function<void(const Snapshot&, std::vector<Vec3<double>>& force)>;
  Tampering(SelfCheck& check, Timings& timings, Change change) : check_(check, timings), change_(std::move(change)) {}
  std::int64_t every() const override { return check_.every(); }
  bool wants_state(std::int64_t step) const override { return check_.wants_state(step); }
  bool wants_energies(std::int64_t step) const override { return check_.wants_energies(step); }
  bool may_end_run(std::int64_t step) const override { return check_.may_end_run(step); }
  void observe(const Snapshot& s) override {
    std::vector<Vec3<double>> force(s.force.begin(), s.force.end());
    if (change_ && wants_state(s.step)) change_(s, force);
    check_.observe({s.step, s.time, s.particles, force, s.energies});
  }

 private:
  SelfCheckObserver check_;
  Change change_;
};

struct Checked {
  RunEnd end;
  std::int64_t steps;
  SelfCheckSummary summary;
};

Checked checked_run(const RunConfig& config, const Structure& structure, const Method& method, std::int64_t every,
                    Tampering::Change change = nullptr) {
  System system = build_system(config, structure);
  Timings timings;
  StepLoop simulation(system, config, method, timings);
  SelfCheck check(system, method, config.random_seed, every);
  simulation.add_observer(std::make_unique<Tampering>(check, timings, std::move(change)));
  const RunEnd end = simulation.run([&] { return !check.summary().ok(); });
  return {end, simulation.step(), check.summary()};
}

struct Where {
  Backend backend;
  NeighborMethod neighbor;
  Precision precision;
};
void PrintTo(const Where& where, std::ostream* out) {
  *out << word_of(where.backend) << ' ' << word_of(where.neighbor) << ' ' << word_of(where.precision);
}

class SelfCheckTest : public testing::TestWithParam<Where> {
 protected:
  void SetUp() override {
    if (GetParam().backend != Backend::cuda) return;
    if (const std::string reason = query_devices().reason; !reason.empty()) GTEST_SKIP() << reason;
  }
  static Method method(int threads = 1) {
    Method method = fp64_method(threads, GetParam().neighbor);
    method.backend = GetParam().backend;
    method.precision = GetParam().precision;
    method.skin = 0.2;
    return method;
  }
  /// A warm droplet with charges, in a wall that its atoms touch.
  static RunConfig droplet_run(std::int64_t steps) {
    RunConfig config = lj_run({"langevin", {{"timestep", 0.002}, {"temperature", 1.0}, {"friction", 1.0}}}, steps);
    config.lennard_jones->treatment = {"cut", {{"cutoff", 2.5}}};
    config.coulomb = FormChoice{"cut", {{"cutoff", 3.0}}};
    config.fields["wall"] = FormChoice{"harmonic", {{"radius", 4.0}, {"stiffness", 5.0}}};
    config.recenter_every = 10;
    config.recenter = Recenter::geometric;
    return config;
  }
};

std::vector<Where> everywhere() {
  std::vector<Where> all;
  for (const Precision precision : {Precision::mixed, Precision::fp64}) {
    for (const Backend backend : {Backend::cpu, Backend::cuda})
      for (const NeighborMethod neighbor :
           {NeighborMethod::all_pairs, NeighborMethod::cells, NeighborMethod::sorted_cells, NeighborMethod::pair_list})
        all.push_back({backend, neighbor, precision});
  }
  return all;
}
INSTANTIATE_TEST_SUITE_P(All, SelfCheckTest, testing::ValuesIn(everywhere()), [](const auto& instance) {
  std::string name = testing::PrintToString(instance.param);
  std::replace_if(
      name.begin(), name.end(), [](char c) { return c == ' ' || c == '-'; }, '_');
  return name;
});

TEST_P(SelfCheckTest, PassesTheForcesOfARun) {
  for (const std::size_t n : {60U, 400U, 2500U}) {
    SCOPED_TRACE(n);
    const Checked run = checked_run(droplet_run(60), moving_atoms(n, 3), method(), 7);
    EXPECT_EQ(run.end, RunEnd::finished);
    EXPECT_EQ(run.summary.violation, "");
    EXPECT_EQ(run.summary.checks, 9) << "steps 0, 7, ..., 56";
    EXPECT_EQ(run.summary.atoms, std::min<std::size_t>(n, 100));
    EXPECT_GT(run.summary.worst.error, 0) << "something was compared";
    EXPECT_GE(run.summary.worst.error, run.summary.rms.error);
    EXPECT_LE(run.summary.rms.error, bounds_of(GetParam().precision).rms_force);
    EXPECT_EQ(run.summary.worst.step % 7, 0);
    EXPECT_GE(run.summary.worst.atom, 1U);
    EXPECT_LE(run.summary.worst.atom, n);
  }
}

/// One atom's force is off by twice the allowed worst error. All atoms are in the sample, so it cannot be missed.
TEST_P(SelfCheckTest, EndsTheRunAtTheFirstForceThatIsWrong) {
  const double bound = bounds_of(GetParam().precision).worst_force;
  const auto change = [&](const Snapshot& s, std::vector<Vec3<double>>& force) {
    if (s.step < 20) return;
    double square = 0;
    for (const Vec3<double>& f : force) square += dot(f, f) / static_cast<double>(force.size());
    force[41].y += 2 * bound * std::sqrt(square);
  };
  const Checked run = checked_run(droplet_run(200), moving_atoms(90, 4), method(), 10, change);
  EXPECT_EQ(run.end, RunEnd::interrupted);
  EXPECT_EQ(run.steps, 20) << "nothing is made of later steps";
  EXPECT_EQ(run.summary.checks, 3);
  EXPECT_EQ(run.summary.worst.step, 20);
  EXPECT_EQ(run.summary.worst.atom, 42U);
  EXPECT_NEAR(run.summary.worst.error, 2 * bound, 0.1 * bound);
  EXPECT_THAT(run.summary.violation, AllOf(HasSubstr("step 20, time 0.04 tau: "), HasSubstr("force on atom 42 is off"),
                                           HasSubstr("of the RMS force, more than"), HasSubstr("(run with --")));
}

/// Each force is off by four times the RMS bound, which in mixed precision is far below the bound of the worst atom.
TEST_P(SelfCheckTest, EndsTheRunWhereAllForcesAreALittleOff) {
  const double bound = bounds_of(GetParam().precision).rms_force;
  const auto change = [&](const Snapshot& s, std::vector<Vec3<double>>& force) {
    if (s.step == 30)
      for (Vec3<double>& f : force) f *= 1 + 4 * bound;
  };
  const Checked run = checked_run(droplet_run(200), moving_atoms(400, 4), method(), 10, change);
  EXPECT_EQ(run.steps, 30);
  EXPECT_NEAR(run.summary.rms.error, 4 * bound, 1.1 * bound);
  EXPECT_THAT(run.summary.violation, HasSubstr("step 30, time 0.06 tau: "));
  if (GetParam().precision == Precision::mixed) {
    EXPECT_THAT(run.summary.violation, AllOf(HasSubstr("forces on 100 atoms"), HasSubstr("are off on average")));
  }
}

/// At the minimum, forces are 1e-3 and less, while their terms are 24 and more.
TEST_P(SelfCheckTest, PassesAMinimum) {
  RunConfig config = lj_run({"fire", {{"timestep", 0.005}, {"force-tolerance", 1e-3}}}, 5000);
  config.lennard_jones->treatment = {"force-shift", {{"cutoff", 2.5}}};
  const Checked run = checked_run(config, structure_of(fcc_ball(30)), method(), 1);
  EXPECT_EQ(run.end, RunEnd::converged);
  EXPECT_EQ(run.summary.violation, "");
}

TEST_P(SelfCheckTest, FindsTheSameForEveryNumberOfThreads) {
  const auto summary = [&](int threads) {
    return checked_run(droplet_run(30), moving_atoms(700, 5), method(threads), 5).summary;
  };
  const SelfCheckSummary one = summary(1);
  for (const int threads : {2, 5}) {
    const SelfCheckSummary many = summary(threads);
    EXPECT_EQ(std::memcmp(&one.rms, &many.rms, sizeof one.rms), 0);
    EXPECT_EQ(std::memcmp(&one.worst, &many.worst, sizeof one.worst), 0);
  }
}

/// The list cutoff is a tenth shorter than the cutoff; no run file may ask for that.
constexpr double kTooShort = -0.25;

TEST(SelfCheck, FindsAListThatLosesPairs) {
  RunConfig config = lj_run(verlet(0.002), 50);
  config.lennard_jones->treatment = {"force-shift", {{"cutoff", 2.5}}};
  for (const Precision precision : {Precision::mixed, Precision::fp64}) {
    Method method = fp64_method(1, NeighborMethod::pair_list);
    method.precision = precision;
    config.skin = method.skin = -kTooShort;
    const Structure structure = structure_of(with_species(random_droplet(Regime::liquid, 800, 8), 1));
    EXPECT_EQ(checked_run(config, structure, method, 10).end, RunEnd::finished);
    config.skin = method.skin = kTooShort;
    const Checked run = checked_run(config, structure, method, 10);
    EXPECT_EQ(run.end, RunEnd::interrupted);
    EXPECT_EQ(run.steps, 0);
    EXPECT_GT(run.summary.worst.error, 1e-3);
  }
}

/// A lattice without a pair within the cutoff shrinks, so that the run fails halfway.
TEST(SelfCheck, LeavesAFailedRunWithItsOutputsAndStatusOne) {
  const TempFolder folder;
  std::string text = "216\nProperties=species:S:1:pos:R:3:velocity:R:3\n";
  for (int i = 0; i < 216; ++i) {
    const int column = i % 6, row = i / 6 % 6, plane = i / 36;
    const Vec3<double> x = 2.6 * Vec3<double>{column - 2.5, row - 2.5, plane - 2.5};
    text += fmt::format("X {} {} {} {} {} {}\n", x.x, x.y, x.z, -0.25 * x.x, -0.25 * x.y, -0.25 * x.z);
  }
  folder.write("lattice.xyz", text);
  RunConfig config = lj_run(verlet(0.01), 100);
  config.structure = folder.path() / "lattice.xyz";
  config.backend = Backend::cpu;
  config.lennard_jones->treatment = {"cut", {{"cutoff", 2.5}}};
  config.neighbor = NeighborMethod::pair_list;
  config.skin = kTooShort;
  config.output_directory = folder.path() / "out";
  config.energy_every = config.trajectory_every = 2;
  config.final_file = "final.xyz";
  RunHooks hooks;
  hooks.self_check_every = 4;
  const RunSummary summary = run_job(config, hooks);
  // The spacing of 2.6 (1 - 0.25 t) is below 2.5 from step 15.4 on.
  EXPECT_EQ(summary.end, RunEnd::out_of_tolerance);
  EXPECT_EQ(summary.steps, 16);
  ASSERT_TRUE(summary.self_check);
  EXPECT_EQ(summary.self_check->checks, 5);
  try {
    summary.self_check->require_ok();
    ADD_FAILURE() << "no error";
  } catch (const Error& error) {
    EXPECT_EQ(error.status(), ExitStatus::out_of_tolerance);
    EXPECT_THAT(error.what(), HasSubstr("step 16, time 0.16 tau: self-check: the force on atom "));
  }
  EXPECT_EQ(lines_of(text_of(folder.path() / "out/energy.csv")).size(), 2U + 9U) << "steps 0, 2, ..., 16";
  EXPECT_EQ(lines_of(text_of(folder.path() / "out/trajectory.xyz")).size(), 9U * 218U);
  EXPECT_THAT(text_of(folder.path() / "out/final.xyz"), HasSubstr("step=16"));
}

}  // namespace
}  // namespace dropmd
