#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <optional>
#include <span>
#include <sstream>
#include <string>
#include <vector>

#include "core/errors.h"
#include "device/device_info.h"
#include "engine/degrees_of_freedom.h"
#include "engine/jobs/run_checkpoint.h"
#include "engine/library/simulation.h"
#include "engine/molecules/motion_plans.h"
#include "engine/thermometer.h"
#include "integrators/constraints/cpu_constraints.h"
#include "integrators/virtual_sites/cpu_virtual_sites.h"
#include "outputs/checkpoint/checkpoint_image.h"
#include "tests/support/device_runs.h"
#include "tests/support/molecules/reference_system.h"

/// Runs of molecules with constraints and virtual sites, on every processor and in both precisions.
namespace dropmd {
namespace {

struct Processor {
  Backend backend;
  Precision precision;
};
void PrintTo(const Processor& p, std::ostream* out) {
  *out << (p.backend == Backend::cpu ? "cpu" : "cuda") << (p.precision == Precision::mixed ? "_mixed" : "_double");
}

const FormChoice kVerlet{"velocity-verlet", {{"timestep", 1.0}}};
const FormChoice kLangevin{"langevin", {{"timestep", 1.0}, {"temperature", 300.0}, {"friction", 0.01}}};
const FormChoice kCsvr{"csvr", {{"timestep", 1.0}, {"temperature", 300.0}, {"relaxation", 50.0}}};
const FormChoice kFire{"fire", {{"timestep", 0.25}, {"force-tolerance", 1e-6}}};
const FormChoice kDescent{"descent", {{"factor", 1e-4}}};

/// Rigid water of three and four sites, H3O+, bonds of hydrogens in a peptide, flexible water, virtual sites.
const std::vector<std::string> kSystems{"spce_ions",      "tip4p2005_hydronium", "openmm_amber14", "amber_peptide",
                                        "flexible_water", "site_3out",           "site_n_com",     "openmm_sites"};

class MolecularRun : public testing::TestWithParam<Processor> {
 protected:
  void SetUp() override {
    if (GetParam().backend != Backend::cuda) return;
    if (const std::string reason = query_devices().reason; !reason.empty()) GTEST_SKIP() << reason;
  }

