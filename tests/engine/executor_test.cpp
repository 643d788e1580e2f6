#include "engine/executors/executor.h"

#include <gtest/gtest.h>

#include <optional>

#include "core/errors.h"
#include "inputs/run_file/run_config.h"
#include "inputs/structures/structure.h"
#include "tests/support/fcc_ball.h"
#include "tests/support/short_run.h"

/// The host's executor without a StepLoop: it does what StepLoop relies on.
namespace dropmd {
namespace {

class HostExecutorTest : public testing::Test {
 protected:
  HostExecutorTest() {
    config_.recenter_every = 3;
    config_.recenter = Recenter::geometric;
    config_.remove_momentum = RemoveMomentum::linear;
    structure_ = structure_of(fcc_ball(55));
    structure_.velocity.assign(structure_.position.size(), {});
    structure_.velocity[7] = {0.3, -0.2, 0.1};
  }
  std::unique_ptr<Executor> executor(System& system, const Method& method = fp64_method()) {
    return make_executor(system, config_, method, 3 * system.particles.size(), timings_);
  }
  static Executor::Progress advance(Executor& executor, std::int64_t last, bool energies) {
    executor.start(last, {.energies = energies});
    return executor.finish();
  }

  RunConfig config_ = lj_run(verlet(0.002), 20);
  Structure structure_;
  Timings timings_;
};

/// One step at a time or all at once, with or without energies.
TEST_F(HostExecutorTest, MakesTheStepsOfTheLoop) {
  System of_loop = build_system(config_, structure_), system = build_system(config_, structure_);
  const RunResult run = run_short(of_loop, config_);
  const auto host = executor(system);
  EXPECT_TRUE(host->begin(true).energies.has_value());
  EXPECT_EQ(host->step(), 0);
  EXPECT_FALSE(advance(*host, 1, false).energies.has_value());
  EXPECT_EQ(host->step(), 1);
  const Executor::Progress progress = advance(*host, 20, true);
  EXPECT_EQ(host->step(), 20);
  EXPECT_DOUBLE_EQ(host->time(), 0.04);
  EXPECT_FALSE(progress.broken);
  EXPECT_EQ(system.particles.position, of_loop.particles.position);
  EXPECT_EQ(system.particles.velocity, of_loop.particles.velocity);
  EXPECT_EQ(host->force(), run.force);
  ASSERT_TRUE(progress.energies.has_value());
  EXPECT_EQ(progress.energies->energies.total(), run.last.energies.total());
  EXPECT_EQ(host->energies().energies.total(), run.last.energies.total()) << "asked for afterwards";
}

TEST_F(HostExecutorTest, ResumesFromAState) {
  config_.lennard_jones->treatment = {"force-shift", {{"cutoff", 2.5}}};
  Method method = fp64_method(1, NeighborMethod::pair_list);
  method.skin = 0.4;
  System whole = build_system(config_, structure_), part = build_system(config_, structure_);
  const auto never_stopped = executor(whole, method), first = executor(part, method);
  never_stopped->begin(false);
  advance(*never_stopped, 20, false);
  first->begin(false);
  advance(*first, 8, false);
  RunState state;
  state.step = 8;
  state.position = part.particles.position;
  state.velocity = part.particles.velocity;
  first->add_to(state);
  EXPECT_EQ(state.force, first->force());
  const auto second = executor(part, method);
  second->resume(state, /*alike=*/true);
  EXPECT_EQ(second->step(), 8);
  advance(*second, 20, false);
  EXPECT_EQ(part.particles.position, whole.particles.position);
  EXPECT_EQ(part.particles.velocity, whole.particles.velocity);
}

TEST_F(HostExecutorTest, SaysWhatBreaksAndAtWhichStep) {
  structure_.velocity[7] = {1000, 0, 0};
  System system = build_system(config_, structure_);
  const auto host = executor(system);
  host->begin(false);
  EXPECT_THROW(advance(*host, 2, false), PhysicsError);
  EXPECT_EQ(host->step(), 1);
}

/// Another method finds the same pairs, and the state stays the same.
TEST_F(HostExecutorTest, ContinuesWithAnotherMethod) {
  config_.lennard_jones->treatment = {"force-shift", {{"cutoff", 2.5}}};
  System one = build_system(config_, structure_), other = build_system(config_, structure_);
  const auto same = executor(one), changed = executor(other);
  for (Executor* each : {same.get(), changed.get()}) {
    each->begin(false);
    advance(*each, 5, false);
  }
  changed->use(fp64_method(1, NeighborMethod::cells));
  EXPECT_EQ(changed->step(), 5);
  EXPECT_EQ(other.particles.position, one.particles.position);
  for (Executor* each : {same.get(), changed.get()}) advance(*each, 15, false);
  for (std::size_t i = 0; i < one.particles.size(); ++i)
    EXPECT_LT(norm(other.particles.position[i] - one.particles.position[i]), 1e-12) << "atom " << i;
}

}  // namespace
}  // namespace dropmd
