#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <numeric>

#include "engine/force_errors.h"
#include "engine/force_field.h"
#include "engine/jobs/compare.h"
#include "engine/model/coulomb_division.h"
#include "inputs/run_file/run_config.h"
#include "inputs/structures/structure.h"
#include "tests/support/device_runs.h"
#include "tests/support/processors.h"

/// Runs whose Coulomb term is divided between pairs and a mesh.
namespace dropmd {
namespace {

constexpr double kAccuracy = 1e-4;

RunConfig mesh_run(std::int64_t steps, Precision precision) {
  RunConfig config = lj_run(verlet(0.002), steps);
  config.lennard_jones->treatment = {"force-shift", {{"cutoff", 2.5}}};
  config.coulomb = FormChoice{"exact"};
  config.coulomb_settings = {CoulombMethod::mesh, kAccuracy};
  config.precision = precision;
  config.backend = Backend::cpu;  // whose prices choose the mesh
  return config;
}

/// The RMS error of forces against all pairs of the undivided term, relative to the RMS Coulomb force.
double error_of(const System& system, std::span<const Vec3<double>> force, const RunConfig& of_run) {
  RunConfig config = of_run;
  config.coulomb_settings = {CoulombMethod::direct};
  Structure structure;
  structure.position = system.particles.position;
  structure.charge = system.particles.charge;
  structure.species = system.particles.species;
  structure.species_names = system.particles.species_names;
  const System undivided = build_system(config, structure);
  std::vector<std::uint32_t> all(structure.position.size());
  std::iota(all.begin(), all.end(), 0U);
  const auto exact = ForceField(undivided, exact_method({2})).reference({structure.position}, all);
  const ForceErrors errors = force_errors(force, all, exact, Precision::fp64);
  return errors.rms * errors.scale / system.mesh->force;
}

class MeshRuns : public DeviceRunTest {};
INSTANTIATE_TEST_SUITE_P(Methods, MeshRuns, all_device_methods(), name_of_device_method);

/// An atom that leaves the droplet at once, and one that crosses the edge of the mesh during the run.
Structure evaporating_atoms() {
  Structure structure = moving_atoms(2500, 5);
  const auto outermost = std::max_element(structure.position.begin(), structure.position.end(),
                                          [](const auto& a, const auto& b) { return a.x < b.x; });
  const auto leaving = static_cast<std::size_t>(outermost - structure.position.begin());
  structure.velocity[leaving] = {100, 0, 0};
  structure.charge[leaving] = -1;
  structure.position[7] = {40, 3, -2};
  structure.charge[7] = 1;
  return structure;
}

TEST_P(MeshRuns, KeepTheAccuracyWhileAtomsLeave) {
  const RunConfig config = mesh_run(30, GetParam().precision);
  const Structure structure = evaporating_atoms();
  System on_cpu = build_system(config, structure), on_gpu = build_system(config, structure);
  ASSERT_TRUE(on_gpu.mesh);
  const RunResult cpu = run_short(on_cpu, config, fp64_method(2), 10);
  const RunResult gpu_run = run_short(on_gpu, config, gpu(), 10);
  EXPECT_LE(error_of(on_cpu, cpu.force, config), kAccuracy);
  EXPECT_LE(error_of(on_gpu, gpu_run.force, config), kAccuracy);
  for (std::size_t k = 0; k < cpu.rows.size(); ++k) {
    const double energy = cpu.rows[k].energies.of("coulomb");
    EXPECT_NEAR(gpu_run.rows[k].energies.of("coulomb"), energy, 10 * kAccuracy * std::abs(energy));
  }
}

TEST_P(MeshRuns, GiveTheSameBytesWithAnyObserversAndResumed) {
  const RunConfig config = mesh_run(60, GetParam().precision);
  const System start = build_system(config, evaporating_atoms());
  System whole = start, watched = start, resumed = start;
  run_short(whole, config, gpu(), 0);
  run_short(watched, config, gpu(), 7);
  EXPECT_TRUE(same_bytes(watched.particles.position, whole.particles.position));
  Timings timings;
  RunState state;
  {
    StepLoop loop(resumed, config, gpu(), timings);
    loop.run_to(25, never_stop);
    state = loop.state();
  }
  ASSERT_FALSE(state.term_states.empty());
  StepLoop loop(resumed, config, gpu(), timings, nullptr, &state);
  loop.run_to(60, never_stop);
  loop.complete();
  EXPECT_TRUE(same_bytes(resumed.particles.position, whole.particles.position));
}

TEST(MeshRunsOnTheCpu, ResumeToTheSameBytes) {
  const RunConfig config = mesh_run(40, Precision::fp64);
  const System start = build_system(config, evaporating_atoms());
  System whole = start, resumed = start, threads = start;
  Method method = fp64_method(1, NeighborMethod::pair_list);
  method.skin = 0.3;
  run_short(whole, config, method, 0);
  Method of_two = method;
  of_two.cpu.threads = 2;
  run_short(threads, config, of_two, 10);
  EXPECT_TRUE(same_bytes(threads.particles.position, whole.particles.position));
  Timings timings;
  RunState state;
  {
    StepLoop loop(resumed, config, method, timings);
    loop.run_to(17, never_stop);
    state = loop.state();
  }
  StepLoop loop(resumed, config, method, timings, nullptr, &state);
  loop.run_to(40, never_stop);
  EXPECT_TRUE(same_bytes(resumed.particles.position, whole.particles.position));
}

/// `auto` takes the cheaper method for an accuracy, and sums directly without one.
TEST(CoulombDivision, FollowsTheCost) {
  RunConfig config = mesh_run(0, Precision::fp64);
  config.coulomb_settings = {CoulombMethod::automatic, kAccuracy};
  EXPECT_FALSE(build_system(config, moving_atoms(300, 1)).mesh);
  const System large = build_system(config, moving_atoms(40'000, 1));
  ASSERT_TRUE(large.mesh);
  EXPECT_GE(large.model.coulomb->at("cutoff"), 2.5) << "pairs within the cutoff are there in any case";
  EXPECT_LE(1.3 * large.mesh->error, 1.001 * kAccuracy);
  config.coulomb_settings = {};
  EXPECT_FALSE(build_system(config, moving_atoms(40'000, 1)).mesh);
}

TEST(CoulombDivision, IsRefusedWhereAMeshCannotBe) {
  RunConfig config = mesh_run(0, Precision::fp64);
  config.lennard_jones->treatment = {"none"};
  EXPECT_THROW(build_system(config, moving_atoms(300, 1)), InputError);
  config = mesh_run(0, Precision::mixed);
  config.coulomb_settings.accuracy = 1e-7;
  EXPECT_THROW(build_system(config, moving_atoms(300, 1)), InputError);
  config = mesh_run(0, Precision::fp64);
  config.coulomb_settings.mesh_spacing = 2.4;
  EXPECT_THROW(build_system(config, moving_atoms(300, 1)), InputError) << "too coarse for the accuracy";
}

TEST(CoulombDivision, IsKeptAsNumbers) {
  const System system = build_system(mesh_run(0, Precision::fp64), moving_atoms(600, 1));
  ASSERT_TRUE(system.mesh);
  EXPECT_EQ(CoulombMesh::from(system.mesh->numbers()).numbers(), system.mesh->numbers());
  std::vector<double> wrong = system.mesh->numbers();
  wrong[3] = 9;
  EXPECT_THROW(CoulombMesh::from(wrong), std::invalid_argument);
  wrong.pop_back();
  EXPECT_THROW(CoulombMesh::from(wrong), std::invalid_argument);
}

/// Every method of a comparison has the mesh, and keeps its accuracy in addition to its own bounds.
TEST(CoulombDivision, IsComparedWithAllPairs) {
  RunConfig config = mesh_run(0, Precision::mixed);
  config.backend = Backend::automatic;
  const Comparison comparison = compare_methods(build_system(config, moving_atoms(2500, 5)), config, std::nullopt);
  EXPECT_FALSE(comparison.rows.empty());
  for (const CompareRow& row : comparison.rows)
    EXPECT_TRUE(row.ok) << word_of(row.method.backend) << ' ' << word_of(row.method.neighbor) << ' '
                        << row.rms_force_error << ' ' << row.relative_energy_error;
}

}  // namespace
}  // namespace dropmd
