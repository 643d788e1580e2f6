#include <gtest/gtest.h>

#include <string>

#include "engine/device/device_run.h"
#include "engine/molecules/motion_plans.h"
#include "inputs/water/joung_cheatham.h"
#include "tests/engine/device/several_gpus.h"
#include "tests/support/molecules/flexible_droplet.h"
#include "tests/support/molecules/reference_system.h"
#include "tests/support/molecules/water_droplet.h"
#include "tests/support/seen_run.h"

/// Molecules on several GPUs, each of which moves its own, have the bytes of the same run on one.
namespace dropmd {
namespace {

class SeveralGpusWithMolecules : public SeveralGpus {
 protected:
  static RunConfig run_of(std::int64_t steps) {
    RunConfig config;
    config.file = "built-in-code";
    config.units = UnitSystem::real;
    const FormChoice shift{"force-shift", {{"cutoff", 9.0}}};
    config.lennard_jones =
        LennardJonesConfig{.epsilon = {}, .sigma = {}, .treatment = searches() ? shift : FormChoice{"none"}};
    config.coulomb = searches() ? FormChoice{"smoothed", {{"cutoff", 9.0}}} : FormChoice{"exact"};
    config.integrator = {"langevin", {{"timestep", 1.0}, {"temperature", 300.0}, {"friction", 0.01}}};
    config.steps = steps;
    config.recenter_every = 100;
    config.precision = GetParam().precision;
    return config;
  }
  static RunConfig run_with_mesh(std::int64_t steps) {
    RunConfig config = run_of(steps);
    config.lennard_jones->treatment = {"force-shift", {{"cutoff", 9.0}}};
    config.coulomb = FormChoice{"exact"};
    config.coulomb_settings.method = CoulombMethod::mesh;
    config.coulomb_settings.accuracy = 1e-4;
    config.backend = Backend::cpu;  // whose prices choose the mesh
    return config;
  }
  static System water_with_ions(std::size_t model, RunConfig& config) {
    WaterComposition composition{.model = water_models()[model], .waters = 300};
    composition.ions = {{ion_named("Na", composition.model.ions).value(), 3}};
    return water_droplet(composition, config);
  }
};
INSTANTIATE_TEST_SUITE_P(Methods, SeveralGpusWithMolecules,
                         testing::Values(DeviceMethod{Precision::mixed, NeighborMethod::all_pairs},
                                         DeviceMethod{Precision::fp64, NeighborMethod::all_pairs},
                                         DeviceMethod{Precision::mixed, NeighborMethod::pair_list},
                                         DeviceMethod{Precision::fp64, NeighborMethod::pair_list},
                                         DeviceMethod{Precision::mixed, NeighborMethod::pair_list, true}),
                         name_of_device_method);

/// Otherwise the tests below would compare sums of all forces alone.
TEST_P(SeveralGpusWithMolecules, ShareTheAtoms) {
  RunConfig config = run_of(10);
  const System system = flexible_droplet(100, config);
  for (const Method& method : on_several()) {
    const std::string how = make_device_run(system, config, method, 300)->describe_peers();
    if (how.find("NCCL") != std::string::npos) GTEST_SKIP() << "no access to each other's memory";
    EXPECT_EQ(how.find("share the atoms") != std::string::npos, !GetParam().without_skin) << how;
  }
}

/// Constraints, virtual sites of clusters, exclusions and ions.
TEST_P(SeveralGpusWithMolecules, HaveTheBytesOfOneWithWater) {
  for (const std::size_t model : {0, 2}) {  // three sites and four
    SCOPED_TRACE(water_models()[model].name);
    RunConfig config = run_of(220);
    expect_same_on_all(water_with_ions(model, config), config);
  }
}

/// With exclusions, whose part of the mesh one GPU subtracts.
TEST_P(SeveralGpusWithMolecules, HaveTheBytesOfOneWithWaterAndAMesh) {
  for (const std::size_t model : {0, 2}) {
    SCOPED_TRACE(water_models()[model].name);
    RunConfig config = run_with_mesh(220);
    expect_same_on_all(water_with_ions(model, config), config);
  }
}

/// Bonded terms and clusters of constraints that cross the border, and virtual sites outside of clusters; with few
/// molecules and with more, and with enough steps that atoms are sorted.
TEST_P(SeveralGpusWithMolecules, HaveTheBytesOfOneWithFlexibleMolecules) {
  for (const std::size_t n : {1, 9, 150}) {
    SCOPED_TRACE(n);
    RunConfig config = run_of(n == 9 ? 1130 : 230);
    const System system = flexible_droplet(n, config);
    expect_same_on_all(system, config);
  }
}

/// Every kind of bonded term, pairs with parameters of their own, restraints and virtual sites: the molecules of
/// tests/references.
TEST_P(SeveralGpusWithMolecules, HaveTheBytesOfOneWithEveryTerm) {
  for (const char* name :
       {"amber_peptide", "charmm_peptide", "dihedral_functions", "opls_alcohols", "pair_functions",
        "position_restraints", "openmm_geometric", "openmm_nbfix_charmm", "openmm_sites", "site_4fdn"}) {
    SCOPED_TRACE(name);
    RunConfig config = run_of(130);
    config.integrator.values["timestep"] = 0.2;
    config.recenter_every = 0;
    const RunConfig reference = reference_config(name);
    config.topology = reference.topology;
    expect_same_on_all(reference_system(name, config), config);
  }
}

TEST_P(SeveralGpusWithMolecules, HaveTheBytesOfOneWithFlexibleMoleculesAndAMesh) {
  for (const bool divided : {false, true}) {
    SCOPED_TRACE(divided);
    RunConfig config = run_with_mesh(230);
    const System system = flexible_droplet(150, config);
    const Seen one = seen_of(system, config, on_one());
    for (Method method : on_several()) {
      method.divides_mesh = divided;
      expect_same(seen_of(system, config, method), one);
    }
  }
}

TEST_P(SeveralGpusWithMolecules, HaveTheBytesOfOneWithEveryKindOfIntegrator) {
  for (const FormChoice& integrator :
       {FormChoice{"velocity-verlet", {{"timestep", 1.0}}}, FormChoice{"descent", {{"factor", 1e-4}}},
        FormChoice{"csvr", {{"timestep", 1.0}, {"temperature", 300.0}, {"relaxation", 50.0}}}}) {
    SCOPED_TRACE(integrator.form);
    RunConfig config = run_of(130);
    config.integrator = integrator;
    expect_same_on_all(flexible_droplet(60, config), config);
  }
}

/// At that step, atoms are neither sorted nor recentred.
TEST_P(SeveralGpusWithMolecules, ResumeEachOther) {
  RunConfig config = run_of(240);
  const System system = flexible_droplet(100, config);
  expect_each_resumes(system, config, 123);
}

/// Molecules that have left are removed, so that other GPUs get the rest as their own atoms.
TEST_P(SeveralGpusWithMolecules, HaveTheBytesOfOneWhereMoleculesLeave) {
  RunConfig config = run_of(230);
  const System start = flexible_droplet(100, config);
  const auto with_changes = [&](StepLoop& loop) {
    loop.add_action({90, [](const System& system) {
                       PopulationChange change;
                       for (std::size_t i = 0; i < system.particles.size(); ++i)
                         if (const auto id = system.particles.id_of(i); id <= 20 * 7) change.removed.push_back(id);
                       return change;
                     }});
  };
  const auto seen_on = [&](const Method& method) { return seen_of(start, config, method, -1, nullptr, with_changes); };
  const Seen one = seen_on(on_one());
  EXPECT_EQ(one.position.size(), start.particles.size() - 140);
  for (const Method& method : on_several()) expect_same(seen_on(method), one);
}

/// Two ions meet head-on, far from the droplet.
TEST_P(SeveralGpusWithMolecules, BreakAtTheStepOfOne) {
  RunConfig config = run_of(240);
  config.integrator = {"velocity-verlet", {{"timestep", 1.0}}};
  System system = flexible_droplet(100, config);
  for (const double side : {1.0, -1.0}) {
    const std::size_t ion = system.particles.size() - (side > 0 ? 1 : 2);
    system.particles.position[ion] = {60 * side, 0, 200};
    system.particles.velocity[ion] = {-0.45 * side, 0, 0};
  }
  System end_of_one = system;
  const std::string of_one = fault_of(config, end_of_one, on_one());
  EXPECT_NE(of_one, "no error");
  EXPECT_FALSE(same_bytes(end_of_one.particles.position, system.particles.position));
  for (const Method& method : on_several()) {
    System end = system;
    EXPECT_EQ(fault_of(config, end, method), of_one);
    EXPECT_TRUE(same_bytes(end.particles.position, end_of_one.particles.position));
    EXPECT_TRUE(same_bytes(end.particles.velocity, end_of_one.particles.velocity));
  }
}

}  // namespace
}  // namespace dropmd
