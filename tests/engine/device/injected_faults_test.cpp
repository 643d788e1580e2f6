#include <fmt/core.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <limits>
#include <string>

#include "core/errors.h"
#include "inputs/run_file/run_config.h"
#include "tests/support/processors.h"

/// Numbers that are not finite are put into a run. It ends and names what broke, before anybody sees the step.
namespace dropmd {
namespace {

using testing::AllOf;
using testing::AnyOf;
using testing::HasSubstr;

constexpr double kNan = std::numeric_limits<double>::quiet_NaN(), kInfinity = std::numeric_limits<double>::infinity();
constexpr std::int64_t kInjected = 4, kSteps = 20;  // a GPU may be a step ahead
constexpr std::size_t kAtom = 37;                   // atom 38 of messages

/// 60 atoms in a cubic lattice of contacts, at rest.
System lattice(const RunConfig& config) {
  ChargedAtoms atoms;
  for (int i = 0; i < 60; ++i) {
    const int column = i / 4 % 4, layer = i / 16;
    atoms.add({1.12 * (i % 4), 1.12 * column, 1.12 * layer});
  }
  return build_system(config, structure_of(atoms));
}

/// The message with which a run that resumes from a state ends, and the steps that were seen.
struct Ending {
  std::string message;
  std::vector<std::int64_t> seen;
};

RunState state_of(const RunConfig& config, const Method& method) {
  System system = lattice(config);
  Timings timings;
  StepLoop simulation(system, config, method, timings);
  simulation.add_observer(std::make_unique<StepObserver>(1, 1, [](const Snapshot&) {}));
  simulation.run([&] { return simulation.step() >= kInjected; });
  return simulation.state();
}

Ending ending(System& system, const RunConfig& config, const RunState* from, const Method& method) {
  Timings timings;
  Ending ending{"no PhysicsError", {}};
  StepLoop simulation(system, config, method, timings, nullptr, from);
  simulation.add_observer(
      std::make_unique<StepObserver>(1, 1, [&](const Snapshot& s) { ending.seen.push_back(s.step); }));
  try {
    simulation.run(never_stop);
  } catch (const PhysicsError& error) {
    EXPECT_EQ(error.status(), ExitStatus::physics);
    ending.message = error.what();
  }
  return ending;
}
Ending ending(const RunConfig& config, const RunState* from, const Method& method) {
  System system = lattice(config);
  return ending(system, config, from, method);
}

std::string step_and_time(std::int64_t step) {
  return fmt::format("step {}, time {:.6g} ", step, 0.002 * static_cast<double>(step));
}

class InjectedFaults : public OnProcessors {
 protected:
  static RunConfig config() { return lj_run(verlet(0.002), kSteps); }
};
INSTANTIATE_TEST_SUITE_P(Processors, InjectedFaults, all_processors(), name_of_processor);

TEST_P(InjectedFaults, AStateWithoutFaultsResumes) {
  const RunState state = state_of(config(), method());
  EXPECT_TRUE(state.step == kInjected || (!on_cpu() && state.step == kInjected + 1)) << state.step;
  const Ending end = ending(config(), &state, method());
  EXPECT_EQ(end.message, "no PhysicsError");
  EXPECT_EQ(end.seen.size(), static_cast<std::size_t>(kSteps - state.step));
}

TEST_P(InjectedFaults, APositionOrVelocity) {
  const RunState good = state_of(config(), method());
  for (const double wrong : {kNan, kInfinity, -kInfinity})
    for (const bool position : {true, false}) {
      RunState state = good;
      (position ? state.position : state.velocity)[kAtom].y = wrong;
      const Ending end = ending(config(), &state, method());
      EXPECT_THAT(end.message,
                  AllOf(HasSubstr(step_and_time(state.step)), HasSubstr("atom 38 at ("),
                        HasSubstr(position ? "a position that is not finite" : "a velocity that is not finite")));
      EXPECT_TRUE(end.seen.empty());
    }
}

/// A velocity that is finite, but far too large for a step.
TEST_P(InjectedFaults, AVelocityOfAnotherWorld) {
  const RunState good = state_of(config(), method());
  for (const double wrong : {1e4, 1e20, -1e140}) {
    RunState state = good;
    state.velocity[kAtom].z = wrong;
    const Ending end = ending(config(), &state, method());
    EXPECT_THAT(end.message,
                AllOf(HasSubstr(step_and_time(state.step + 1)), HasSubstr("atom 38 at ("), HasSubstr("moved "),
                      HasSubstr("force ("), HasSubstr("nearest neighbour: atom "), HasSubstr("a smaller timestep")));
    EXPECT_TRUE(end.seen.empty());
  }
}

/// A force of the state that a run continues from is found before a step is made with it. (A GPU holds forces in fixed
/// point, which has no such numbers.)
TEST(InjectedFaultsOnTheCpu, AForce) {
  const RunConfig config = lj_run(verlet(0.002), kSteps);
  for (const double wrong : {kNan, kInfinity}) {
    RunState state = state_of(config, fp64_method());
    state.force[kAtom].x = wrong;
    const Ending end = ending(config, &state, fp64_method());
    EXPECT_THAT(end.message, AllOf(HasSubstr("step 4, time 0.008 "), HasSubstr("atom 38 at ("),
                                   HasSubstr("feels a force that is not finite")));
    EXPECT_TRUE(end.seen.empty());
  }
}

/// A charge that is not a number makes the forces on all atoms not a number; a structure with such a charge is refused.
TEST_P(InjectedFaults, ForcesThatAreNoNumbers) {
  RunConfig config = InjectedFaults::config();
  config.coulomb = FormChoice{"exact"};
  System system = lattice(config);
  system.particles.charge[kAtom] = kNan;
  const Ending end = ending(system, config, nullptr, method());
  EXPECT_THAT(end.message, AllOf(HasSubstr("step 0, time 0 "), HasSubstr("not finite")));
  EXPECT_TRUE(end.seen.empty());
}

/// The kinetic energy overflows while all its terms are finite: no contact distance limits the moves.
TEST_P(InjectedFaults, AnEnergy) {
  RunConfig config = InjectedFaults::config();
  config.lennard_jones.reset();
  config.coulomb = FormChoice{"exact"};
  RunState state = state_of(config, method());
  state.velocity[kAtom].z = 1e200;
  const Ending end = ending(config, &state, method());
  EXPECT_THAT(end.message, AllOf(HasSubstr(step_and_time(state.step + 1)), HasSubstr("the energy is not finite"),
                                 HasSubstr("kinetic inf")));
  EXPECT_TRUE(end.seen.empty());
}

/// Two atoms are shot at each other, slowly enough for the limit of a move, and come so near that mixed precision
/// cannot represent the force.
TEST_P(InjectedFaults, AtomsShotIntoEachOther) {
  RunState state = state_of(config(), method());
  state.velocity[0].x = 250, state.velocity[1].x = -250;  // 0.5 per step each
  const Ending end = ending(config(), &state, method());
  EXPECT_THAT(end.message, AllOf(HasSubstr("step "), AnyOf(HasSubstr("atom 1 at"), HasSubstr("atom 2 at")),
                                 HasSubstr("force ("), HasSubstr("nearest neighbour")));
  EXPECT_LE(end.seen.size(), 2U);
}

}  // namespace
}  // namespace dropmd