  static RunConfig run_of(const std::string& name, const FormChoice& integrator) {
    RunConfig config = reference_config(name);
    config.structure = reference_folder(name) / "structure.gro";  // a checkpoint names it
    config.integrator = integrator;
    config.temperature = 300;
    config.backend = GetParam().backend;
    config.precision = GetParam().precision;
    config.threads = 1;
    if (name == "amber_peptide") config.topology.bonds = BondConstraints::hydrogens;
    return config;
  }
  static Simulation simulation(const std::string& name, const RunConfig& config) {
    return {reference_system(name, config), config};
  }
};

/// The constrained lengths.
void expect_lengths(const System& system) {
  if (!system.topology) return;
  for (const auto& [atom, length] : system.topology->constraints)
    EXPECT_NEAR(norm(system.particles.position[atom[1]] - system.particles.position[atom[0]]) / length, 1, 1e-10)
        << atom[0] + 1 << '-' << atom[1] + 1;
}

/// The same, and the velocities along them.
void expect_constraints(const System& system) {
  expect_lengths(system);
  if (!system.topology) return;
  const Particles& p = system.particles;
  for (const auto& [atom, length] : system.topology->constraints) {
    const Vec3<double> d = p.position[atom[1]] - p.position[atom[0]];
    // Relative to a thermal speed, 1e-2 Å/fs.
    EXPECT_NEAR(dot(d, p.velocity[atom[1]] - p.velocity[atom[0]]) / length, 0, 1e-12);
  }
}

/// Largest force, without components along the constraints.
double largest_free_force(Simulation& run) {
  const std::span<const Vec3<double>> forces = run.forces();
  std::vector<Vec3<double>> free(forces.begin(), forces.end());
  CpuConstraints(constraints_of(run.system())).forces(Cpu{}, run.positions(), free);
  double largest = 0;
  for (std::size_t i = 0; i < free.size(); ++i)
    if (run.system().particles.mass[i] > 0) largest = std::max(largest, norm(free[i]));
  return largest;
}

void expect_sites_in_place(const System& system) {
  std::vector<Vec3<double>> placed = system.particles.position;
  CpuVirtualSites(virtual_sites_of(system)).place(Cpu{}, placed);
  EXPECT_LE(largest_difference(placed, system.particles.position), 1e-12);
}

TEST_P(MolecularRun, KeepsConstraintsSitesAndEnergy) {
  for (const std::string& name : kSystems) {
    SCOPED_TRACE(name);
    RunConfig config = run_of(name, kVerlet);
    config.integrator.values["timestep"] = 0.25;
    Simulation run = simulation(name, config);
    expect_constraints(run.system());
    const double before = run.energies().total();
    double worst = 0;
    for (int part = 0; part < 20; ++part) {
      run.step(20);
      expect_constraints(run.system());
      expect_sites_in_place(run.system());
      worst = std::max(worst, std::abs(run.energies().total() - before));
    }
    // Velocity Verlet's error at a quarter of a usual timestep; these systems begin far from equilibrium.
    EXPECT_LT(worst, 2e-3 * static_cast<double>(run.n_atoms()));
  }
}

/// The energy error of rigid molecules is of second order in the timestep.
TEST_P(MolecularRun, HasAnErrorOfSecondOrder) {
  if (GetParam().precision == Precision::mixed) GTEST_SKIP() << "rounding hides it";
  for (const std::string name : {"spce_ions", "tip4p2005_hydronium", "amber_peptide"}) {
    std::vector<double> error;
    for (const double dt : {0.5, 0.25}) {
      RunConfig config = run_of(name, kVerlet);
      config.integrator.values["timestep"] = dt;
      Simulation run = simulation(name, config);
      const double before = run.energies().total();
      double worst = 0;
      for (int k = 0; k < 20; ++k) {
        run.step(static_cast<std::int64_t>(1 / dt));
        worst = std::max(worst, std::abs(run.energies().total() - before));
      }
      error.push_back(worst);
    }
    EXPECT_NEAR(error[0] / error[1], 4, 1.2) << name;
  }
}

/// A run and the same run on the host in double precision, after 20 steps, and the largest difference of positions that
/// is allowed in a mixed run or in one in double precision.
///
/// In 20 fs an error of the force on a hydrogen moves it by 0.5·4.2e-4·20² = 0.08 Å per kcal/mol/Å. In mixed precision
/// 3e-4 of some 30 kcal/mol/Å, the bound of the worst atom, gives 7e-4 Å, of which less than a third is allowed; in
/// double 1e-12 gives 2e-12 Å, with room for the neighbours' amplification. Energies follow with up to 1e3 kcal/mol/Å,
/// temperatures with 1e4 K/Å.
struct RunBesideTheHost {
  Simulation run, host;
  double bound;

  RunBesideTheHost(const std::string& name, const RunConfig& config)
      : run(reference_system(name, config), config),
        host(reference_system(name, config), on_host(config)),
        bound(config.precision == Precision::mixed ? 2e-4 : 1e-9) {
    run.step(20);
    host.step(20);
    EXPECT_LE(largest_difference({run.positions().begin(), run.positions().end()},
                                 {host.positions().begin(), host.positions().end()}),
              bound);
  }

