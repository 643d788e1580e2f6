#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <stdexcept>

#include "core/errors.h"
#include "engine/force_field.h"
#include "engine/library/simulation.h"
#include "engine/methods/method_rule.h"
#include "engine/outer_step_rules.h"
#include "tests/support/device_runs.h"
#include "tests/support/slow_forces.h"

/// Runs whose mesh is computed at outer steps alone (r-RESPA), on the CPU.
namespace dropmd {
namespace {

constexpr int kShell = 18;  // 177 atoms
constexpr double kTimestep = 0.002;

Method kept_list(int threads = 1) {
  Method method = fp64_method(threads, NeighborMethod::pair_list);
  method.skin = 0.3;
  return method;
}

TEST(SlowForces, OfEveryStepAreThoseOfARunWithoutTheKey) {
  const RunConfig without = slow_run(verlet(kTimestep), 30, std::nullopt), one = slow_run(verlet(kTimestep), 30, 1);
  System a = build_system(without, ions(kShell)), b = build_system(one, ions(kShell));
  EXPECT_FALSE(b.outer.has_inner());
  const RunResult of_a = run_short(a, without, kept_list()), of_b = run_short(b, one, kept_list());
  EXPECT_TRUE(same_bytes(a.particles.position, b.particles.position));
  EXPECT_TRUE(same_bytes(a.particles.velocity, b.particles.velocity));
  EXPECT_EQ(of_a.last.energies.total(), of_b.last.energies.total());
}

/// The integrator as it is written in the literature (Tuckerman, Berne and Martyna 1992), with forces of two systems:
/// all atoms with the pairs alone, and with the mesh beside them.
class Impulses {
 public:
  Impulses(const System& system, std::int64_t every)
      : system_(system), every_(static_cast<double>(every)), fast_system_(system), p_(system.particles) {
    fast_system_.terms.clear();
    fast_system_.outer = {};
    slow_system_ = fast_system_;
    slow_system_.terms = system.terms;
    fast_.emplace(fast_system_, fp64_method());
    all_.emplace(slow_system_, fp64_method());
  }

  void outer_step(std::int64_t every) {
    kick(slow(), every_);
    for (std::int64_t inner = 0; inner < every; ++inner) {
      kick(fast(), 1);
      for (std::size_t i = 0; i < p_.size(); ++i) p_.position[i] += kTimestep * p_.velocity[i];
      kick(fast(), 1);
    }
    kick(slow(), every_);
  }
  const Particles& particles() const { return p_; }

 private:
  std::vector<Vec3<double>> fast() {
    std::vector<Vec3<double>> force(p_.size());
    fast_->evaluate({p_.position}, Want::forces, force);
    return force;
  }
  std::vector<Vec3<double>> slow() {
    std::vector<Vec3<double>> force(p_.size());
    const std::vector<Vec3<double>> of_pairs = fast();
    all_->evaluate({p_.position}, Want::forces, force);
    for (std::size_t i = 0; i < force.size(); ++i) force[i] -= of_pairs[i];
    return force;
  }
  void kick(const std::vector<Vec3<double>>& force, double times) {
    for (std::size_t i = 0; i < p_.size(); ++i)
      p_.velocity[i] += (0.5 * kTimestep * times * system_.units.acceleration / p_.mass[i]) * force[i];
  }

