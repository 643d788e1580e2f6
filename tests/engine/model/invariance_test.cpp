#include "engine/model/invariance.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <stdexcept>

#include "engine/actions/action_list.h"
#include "engine/ledger/causes.h"
#include "engine/library/simulation.h"
#include "engine/model/form_catalog.h"
#include "inputs/run_file/resolved_run.h"
#include "inputs/run_file/run_file.h"
#include "inputs/structures/bare_structure.h"
#include "tests/engine/many_atom_terms/centre_spring.h"
#include "tests/support/device_runs.h"

/// What may be done to all atoms beside terms that are fixed in space, and the warnings where a run asks for it all the
/// same.
namespace dropmd {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::StartsWith;

constexpr Invariance kBoth{}, kTurns{.translation = false, .rotation = true},
    kNone{.translation = false, .rotation = false};

FormChoice wall() { return {"harmonic", {{"radius", 5.0}, {"stiffness", 1.0}}}; }
FormChoice field() {
  FormChoice choice{"uniform", {{"frequency", 0.0}}};
  choice.set_vector("strength", {0, 0, 1});
  return choice;
}

/// Lennard-Jones atoms that are recentred every 5 steps, if anything is.
RunConfig free_run() {
  RunConfig config = lj_run(verlet(0.002), 10);
  config.recenter_every = 5;
  config.recenter.reset();
  config.backend = Backend::cpu;
  return config;
}
RunConfig run_with(const FormChoices& fields) {
  RunConfig config = free_run();
  config.fields = fields;
  return config;
}
System system_of(const RunConfig& config) { return build_system(config, moving_atoms(30, 3)); }
System with_fixed_term(const RunConfig& config, const Invariance& invariance) {
  System system = system_of(config);
  system.terms.push_back(std::make_shared<CentreSpring>(2.0, invariance));
  return system;
}

RunConfig run_of(const std::string& sections) {
  return parse_run_file({"run.toml", "units = \"lj\"\n[system]\nstructure = \"a.xyz\"\n" + sections}, "run.toml",
                        form_catalog());
}
Recenter centre_of_file(const std::string& sections) {
  const RunConfig config = run_of(sections);
  return recentring(config, invariance_of(config));
}

TEST(Invariance, OfTermsTogetherIsThatOfAllOfThem) {
  EXPECT_EQ(kBoth & kTurns, kTurns);
  EXPECT_EQ(kNone & kTurns, kNone);
  EXPECT_EQ((Invariance{.translation = true, .rotation = false}) & kTurns, kNone);
}

TEST(Invariance, OfAModelIsWhatItsTermsSay) {
  EXPECT_EQ(invariance_of(run_with({})), kBoth);
  EXPECT_EQ(invariance_of(run_with({{"wall", wall()}})), kTurns) << "a sphere around the origin";
  EXPECT_EQ(invariance_of(run_with({{"field", field()}})), kNone) << "it has a direction, and its energy an origin";
  EXPECT_EQ(invariance_of(run_with({{"wall", wall()}, {"field", field()}})), kNone);
  EXPECT_EQ(invariance_of(system_of(run_with({{"wall", wall()}}))), kTurns);
  const RunConfig config = run_with({});
  EXPECT_EQ(invariance_of(with_fixed_term(config, kBoth)), kBoth);
  EXPECT_EQ(invariance_of(with_fixed_term(config, kNone)), kNone);
  EXPECT_EQ(invariance_of(with_fixed_term(run_with({{"wall", wall()}}), {.translation = true, .rotation = false})),
            kNone);
}

TEST(Recentring, IsTheDefaultInEmptySpaceAlone) {
  EXPECT_EQ(centre_of_file(""), Recenter::geometric);
  EXPECT_EQ(centre_of_file("[wall]\nform = \"none\"\n"), Recenter::geometric);
  EXPECT_EQ(centre_of_file("[wall]\n"), Recenter::none);
  EXPECT_EQ(centre_of_file("[field]\nstrength = [0, 0, 1]\n"), Recenter::none);
  EXPECT_EQ(centre_of_file("[wall]\n[run]\nrecenter = \"mass\"\n"), Recenter::mass);
  EXPECT_EQ(centre_of_file("[run]\nrecenter = \"none\"\n"), Recenter::none);
}

TEST(Recentring, FollowsAWallThatIsTakenAway) {
  RunConfig config = run_of("[wall]\n");
  config.fields.erase("wall");
  EXPECT_EQ(recentring(config, invariance_of(config)), Recenter::geometric);
}

TEST(Recentring, OfADropletFileIsThatOf2009) {
  const RunConfig bare = bare_structure_config("a.drop", form_catalog());
  EXPECT_EQ(recentring(bare, invariance_of(bare)), Recenter::geometric);
}

TEST(Recentring, IsWrittenOut) {
  const auto written = [](const RunConfig& config) { return resolved_run_toml(config, invariance_of(config)); };
  EXPECT_THAT(written(run_of("[wall]\n")), HasSubstr("\nrecenter = \"none\"\n"));
  EXPECT_THAT(written(run_of("")), HasSubstr("\nrecenter = \"geometric\"\n"));
}

/// A term of many atoms counts as a wall does.
TEST(Recentring, IsNotTheDefaultBesideATermOfManyAtomsThatIsFixedInSpace) {
  RunConfig config = free_run();
  EXPECT_EQ(actions_of(config, with_fixed_term(config, kBoth)).find<Recentring>()->which, Recenter::geometric);
  EXPECT_EQ(actions_of(config, with_fixed_term(config, kTurns)).find<Recentring>()->which, Recenter::none);
  EXPECT_EQ(
      actions_of(config, with_fixed_term(config, {.translation = true, .rotation = false})).find<Recentring>()->which,
      Recenter::geometric);
  EXPECT_FALSE(causes_of(config, with_fixed_term(config, kTurns)).any());
}

/// Atoms of equal mass that attract each other swing on the spring as one body: c = c₀ cos ωt + (v₀/ω) sin ωt with
/// ω² = k/(n m). Velocity Verlet's relative error of ω is (ω Δt)²/24 = 1e-8.
TEST(ATermOfManyAtomsThatIsFixedInSpace, MovesTheDropletWithoutRecentring) {
  const RunConfig config = free_run();
  Structure structure = moving_atoms(30, 3);
  for (Vec3<double>& x : structure.position) x += Vec3<double>{1, -2, 0.5};
  System system = build_system(config, structure);
  system.terms.push_back(std::make_shared<CentreSpring>(2.0));
  Simulation simulation(system, config);
  const Vec3<double> start = CentreSpring::centre_of(simulation.positions());
  const Vec3<double> speed = CentreSpring::centre_of(simulation.velocities());
  simulation.step(1000);
  const double omega = std::sqrt(2.0 / (30 * simulation.system().particles.mass[0])), t = simulation.time();
  const Vec3<double> expected = std::cos(omega * t) * start + (std::sin(omega * t) / omega) * speed;
  EXPECT_NEAR(t, 2, 1e-12);
  EXPECT_GT(norm(expected - start), 0.1);
  EXPECT_LT(norm(CentreSpring::centre_of(simulation.positions()) - expected), 1e-7);
  const double stretch = norm(CentreSpring::centre_of(simulation.positions()));
  EXPECT_NEAR(simulation.energies().of("spring"), stretch * stretch, 1e-12);
}

/// Its change of energy would not be booked, so it is refused rather than missing in the ledger.
TEST(Recentring, BesideSuchATermIsRefusedWhereThereIsALedger) {
  RunConfig config = free_run();
  config.recenter = Recenter::mass;
  EXPECT_THROW(Simulation(with_fixed_term(config, kTurns), config), std::invalid_argument);
  EXPECT_NO_THROW(Simulation(with_fixed_term(config, kBoth), config));
  config.integrator = {"descent", {{"factor", 0.001}}};
  EXPECT_EQ(actions_of(config, with_fixed_term(config, kTurns)).find<Recentring>()->which, Recenter::mass);
  config.recenter_every = 0;
  config.integrator = verlet(0.002);
  EXPECT_NO_THROW(Simulation(with_fixed_term(config, kTurns), config));
}

TEST(MotionWarnings, AreOfRecentringAgainstTheFirstTermThatIsFixed) {
  const auto warnings_with = [](const FormChoices& fields, std::optional<Recenter> centre) {
    RunConfig config = run_with(fields);
    config.recenter = centre;
    return motion_warnings(config, system_of(config));
  };
  EXPECT_THAT(warnings_with({{"wall", wall()}}, Recenter::mass),
              ElementsAre("recenter = \"mass\" moves the atoms against the wall: the energy is not conserved (without "
                          "'recenter' in [run] nothing is recentred with a wall)"));
  EXPECT_THAT(warnings_with({{"field", field()}}, Recenter::geometric), ElementsAre(HasSubstr("against the field:")));
  EXPECT_THAT(warnings_with({{"wall", wall()}, {"field", field()}}, Recenter::mass),
              ElementsAre(HasSubstr("against the wall:")));
  EXPECT_THAT(warnings_with({{"wall", wall()}}, {}), IsEmpty());
  EXPECT_THAT(warnings_with({}, Recenter::mass), IsEmpty());
  RunConfig never = run_with({{"wall", wall()}});
  never.recenter = Recenter::mass;
  never.recenter_every = 0;
  never.remove_momentum = RemoveMomentum::both;
  EXPECT_THAT(motion_warnings(never, system_of(never)), IsEmpty());
}

TEST(MotionWarnings, AreOfMomentumThatTermsGive) {
  const auto warnings_with = [](const FormChoices& fields, RemoveMomentum which) {
    RunConfig config = run_with(fields);
    config.remove_momentum = which;
    return motion_warnings(config, system_of(config));
  };
  const FormChoices walled{{"wall", wall()}}, driven{{"wall", wall()}, {"field", field()}};
  EXPECT_THAT(warnings_with({}, RemoveMomentum::both), IsEmpty());
  EXPECT_THAT(warnings_with(walled, RemoveMomentum::none), IsEmpty());
  EXPECT_THAT(warnings_with(walled, RemoveMomentum::angular), IsEmpty()) << "a sphere around the origin";
  EXPECT_THAT(
      warnings_with(walled, RemoveMomentum::both),
      ElementsAre("remove-momentum = \"both\" removes linear momentum that the wall gives to the atoms: the energy is "
                  "not conserved (without 'remove-momentum' in [run] no momentum is removed)"));
  EXPECT_THAT(warnings_with(driven, RemoveMomentum::both),
              ElementsAre(HasSubstr("linear momentum that the wall"), HasSubstr("angular momentum that the field")));
  RunConfig config = free_run();
  config.remove_momentum = RemoveMomentum::linear;
  EXPECT_THAT(motion_warnings(config, with_fixed_term(config, kTurns)),
              ElementsAre(HasSubstr("that the spring gives")));
}

/// The library prints nothing: its warnings are among the system's, once.
TEST(MotionWarnings, OfASimulationAreWithItsSystem) {
  RunConfig config = run_with({{"wall", wall()}});
  EXPECT_THAT(Simulation(system_of(config), config).system().warnings, IsEmpty());
  config.recenter = Recenter::mass;
  const Simulation simulation(system_of(config), config);
  EXPECT_THAT(simulation.system().warnings, ElementsAre(StartsWith("recenter = \"mass\" moves")));
  EXPECT_EQ(Simulation(simulation.system(), config).system().warnings.size(), 1U);
}

}  // namespace
}  // namespace dropmd