 private:
  static RunConfig on_host(RunConfig config) {
    config.backend = Backend::cpu;
    config.precision = Precision::fp64;
    return config;
  }
};

/// Every processor makes the steps of the host in double precision, with each integrator.
TEST_P(MolecularRun, MakesTheStepsOfTheHost) {
  for (const std::string& name : kSystems)
    for (const FormChoice& integrator : {kVerlet, kLangevin, kCsvr}) {
      SCOPED_TRACE(name + " " + integrator.form);
      RunBesideTheHost both(name, run_of(name, integrator));
      EXPECT_NEAR(both.run.temperature(), both.host.temperature(), 1e4 * both.bound);
      EXPECT_NEAR(both.run.conserved(), both.host.conserved(), 1e3 * both.bound);
    }
}

/// So do minimisers, both with a neighbour structure that they keep and with one that is searched again in every step.
/// In 20 steps `fire` covers less than 10 fs, and `descent` moves an atom by 2e-3 Å per kcal/mol/Å, so that the bound
/// is wider for them.
TEST_P(MolecularRun, MinimizesLikeTheHost) {
  for (const std::string& name : kSystems)
    for (const FormChoice& integrator : {kFire, kDescent})
      for (const std::optional<double> skin : {std::optional<double>(), std::optional(0.0), std::optional(1.0)}) {
        SCOPED_TRACE(name + " " + integrator.form + (skin ? " skin " + std::to_string(*skin) : ""));
        RunConfig config = run_of(name, integrator);
        config.temperature.reset();
        if (skin) {
          config.lennard_jones->treatment = {"force-shift", {{"cutoff", 7.0}}};
          config.coulomb = FormChoice{"shift", {{"cutoff", 7.0}}};
          config.neighbor = NeighborMethod::pair_list;
          config.skin = skin;
        }
        RunBesideTheHost both(name, config);
        expect_lengths(both.run.system());
        expect_sites_in_place(both.run.system());
        EXPECT_NEAR(both.run.energies().potential(), both.host.energies().potential(), 1e3 * both.bound);
      }
}

/// Minimisers keep constraints and sites, lower the energy, and come to rest where no force is left except along the
/// constraints.
TEST_P(MolecularRun, MinimizersKeepConstraints) {
  constexpr double kTolerance = 1;  // kcal/mol/Å; in a trial without projection not even 5 was reached
  for (const std::string& name : kSystems)
    for (const FormChoice& integrator :
         {FormChoice{"fire", {{"timestep", 0.25}, {"force-tolerance", kTolerance}}}, kDescent}) {
      SCOPED_TRACE(name + " " + integrator.form);
      Simulation run = simulation(name, run_of(name, integrator));
      double before = run.energies().potential();
      for (int part = 0; part < 4; ++part) {
        run.step(integrator.form == "fire" ? 500 : 50);
        EXPECT_LE(run.energies().potential(), before);
        before = run.energies().potential();
        expect_lengths(run.system());
        expect_sites_in_place(run.system());
      }
      if (integrator.form == "fire") {
        EXPECT_LT(largest_free_force(run), kTolerance);
      }
    }
}

/// Baths book what they give, even where constraints take a part of it away.
TEST_P(MolecularRun, BooksWhatBathsGive) {
  for (const FormChoice& integrator : {kLangevin, kCsvr}) {
    RunConfig config = run_of("spce_ions", integrator);
    config.integrator.values["timestep"] = 0.25;
    Simulation run = simulation("spce_ions", config);
    const double before = run.conserved();
    run.step(400);
    EXPECT_GT(std::abs(run.energies().total() - before), 1) << "the bath exchanged energy";
    // The integrator's error; with a projection whose change of the kinetic energy is not booked it was 1.5.
    EXPECT_NEAR(run.conserved(), before, 0.1) << integrator.form;
  }
}

/// When energies are requested, sites are placed once more, which is no motion in the field.
TEST_P(MolecularRun, BooksTheWorkOfAFieldOnSitesOnce) {
  RunConfig config = run_of("tip4p2005_hydronium", kVerlet);
  FormChoice& field = config.fields["field"] = FormChoice{"uniform", {{"frequency", 0.01}}};
  field.set_vector("strength", {0, 0, 0.02});
  Simulation asked = simulation("tip4p2005_hydronium", config), unasked = simulation("tip4p2005_hydronium", config);
  for (int k = 0; k < 10; ++k) {
    asked.step(1);
    asked.energies();
  }
  unasked.step(10);
  EXPECT_GT(std::abs(unasked.ledger().total()), 1e-3);
  EXPECT_EQ(asked.ledger().total(), unasked.ledger().total());
}

TEST_P(MolecularRun, ContinuesToTheSameBytes) {
  for (const std::string& name : kSystems)
    for (const FormChoice& integrator : {kVerlet, kLangevin, kCsvr, kFire, kDescent}) {
      SCOPED_TRACE(name + " " + integrator.form);
      const RunConfig config = run_of(name, integrator);
      Simulation whole = simulation(name, config), part = simulation(name, config), other = simulation(name, config);
      whole.step(30);
      part.step(13);
      other.step(2);
      other.restore(part.state());
      other.step(17);
      EXPECT_TRUE(same_bytes({whole.positions().begin(), whole.positions().end()},
                             {other.positions().begin(), other.positions().end()}));
      EXPECT_TRUE(same_bytes({whole.velocities().begin(), whole.velocities().end()},
                             {other.velocities().begin(), other.velocities().end()}));
    }
}

/// A checkpoint has all that a run needs of its topology.
TEST_P(MolecularRun, ContinuesFromACheckpointAlone) {
  for (const std::string name : {"tip4p2005_hydronium", "amber_peptide", "charmm_peptide", "site_n_com"}) {
    SCOPED_TRACE(name);
    const RunConfig config = run_of(name, kLangevin);
    Simulation whole = simulation(name, config), part = simulation(name, config);
    whole.step(20);
    part.step(9);
    Checkpoint written = checkpoint_of(config, part.system());
    written.state = part.state();
    take_constants(part.system(), written);
    const Checkpoint read = checkpoint_of_image("checkpoint.h5", checkpoint_image(written));
    ASSERT_NE(read.molecules, nullptr);
    EXPECT_EQ(read.molecules->topology, part.system().molecules->topology);
    EXPECT_EQ(read.molecules->atom_name, part.system().molecules->atom_name);
    Simulation resumed(continued_system(config, read), config);
    resumed.restore(read.state);
    resumed.step(11);
    EXPECT_TRUE(same_bytes({whole.positions().begin(), whole.positions().end()},
                           {resumed.positions().begin(), resumed.positions().end()}));
  }
}

TEST_P(MolecularRun, CountsDegreesOfFreedom) {
  RunConfig config = run_of("tip4p2005_hydronium", kVerlet);
  System system = reference_system("tip4p2005_hydronium", config);
  const Particles& p = system.particles;
  std::size_t n_real = 0;
  for (const double mass : p.mass) n_real += mass > 0 ? 1 : 0;
  const std::size_t n_dof = degrees_of_freedom(system, config);
  EXPECT_EQ(n_dof, 3 * n_real - constraints_of(system).n_constraints - 3) << "no linear momentum";
  const double kinetic = kinetic_energy(Cpu{}, p.mass, p.velocity, system.units);
  EXPECT_NEAR(temperature_of(kinetic, n_dof, system.units), 300, 1e-9);
}

TEST_P(MolecularRun, EndsWithAMessageWhereConstraintsCannotBeSatisfied) {
  RunConfig config = run_of("spce_ions", kVerlet);
  config.integrator.values["timestep"] = 60.0;
  Simulation run = simulation("spce_ions", config);
  try {
    run.step(50);
    FAIL() << "no molecule survives steps of 60 fs";
  } catch (const PhysicsError& error) {
    EXPECT_THAT(error.what(), testing::AnyOf(testing::HasSubstr("cannot be satisfied (use a smaller timestep"),
                                             testing::HasSubstr("in one step, more than 1")));
  }
}

TEST_P(MolecularRun, RemovesMoleculesAsAWhole) {
  const RunConfig config = run_of("spce_ions", kVerlet);
  Simulation run = simulation("spce_ions", config);
  run.step(5);
  EXPECT_THROW(run.remove(std::vector<std::uint32_t>{1}), std::invalid_argument);
  run.remove(std::vector<std::uint32_t>{1, 2, 3});
  run.step(20);
  EXPECT_EQ(run.n_atoms(), 80U);
  const double before = run.energies().total();
  run.step(5);
  EXPECT_NEAR(run.energies().total(), before, 2);
  NewAtom atom;
  atom.position = {500, 0, 0};
  atom.species = run.system().particles.species_names[0];
  EXPECT_THROW(run.add({&atom, 1}), std::invalid_argument);
}

INSTANTIATE_TEST_SUITE_P(Processors, MolecularRun,
                         testing::Values(Processor{Backend::cpu, Precision::fp64},
                                         Processor{Backend::cpu, Precision::mixed},
                                         Processor{Backend::cuda, Precision::fp64},
                                         Processor{Backend::cuda, Precision::mixed}),
                         testing::PrintToStringParamName());

}  // namespace
}  // namespace dropmd