  const System& system_;
  double every_;
  System fast_system_, slow_system_;
  Particles p_;
  std::optional<ForceField> fast_, all_;
};

TEST(SlowForces, ActAsImpulsesAtOuterSteps) {
  for (const std::int64_t every : {2, 3, 5}) {
    SCOPED_TRACE(every);
    const RunConfig config = slow_run(verlet(kTimestep), 4 * every, static_cast<int>(every));
    System system = build_system(config, ions(kShell));
    ASSERT_EQ(system.outer.every, every);
    Impulses expected(system, every);
    for (int k = 0; k < 4; ++k) expected.outer_step(every);
    std::vector<std::int64_t> seen;
    const RunResult run =
        run_short(system, config, fp64_method(), 0, [&](const Snapshot& s) { seen.push_back(s.step); });
    EXPECT_EQ(seen, (std::vector<std::int64_t>{0, every, 2 * every, 3 * every, 4 * every}));
    // Rounding: some 40 additions of velocities of about 1 and forces of about 50.
    EXPECT_LT(largest_difference(system.particles.position, expected.particles().position), 1e-12);
    EXPECT_LT(largest_difference(system.particles.velocity, expected.particles().velocity), 1e-11);
    // Observers see the sums of all forces.
    ForceField whole(system, fp64_method());
    std::vector<Vec3<double>> force(system.particles.size());
    whole.evaluate({system.particles.position}, Want::forces, force);
    EXPECT_LT(largest_difference(run.force, force), 1e-10);
  }
}

TEST(SlowForces, AreReversible) {
  const RunConfig config = slow_run(verlet(kTimestep), 0, 4);
  const System system = build_system(config, ions(kShell));
  Simulation simulation(system, config);
  const std::vector<Vec3<double>> begin(simulation.positions().begin(), simulation.positions().end());
  simulation.step(80);
  std::vector<Vec3<double>> back(simulation.velocities().begin(), simulation.velocities().end());
  EXPECT_GT(largest_difference({simulation.positions().begin(), simulation.positions().end()}, begin), 0.05);
  for (Vec3<double>& v : back) v = -1.0 * v;
  simulation.set_velocities(back);
  simulation.step(80);
  // Rounding errors of 1e-16 grow by the chaos of the atoms, a hundredfold in a time of 0.3.
  EXPECT_LT(largest_difference({simulation.positions().begin(), simulation.positions().end()}, begin), 1e-11);
}

/// The root mean square of E(t) − E(0) over a time of 0.48, and the kinetic energy.
struct EnergyError {
  double rms, kinetic;
};
EnergyError energy_error(int every, double timestep) {
  const RunConfig config = slow_run(verlet(timestep), std::llround(0.48 / timestep), every);
  System system = build_system(config, ions(kShell));
  const RunResult run = run_short(system, config, kept_list());
  double sum = 0;
  for (const EnergyRow& row : run.rows) sum += std::pow(row.energies.total() - run.rows[0].energies.total(), 2);
  return {std::sqrt(sum / static_cast<double>(run.rows.size())), run.last.energies.kinetic};
}

TEST(SlowForces, ConserveTheEnergyToSecondOrder) {
  for (const int every : {2, 4}) {
    SCOPED_TRACE(every);
    const EnergyError coarse = energy_error(every, 0.004), fine = energy_error(every, 0.002);
    EXPECT_NEAR(coarse.rms / fine.rms, 4, 0.8) << coarse.rms << ' ' << fine.rms;
    EXPECT_LT(coarse.rms, 1e-3 * coarse.kinetic) << "measured: 4.5e-4 and 2.3e-4 for 2 and 4";
  }
}

RunState state_at(System& system, const RunConfig& config, const Method& method, std::int64_t step) {
  Timings timings;
  StepLoop loop(system, config, method, timings);
  loop.run_to(step, never_stop);
  return loop.state();
}

TEST(SlowForces, ResumeToTheSameBytesAtAnyOuterStepWithAnyThreads) {
  for (const FormChoice& integrator : {verlet(kTimestep), langevin(kTimestep)})
    for (const std::int64_t stop : {3, 12, 27}) {
      const RunConfig config = slow_run(integrator, 45, 3);
      const System start = build_system(config, ions(kShell));
      System whole = start, resumed = start;
      run_short(whole, config, kept_list(2), 9);
      const RunState state = state_at(resumed, config, kept_list(), stop);
      Timings timings;
      StepLoop loop(resumed, config, kept_list(2), timings, nullptr, &state);
      loop.run_to(45, never_stop);
      EXPECT_TRUE(same_bytes(resumed.particles.position, whole.particles.position)) << stop;
      EXPECT_TRUE(same_bytes(resumed.particles.velocity, whole.particles.velocity)) << stop;
    }
}

TEST(SlowForces, ARunStopsAtAnOuterStep) {
  const RunConfig config = slow_run(verlet(kTimestep), 40, 4);
  System system = build_system(config, ions(kShell));
  int asked = 0;
  const RunResult run = run_short(system, config, kept_list(), 0, nullptr, [&] { return ++asked > 3; });
  EXPECT_EQ(run.end, RunEnd::interrupted);
  EXPECT_EQ(run.steps, 12);
}

TEST(SlowForces, LeaveWhatALangevinBathGivesBooked) {
  RunConfig config = slow_run(langevin(kTimestep), 120, 4);
  System system = build_system(config, ions(kShell));
  const RunResult run = run_short(system, config, kept_list(), 4);
  ASSERT_TRUE(run.last.conserved());
  const double begin = *run.rows[0].conserved(), change = *run.last.conserved() - begin;
  EXPECT_GT(std::abs(run.last.energies.total() - run.rows[0].energies.total()), 20 * std::abs(change));
}

TEST(SlowForces, ContinueWithAnotherPopulation) {
  const RunConfig config = slow_run(verlet(kTimestep), 0, 2);
  Simulation simulation(build_system(config, ions(kShell)), config);
  simulation.step(10);
  const std::uint32_t one[] = {7};
  simulation.remove(one);
  const double conserved = simulation.conserved();
  simulation.step(60);
  EXPECT_NEAR(simulation.conserved(), conserved, 2e-3 * simulation.energies().kinetic);
}

TEST(SlowForces, AreRefusedBetweenOuterSteps) {
  RunConfig config = slow_run(verlet(kTimestep), 10, 4);
  const System system = build_system(config, ions(kShell));
  Simulation simulation(system, config);
  EXPECT_THROW(simulation.step(2), std::invalid_argument);
  simulation.step(4);
  EXPECT_EQ(simulation.step_number(), 4);
  EXPECT_THROW(require_outer_steps(config, system, 0, 0), InputError) << "10 steps";
  config.steps = 12;
  EXPECT_NO_THROW(require_outer_steps(config, system, 4, 8));
  EXPECT_THROW(require_outer_steps(config, system, 0, 6), InputError) << "a self-check at step 6";
  EXPECT_THROW(require_outer_steps(config, system, 2, 0), InputError) << "a checkpoint of step 2";
  RunState state = simulation.state();
  state.step = 6;
  EXPECT_THROW(simulation.restore(state), std::invalid_argument);
  EXPECT_EQ(simulation.step_number(), 4) << "unchanged";
  config.recenter_every = 6;
  EXPECT_THROW(Simulation(system, config), std::invalid_argument);
  config.recenter_every = 0;
  config.integrator = {"csvr", {{"timestep", 0.002}, {"temperature", 0.4}, {"relaxation", 0.5}}};
  EXPECT_THROW(Simulation(system, config), std::invalid_argument);
}

TEST(SlowForces, TheRuleLooksAtOuterSteps) {
  const OuterSteps outer{3};
  EXPECT_EQ(MethodRule::look_after(0, outer), 102);
  EXPECT_EQ(MethodRule::look_after(102, outer), 1002);
  EXPECT_EQ(MethodRule::look_after(1002, outer), 10'002);
  EXPECT_EQ(MethodRule::look_after(10'002, outer), 20'004);
}

}  // namespace
}  // namespace dropmd
