#include "engine/mesh_check.h"

#include <fmt/core.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "engine/force_field.h"
#include "engine/ledger/causes.h"
#include "engine/model/coulomb_division.h"
#include "engine/step_loop.h"
#include "inputs/run_file/run_config.h"
#include "inputs/structures/structure.h"
#include "tests/engine/checked_mesh.h"
#include "tests/support/device_runs.h"

/// Runs whose mesh turns out to be too coarse.
namespace dropmd {
namespace {

using testing::HasSubstr;

/// Enough for a mesh to be cheaper than direct sums.
constexpr std::size_t kAtomsForMesh = 2500;

/// A system that is to have an accuracy of 3e-4, but has a mesh for one of 1e-2.
System with_coarse_mesh() {
  System system = build_system(run_of(0, 1e-2), moving_atoms(kAtomsForMesh, 5));
  system.mesh->accuracy = kAccuracy;
  return system;
}

TEST(MeshCheck, LeavesAMeshThatIsFineEnough) {
  const RunConfig config = run_of(3, kAccuracy);
  System system = build_system(config, moving_atoms(kAtomsForMesh, 5));
  system.mesh->fitted = true;
  const std::vector<double> before = system.mesh->numbers();
  CheckedLoop checked(system, config, 2);
  checked.loop.run(never_stop);
  EXPECT_EQ(system.mesh->numbers(), before);
  ASSERT_EQ(checked.said.size(), 2U) << "at steps 0 and 2";
  EXPECT_THAT(checked.said[0], HasSubstr("0: mesh: measured error"));
  EXPECT_THAT(checked.said[1], HasSubstr("2: mesh: measured error"));
}

TEST(MeshCheck, ComesSoonAfterTheStartAndThenAtTheInterval) {
  const MeshCheck check([](std::int64_t, const std::string&) {}, 1000);
  const auto next = [&](std::int64_t step, int every) { return check.next_from(step, OuterSteps{every}); };
  EXPECT_EQ(next(0, 1), 0);
  EXPECT_EQ(next(1, 1), 100);
  EXPECT_EQ(next(100, 1), 100);
  EXPECT_EQ(next(101, 1), 1000);
  EXPECT_EQ(next(1000, 1), 1000);
  EXPECT_EQ(next(1001, 1), 2000);
  EXPECT_EQ(next(1, 3), 102);
  EXPECT_EQ(next(103, 3), 1002);
}

/// The run is that of the finer mesh from its first step on, whatever mesh was chosen before.
TEST(MeshCheck, RefinesAtTheStart) {
  const RunConfig config = run_of(5, kAccuracy);
  System system = with_coarse_mesh();
  const double spacing = system.mesh->parameters.spacing;
  CheckedLoop checked(system, config, 10'000);
  checked.loop.run_to(0, never_stop);
  EXPECT_LT(system.mesh->parameters.spacing, 0.7 * spacing);
  EXPECT_LE(measured_error(system, checked.loop.force()), kAccuracy);
  EXPECT_GE(measured_error(system, checked.loop.force()), kAccuracy / 8) << "no finer than needed";
  ASSERT_GE(checked.said.size(), 2U);
  EXPECT_THAT(checked.said.front(), HasSubstr("more than the accuracy of 0.0003: refined; mesh: pairs within"));
  EXPECT_THAT(checked.said.back(), testing::Not(HasSubstr("more than")));
  EXPECT_EQ(system.mesh->refinements, 0) << "its error is within the accuracy now";

  System fine = with_mesh(build_system(run_of(0, 1e-2), moving_atoms(kAtomsForMesh, 5)), *system.mesh, Backend::cpu,
                          Precision::fp64);
  const double energy = checked.loop.energies().energies.total();
  checked.loop.run_to(5, never_stop);
  CheckedLoop direct(fine, config, 10'000);
  direct.loop.run_to(0, never_stop);
  EXPECT_EQ(direct.loop.energies().energies.total(), energy);
  direct.loop.run_to(5, never_stop);
  EXPECT_TRUE(same_bytes(fine.particles.position, system.particles.position));
}

/// Wherever a run is cut, also at the step of the check, it refines at that step and goes on to the same bytes.
TEST(MeshCheck, RefinesAtTheSameStepHoweverTheRunIsCut) {
  constexpr std::int64_t kBegin = 3, kEvery = 6, kLast = 14;
  const RunConfig config = run_of(kLast, kAccuracy);
  System start = with_coarse_mesh();
  RunState state;
  {
    Timings timings;
    StepLoop unchecked(start, config, list_method(), timings);
    unchecked.run_to(kBegin, never_stop);
    state = unchecked.state();
  }
  System whole = start;
  CheckedLoop uncut(whole, config, kEvery, &state);
  uncut.loop.run(never_stop);
  ASSERT_EQ(uncut.said.size(), 4U) << "measured, refined, the change of the energy, and measured; and once later";
  EXPECT_THAT(uncut.said[0], HasSubstr("6: mesh: measured error"));
  EXPECT_THAT(uncut.said[1], HasSubstr("6: mesh: the finer mesh changes the energy by"));
  EXPECT_THAT(uncut.said[3], HasSubstr("12: mesh: measured error"));
  EXPECT_LT(whole.mesh->parameters.spacing, start.mesh->parameters.spacing);
  for (const std::int64_t cut : {4, 6, 7, 12}) {
    SCOPED_TRACE(cut);
    System system = start;
    RunState at_cut;
    {
      CheckedLoop first(system, config, kEvery, &state);
      first.loop.run_to(cut, never_stop);
      at_cut = first.loop.state();
    }
    const bool refined = system.mesh->parameters.spacing < start.mesh->parameters.spacing;
    EXPECT_EQ(refined, cut > kEvery);
    // A checkpoint keeps the mesh as numbers.
    System resumed = with_mesh(system, CoulombMesh::from(system.mesh->numbers()), Backend::cpu, Precision::fp64);
    CheckedLoop second(resumed, config, kEvery, &at_cut);
    second.loop.run(never_stop);
    EXPECT_EQ(resumed.mesh->numbers(), whole.mesh->numbers());
    EXPECT_TRUE(same_bytes(resumed.particles.position, whole.particles.position));
    EXPECT_TRUE(same_bytes(resumed.particles.velocity, whole.particles.velocity));
    EXPECT_TRUE(second.loop.energies().ledger == uncut.loop.energies().ledger);
    EXPECT_EQ(second.loop.energies().conserved(), uncut.loop.energies().conserved());
  }
}

/// The energy of a step changes with the mesh, and the conserved energy does not.
TEST(MeshCheck, BooksWhatAFinerMeshChangesInTheEnergy) {
  constexpr std::int64_t kBegin = 3, kCheck = 6;
  RunConfig config = run_of(9, kAccuracy);
  config.integrator = verlet(0.0005);  // its energy error is then small compared with the change
  System system = with_coarse_mesh();
  RunState state;
  {
    Timings timings;
    StepLoop unchecked(system, config, list_method(), timings);
    unchecked.run_to(kBegin, never_stop);
    state = unchecked.state();
    EXPECT_EQ(unchecked.energies().conserved(), std::nullopt);
  }
  std::vector<EnergyRow> rows;  // from step 4 on
  CheckedLoop checked(system, config, kCheck, &state);
  checked.loop.add_observer(
      std::make_unique<StepObserver>(1, 0, [&](const Snapshot& s) { rows.push_back(*s.energies); }));
  checked.loop.run(never_stop);
  ASSERT_EQ(rows.size(), 6U);
  const EnergyRow &before = rows[2], &after = rows[3];
  ASSERT_EQ(before.step, kCheck);
  EXPECT_EQ(before.ledger.of(Cause::mesh), 0) << "of the old mesh still";
  const double booked = after.ledger.of(Cause::mesh);
  EXPECT_THAT(checked.said[1], HasSubstr(fmt::format("changes the energy by {:.3g}", booked)));
  // The integrator's error in a step, before the change and at it.
  const double usual = std::abs(*before.conserved() - *rows[1].conserved());
  EXPECT_GT(std::abs(booked), 20 * usual);
  EXPECT_LT(std::abs(*after.conserved() - *before.conserved()), 3 * usual);
  EXPECT_EQ(rows.back().ledger.of(Cause::mesh), booked);
}

TEST(MeshCheck, BooksNothingAtTheStartOrForAFixedSpacing) {
  RunConfig config = run_of(0, kAccuracy);
  System coarse = with_coarse_mesh();
  CheckedLoop refined(coarse, config, 10'000);
  refined.loop.run(never_stop);
  EXPECT_TRUE(refined.loop.energies().ledger.causes.has(Cause::mesh));
  EXPECT_EQ(refined.loop.energies().ledger.of(Cause::mesh), 0);
  EXPECT_TRUE(causes_of(config, coarse).has(Cause::mesh));
  EXPECT_FALSE(atom_causes_of(config, coarse).any());
  config.coulomb_settings.mesh_spacing = 0.3;
  System fixed = build_system(config, moving_atoms(300, 5));
  CheckedLoop same(fixed, config, 10'000);
  same.loop.run(never_stop);
  EXPECT_FALSE(same.loop.energies().ledger.causes.any());
  EXPECT_FALSE(causes_of(config, fixed).any());
}

/// Forces with an error that no mesh has caused.
std::vector<Vec3<double>> disturbed_forces(const System& system) {
  std::vector<std::uint32_t> all = even_sample(system.particles.size(), system.particles.size());
  const auto exact = ForceField(system, exact_method({2})).reference({system.particles.position}, all);
  std::vector<Vec3<double>> force;
  for (const AtomSums& atom : exact) force.push_back(atom.force + Vec3<double>{0.003 * system.mesh->force, 0, 0});
  return force;
}

TEST(MeshCheck, GivesUpAfterTwoRefinements) {
  System system = build_system(run_of(0, kAccuracy), moving_atoms(300, 5));
  const std::vector<Vec3<double>> force = disturbed_forces(system);
  std::vector<std::string> said;
  const MeshCheck check([&](std::int64_t, const std::string& text) { said.push_back(text); });
  const Method method = list_method();
  for (int refinement = 1; refinement <= MeshCheck::kMostRefinements; ++refinement) {
    const auto finer = check.other({0, 0, force, method}, system);
    ASSERT_TRUE(finer);
    EXPECT_EQ(finer->refinements, refinement);
    EXPECT_LT(finer->parameters.spacing, system.mesh->parameters.spacing);
    EXPECT_NEAR(finer->error, kAccuracy / 1.3, 1e-9);
    system.mesh = finer;
  }
  EXPECT_FALSE(check.other({0, 0, force, method}, system));
  ASSERT_EQ(said.size(), 3U);
  EXPECT_THAT(said[0], HasSubstr("measured error 0.003 of the RMS Coulomb force"));
  EXPECT_THAT(said[2], HasSubstr("even after 2 refinements: the spacing is not the cause"));
  EXPECT_EQ(CoulombMesh::from(system.mesh->numbers()).refinements, MeshCheck::kMostRefinements)
      << "a run that resumes does not try again";
}

TEST(MeshCheck, LeavesASpacingThatIsGiven) {
  RunConfig config = run_of(0, kAccuracy);
  config.coulomb_settings.mesh_spacing = 0.3;
  System system = build_system(config, moving_atoms(300, 5));
  EXPECT_TRUE(CoulombMesh::from(system.mesh->numbers()).fixed_spacing);
  std::string said;
  const MeshCheck check([&](std::int64_t, const std::string& text) { said = text; });
  EXPECT_FALSE(check.other({0, 0, disturbed_forces(system), list_method()}, system));
  EXPECT_THAT(said, HasSubstr("a smaller mesh-spacing in [coulomb]"));
}

/// Errors of pair forces in mixed precision may exceed an accuracy near their bound of 5e-6 of all forces.
TEST(MeshCheck, DoesNotRefineForWhatRoundingMayAdd) {
  System system = build_system(run_of(0, kAccuracy), moving_atoms(300, 5));
  const std::vector<Vec3<double>> force = disturbed_forces(system);
  system.mesh->accuracy = 0.003 - 1e-6;
  std::string said;
  const MeshCheck check([&](std::int64_t, const std::string& text) { said = text; });
  Method method = list_method();
  EXPECT_TRUE(check.other({0, 0, force, method}, system));
  method.precision = Precision::mixed;
  EXPECT_FALSE(check.other({0, 0, force, method}, system));
  EXPECT_THAT(said, HasSubstr("of which rounding may be"));
}

TEST(MeshCheck, TakesTheSpacingThatTheErrorLawSays) {
  const MeshParameters coarse{9, 12, 1.8, 6, 1e-4};
  const MeshParameters fine = finer_mesh(coarse, 0.1);
  EXPECT_EQ(fine.cutoff, 9);
  EXPECT_EQ(fine.order, 6);
  EXPECT_NEAR(spline_error(6, fine.spacing / 9), 0.1 * spline_error(6, 0.2), 1e-12);
  EXPECT_EQ(fine.bandwidth, CoulombSplit::bandwidth_for(spline_error(6, fine.spacing / 9)));
}

class CheckedMeshRuns : public DeviceRunTest {};
INSTANTIATE_TEST_SUITE_P(Methods, CheckedMeshRuns, all_device_methods(), name_of_device_method);

/// The same on a GPU, where a segment ends at the step of the check.
TEST_P(CheckedMeshRuns, RefineAtTheSameStepHoweverTheyAreCut) {
  constexpr std::int64_t kEvery = 20, kLast = 45;
  RunConfig config = run_of(kLast, 1e-3);
  config.precision = GetParam().precision;
  System start = build_system(run_of(0, 1e-2), moving_atoms(1000, 5));
  start.mesh->accuracy = 1e-3;
  RunState state;
  Timings timings;
  {
    StepLoop unchecked(start, config, gpu(), timings);
    unchecked.run_to(10, never_stop);
    state = unchecked.state();
  }
  const auto check = [] { return MeshCheck([](std::int64_t, const std::string&) {}, kEvery); };
  System whole = start;
  StepLoop uncut(whole, config, gpu(), timings, nullptr, &state);
  uncut.check_mesh(check());
  uncut.run_to(kLast, never_stop);
  uncut.complete();
  EXPECT_LT(whole.mesh->parameters.spacing, start.mesh->parameters.spacing);
  EXPECT_NE(uncut.energies().ledger.of(Cause::mesh), 0);
  for (const std::int64_t cut : {20, 27}) {
    System system = start;
    RunState at_cut;
    {
      StepLoop first(system, config, gpu(), timings, nullptr, &state);
      first.check_mesh(check());
      first.run_to(cut, never_stop);
      at_cut = first.state();
    }
    StepLoop second(system, config, gpu(), timings, nullptr, &at_cut);
    second.check_mesh(check());
    second.run_to(kLast, never_stop);
    second.complete();
    EXPECT_TRUE(same_bytes(system.particles.position, whole.particles.position)) << cut;
    EXPECT_TRUE(second.energies().ledger == uncut.energies().ledger) << cut;
  }
}

}  // namespace
}  // namespace dropmd
