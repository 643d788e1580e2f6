#include "engine/physics_guard.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <limits>

#include "core/errors.h"
#include "inputs/run_file/run_config.h"
#include "tests/support/processors.h"
#include "tests/support/short_run.h"

namespace dropmd {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;

constexpr double kNotANumber = std::numeric_limits<double>::quiet_NaN();

System lj_system(const std::vector<Vec3<double>>& position) {
  ChargedAtoms atoms;
  for (const Vec3<double>& x : position) atoms.add(x);
  return build_system(lj_run(verlet(0.005), 10), structure_of(atoms));
}

template <class Action>
std::string message_of(const Action& action) {
  try {
    action();
  } catch (const PhysicsError& error) {
    EXPECT_EQ(error.status(), ExitStatus::physics);
    return error.what();
  }
  return "no PhysicsError";
}

/// Whole runs, which give the same messages on every processor.
class PhysicsGuardOfRuns : public OnProcessors {};
INSTANTIATE_TEST_SUITE_P(Processors, PhysicsGuardOfRuns, all_processors(), name_of_processor);

TEST_P(PhysicsGuardOfRuns, OverlapAtTheStartNamesBothAtomsFromOne) {
  System system = lj_system({{0, 0, 0}, {5, 0, 0}, {5, 0.05, 0}});
  const RunConfig config = lj_run(verlet(0.005), 10);
  const std::string message = message_of([&] { run_short(system, config, method()); });
  EXPECT_THAT(message, AllOf(HasSubstr("step 0"), HasSubstr("time 0"), HasSubstr("atoms 2 and 3"), HasSubstr("0.05"),
                             HasSubstr("(5, 0.05, 0)")));
}

/// Two ions of opposite charge. Together with the Coulomb term, their barrier is where the attraction of 1/r² outgrows
/// (A/ρ) exp(−r/ρ).
RunConfig ion_run(double timestep) {
  RunConfig config = lj_run(verlet(timestep), 1000);
  config.lennard_jones.reset();
  config.born_mayer = BornMayerConfig{.values = BornMayerValues{.a = 100, .rho = 0.2, .sigma = 0, .c = 0.05, .d = 0.01},
                                      .treatment = {"none"}};
  config.coulomb = FormChoice{"exact"};
  return config;
}

ChargedAtoms ions_at(double distance) {
  ChargedAtoms ions;
  ions.add({-9, 0, 0}, 0.1);
  ions.add({-0.5 * distance, 0, 0}, 1.0);
  ions.add({0.5 * distance, 0, 0}, -1.0);
  return ions;
}

TEST_P(PhysicsGuardOfRuns, APairBelowItsBarrierAtTheStartIsNamed) {
  System system = build_system(ion_run(0.001), structure_of(ions_at(0.15)));
  EXPECT_GT(system.model.largest_barrier(), 0.16);
  EXPECT_THAT(message_of([&] { run_short(system, ion_run(0.001), method()); }),
              AllOf(HasSubstr("step 0"), HasSubstr("atoms 2 and 3 are 0.15"), HasSubstr("below the barrier"),
                    HasSubstr("smaller timestep")));
}

/// The ions are shot at each other and cross the barrier: the run ends at that step, before it reaches the energies
/// beyond.
TEST_P(PhysicsGuardOfRuns, APairThatCrossesItsBarrierEndsTheRun) {
  const RunConfig config = ion_run(0.001);
  System system = build_system(config, structure_of(ions_at(1.0)));
  const double barrier = system.model.largest_barrier();
  system.particles.velocity[1] = {30, 0, 0};
  system.particles.velocity[2] = {-30, 0, 0};
  EXPECT_THAT(message_of([&] { run_short(system, config, method()); }),
              AllOf(HasSubstr("atoms 2 and 3"), HasSubstr("below the barrier of their Born-Mayer potential")));
  const double distance = norm(system.particles.position[2] - system.particles.position[1]);
  EXPECT_LT(distance, barrier * 1.00002);
  EXPECT_GT(distance, barrier - 0.07) << "one step later";
}

TEST(PhysicsGuard, AtomsAtOnePlaceAreAnOverlapWithoutVanDerWaalsToo) {
  System system = lj_system({{1, 2, 3}, {1, 2, 3}});
  EXPECT_THAT(message_of([&] { PhysicsGuard(system).check_start(); }), HasSubstr("atoms 1 and 2"));
  system.model.lj.reset();
  EXPECT_THAT(message_of([&] { PhysicsGuard(system).check_start(); }), HasSubstr("atoms 1 and 2"));
}

TEST(PhysicsGuard, ATenthOfRMinIsTheLimit) {
  const double limit = 0.1 * 1.122462048309373;
  EXPECT_NO_THROW(PhysicsGuard(lj_system({{0, 0, 0}, {limit * 1.001, 0, 0}})).check_start());
  EXPECT_THROW(PhysicsGuard(lj_system({{0, 0, 0}, {limit * 0.999, 0, 0}})).check_start(), PhysicsError);
}

/// Atoms that their molecule excludes from each other may be anywhere, and so may virtual sites.
TEST(PhysicsGuard, ExcludedAtomsAreNoOverlap) {
  System system = lj_system({{0, 0, 0}, {0.01, 0, 0}, {3, 0, 0}, {3.01, 0, 0}});
  const auto excluding = [](std::vector<std::array<std::uint32_t, 2>> pairs) {
    auto topology = std::make_shared<Topology>();
    topology->exclusions = exclusions_of_pairs(4, pairs);
    return topology;
  };
  system.topology = excluding({{0, 1}, {2, 3}});
  EXPECT_NO_THROW(PhysicsGuard(system).check_start());
  system.topology = excluding({{0, 1}, {0, 3}, {1, 3}});
  EXPECT_THAT(message_of([&] { PhysicsGuard(system).check_start(); }), HasSubstr("atoms 3 and 4"));
  system.topology = excluding({});
  EXPECT_THROW(PhysicsGuard(system).check_start(), PhysicsError);
  system.particles.mass[0] = system.particles.mass[3] = 0;
  EXPECT_NO_THROW(PhysicsGuard(system).check_start());
}

TEST(PhysicsGuard, StartThatIsNotFinite) {
  System system = lj_system({{0, 0, 0}, {2, 0, 0}});
  system.particles.position[1].y = kNotANumber;
  EXPECT_THAT(message_of([&] { PhysicsGuard(system).check_start(); }),
              AllOf(HasSubstr("atom 2"), HasSubstr("position"), HasSubstr("not finite")));
  system = lj_system({{0, 0, 0}, {2, 0, 0}});
  system.particles.velocity[0].z = std::numeric_limits<double>::infinity();
  EXPECT_THAT(message_of([&] { PhysicsGuard(system).check_start(); }),
              AllOf(HasSubstr("atom 1"), HasSubstr("velocity"), HasSubstr("not finite")));
}

/// A position that is not finite makes every pair force with it not finite. The message must name this atom, not its
/// victims.
TEST(PhysicsGuard, NamesTheAtomWhosePositionBroke) {
  System system = lj_system({{0, 0, 0}, {2, 0, 0}, {3, 0, 0}, {4, 0, 0}});
  system.particles.position[2].x = kNotANumber;
  for (auto& v : system.particles.velocity) v = {kNotANumber, kNotANumber, kNotANumber};
  const std::vector<Vec3<double>> force(4, {kNotANumber, kNotANumber, kNotANumber});
  EXPECT_THAT(message_of([&] { PhysicsGuard(system).check_finite(12, 0.06, force, {}); }),
              AllOf(HasSubstr("step 12"), HasSubstr("0.06"), HasSubstr("atom 3 at"), HasSubstr("position")));
}

TEST_P(PhysicsGuardOfRuns, ATimestepFarTooLarge) {
  System system = lj_system({{0, 0, 0}, {0, 0, 1.0}, {50, 0, 0}});
  const RunConfig config = lj_run(verlet(0.5), 10);
  const std::string message = message_of([&] { run_short(system, config, method()); });
  EXPECT_THAT(message, AllOf(HasSubstr("step 1,"), HasSubstr("time 0.5"), HasSubstr("atom 1 at"), HasSubstr("moved"),
                             HasSubstr("force ("), HasSubstr("-24)"), HasSubstr("nearest neighbour: atom 2"),
                             HasSubstr("distance of")));
}

TEST_P(PhysicsGuardOfRuns, NothingIsObservedOfABrokenStep) {
  System system = lj_system({{0, 0, 0}, {0, 0, 1.0}});
  const RunConfig config = lj_run(verlet(0.5), 10);
  std::int64_t last_seen = -1;
  EXPECT_THROW(run_short(system, config, method(), 1, [&](const Snapshot& s) { last_seen = s.step; }), PhysicsError);
  EXPECT_EQ(last_seen, 0);
}

TEST(PhysicsGuard, EnergyThatIsNotFinite) {
  System system = lj_system({{0, 0, 0}, {2, 0, 0}});
  Energies energies;
  energies.add("coulomb", kNotANumber);
  const std::vector<Vec3<double>> force(2);
  EXPECT_THAT(message_of([&] { PhysicsGuard(system).check_finite(3, 0.015, force, energies); }),
              AllOf(HasSubstr("step 3"), HasSubstr("energy is not finite"), HasSubstr("coulomb nan")));
}

TEST_P(PhysicsGuardOfRuns, AnAtomThatLeavesIsFine) {
  System system = lj_system({{0, 0, 0}, {1.12, 0, 0}, {1e6, 0, 0}});
  system.particles.velocity[2] = {100, 0, 0};
  const RunConfig config = lj_run(verlet(0.005), 20);
  EXPECT_NO_THROW(run_short(system, config, method()));
  EXPECT_NEAR(system.particles.position[2].x, 1e6 + 20 * 0.005 * 100, 1e-6);
}

TEST(PhysicsGuard, AnAtomThatLeavesIsFineInMixedPrecisionOnTheCpu) {
  System system = lj_system({{0, 0, 0}, {1.12, 0, 0}, {1e6, 0, 0}});
  system.particles.velocity[2] = {100, 0, 0};
  Method method = fp64_method();
  method.precision = Precision::mixed;
  EXPECT_NO_THROW(run_short(system, lj_run(verlet(0.005), 20), method));
  EXPECT_NEAR(system.particles.position[2].x, 1e6 + 20 * 0.005 * 100, 1e-6);
}

}  // namespace
}  // namespace dropmd
