#include "engine/population/molecule_addition.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <stdexcept>
#include <vector>

#include "core/errors.h"
#include "tests/engine/population/hydronium_droplet.h"

/// Molecules that are added to a run, against systems that are built anew with the same molecules.
namespace dropmd {
namespace {

using testing::HasSubstr;

class MoleculeAdditions : public OnHydronium {};

/// Returns a molecule like the one with these atoms, but shifted, with one atom moved a little so that the constraints
/// move it back.
NewMolecule like(const Particles& p, std::size_t first, std::size_t n, const std::string& kind,
                 const Vec3<double>& shift) {
  NewMolecule molecule{.kind = kind, .position = {}};
  for (std::size_t i = first; i < first + n; ++i) {
    molecule.position.push_back(p.position[i] + shift);
    molecule.velocity.push_back(p.velocity[i]);
  }
  molecule.position[1].x += 0.01;
  molecule.position.back() = {std::numeric_limits<double>::quiet_NaN(), 0, 0};  // a site
  return molecule;
}

/// Where nothing else is.
constexpr Vec3<double> kOutside{40, 0, 0}, kFarOutside{0, 45, 0};

TEST_P(MoleculeAdditions, AreLikeASystemThatIsBuiltAnew) {
  const RunConfig run = config();
  Simulation simulation(read_system(run), run);
  simulation.step(3);
  const Particles before = simulation.system().particles;
  const double conserved = simulation.conserved();
  const PopulationBooking booking =
      simulation.add_molecules(std::vector{like(before, 0, kSitesOfWater, "SOL", kOutside),
                                           like(before, kFirstHydronium - 1, kSitesOfHydronium, "H3O", kFarOutside)});
  EXPECT_EQ(booking.id.size(), kSitesOfWater + kSitesOfHydronium);
  EXPECT_EQ(booking.id.front(), before.size() + 1);
  EXPECT_NEAR(booking.charge, 1.0, 1e-9);
  EXPECT_NEAR(booking.mass, 2 * 15.9994 + 5 * 1.008, 0.01);
  EXPECT_NEAR(simulation.conserved(), conserved, 1e-6 * std::abs(simulation.energies().total()));
  const System& after = simulation.system();
  ASSERT_EQ(after.particles.size(), before.size() + booking.id.size());
  for (std::size_t i = 0; i < before.size(); ++i) ASSERT_EQ(after.particles.position[i], before.position[i]) << i;
  EXPECT_EQ(present_molecules(after), "SOL 200, H3O 3, SOL 1, H3O 1");
  // Rigid, with the site on the bisector.
  const auto x = [&](std::size_t k) { return after.particles.position[before.size() + k]; };
  EXPECT_NEAR(norm(x(1) - x(0)), 0.9572, 1e-9);
  EXPECT_NEAR(norm(x(3) - x(0)), 0.1546, 1e-3);
  Simulation other(built_anew(folder_, run, after, "SOL 200\nH3O 3\nSOL 1\nH3O 1\n"), run);
  expect_same_physics(simulation, other);
  simulation.step(5);
}

TEST_P(MoleculeAdditions, ContinueFromTheirStateBitwise) {
  RunConfig run = config();
  run.integrator = {"langevin", {{"timestep", 1.0}, {"temperature", 300}, {"friction", 0.01}}};
  const auto make = [&](bool interrupted) {
    Simulation simulation(read_system(run), run);
    simulation.step(2);
    const Particles before = simulation.system().particles;
    simulation.add_molecules(std::vector{like(before, 4, kSitesOfWater, "SOL", kOutside)});
    simulation.step(4);
    if (!interrupted) {
      simulation.step(6);
      return copy(simulation.positions());
    }
    const RunState state = simulation.state();
    Simulation next(simulation.system(), run);
    next.restore(state);
    next.step(6);
    return copy(next.positions());
  };
  EXPECT_TRUE(same_bytes(make(false), make(true)));
}

/// An added molecule becomes another, and leaves as a whole.
TEST_P(MoleculeAdditions, AreMoleculesAsAllOthers) {
  const RunConfig run = config();
  Simulation simulation(read_system(run), run);
  const Particles before = simulation.system().particles;
  const auto first = static_cast<std::uint32_t>(before.size() + 1);
  NewMolecule ion = like(before, kFirstHydronium - 1, kSitesOfHydronium, "H3O", kOutside);
  ion.velocity.clear();
  const PopulationBooking added = simulation.add_molecules(std::vector{ion});
  EXPECT_EQ(norm(simulation.velocities().back()), 0);
  EXPECT_THAT(error_of<std::invalid_argument>([&] { simulation.remove(std::vector{first}); }),
              HasSubstr("would be cut"));
  simulation.replace(std::vector{MoleculeReplacement{.molecule = first, .kind = "SOL"}});
  EXPECT_EQ(present_molecules(simulation.system()), "SOL 200, H3O 3, SOL 1");
  Simulation other(built_anew(folder_, run, simulation.system(), "SOL 200\nH3O 3\nSOL 1\n"), run);
  expect_same_physics(simulation, other);
  std::vector<std::uint32_t> ids = added.id;
  std::erase(ids, first + 3);  // the hydrogen that has left
  simulation.remove(ids);
  EXPECT_EQ(simulation.n_atoms(), before.size());
}

/// Kinds that the topology defines, but of which the structure has no molecule, with bonded terms that no other has.
TEST_P(MoleculeAdditions, AndReplacementsKnowKindsWithoutMolecules) {
  for (const bool rigid : {true, false}) {
    RunConfig run = config();
    if (!rigid) run.topology.define = {"H3O_ANGLES"};
    const System all = read_system(run);
    const NewMolecule ion = like(all.particles, kFirstHydronium - 1, kSitesOfHydronium, "H3O", kOutside);
    PopulationChange ions;
    for (std::uint32_t id = kFirstHydronium; id <= all.particles.size(); ++id) ions.removed.push_back(id);
    Simulation simulation(built_anew(folder_, run, changed(all, ions), "SOL 200\nH3O 0\n"), run);
    simulation.step(1);
    EXPECT_EQ(present_molecules(simulation.system()), "SOL 200");
    simulation.replace(std::vector{protonated(simulation.system().particles, 5)});
    const PopulationBooking booking = simulation.add_molecules(std::vector{ion});
    EXPECT_NEAR(booking.charge, 1.0, 1e-9);
    EXPECT_EQ(present_molecules(simulation.system()), "SOL 1, H3O 1, SOL 198, H3O 1");
    Simulation other(built_anew(folder_, run, simulation.system(), "SOL 1\nH3O 1\nSOL 198\nH3O 1\n"), run);
    expect_same_physics(simulation, other);
    EXPECT_EQ(simulation.energies().components().size(), other.energies().components().size());
    simulation.step(3);
  }
}

INSTANTIATE_TEST_SUITE_P(Processors, MoleculeAdditions, all_processors(), name_of_processor);

TEST(MoleculeAddition, ResiduesHaveNumbersOfTheirOwn) {
  const System system = read_system(hydronium_run());
  const NewMolecule water = like(system.particles, 0, kSitesOfWater, "SOL", kOutside);
  NewMolecule other = water;
  for (Vec3<double>& x : other.position) x += kOutside;
  const System after = with_added(system, std::vector{water, other}).system;
  const std::vector<std::int32_t>& residue = after.molecules->residue_number;
  const std::size_t n = system.particles.size();
  EXPECT_THAT(std::vector(residue.begin() + static_cast<std::ptrdiff_t>(n), residue.end()),
              testing::ElementsAre(204, 204, 204, 204, 205, 205, 205, 205));
}

TEST(MoleculeAddition, WrongOnesAreNamedAndChangeNothing) {
  const RunConfig run = hydronium_run();
  Simulation simulation(read_system(run), run);
  simulation.step(0);  // recentres
  const Particles before = simulation.system().particles;
  const NewMolecule good = like(before, 0, kSitesOfWater, "SOL", kOutside);
  const auto error = [&](const auto& change) {
    NewMolecule bad = good;
    change(bad);
    return error_of<std::invalid_argument>([&] { simulation.add_molecules(std::vector{bad}); });
  };
  EXPECT_THAT(error([](NewMolecule& m) { m.kind = "H2O"; }), HasSubstr("no molecule 'H2O' (it has SOL, H3O)"));
  EXPECT_THAT(error([](NewMolecule& m) { m.position.pop_back(); }),
              HasSubstr("a molecule 'SOL' has 4 atoms (OW, HW1, HW2, MW), but 3 positions are given"));
  EXPECT_THAT(error([](NewMolecule& m) { m.velocity.pop_back(); }), HasSubstr("but 3 velocities are given"));
  EXPECT_THAT(error([](NewMolecule& m) { m.position[1].y = std::numeric_limits<double>::infinity(); }),
              HasSubstr("position or velocity of 'HW1' of a new molecule 'SOL' is not finite"));
  EXPECT_THAT(error_of<std::invalid_argument>([&] {
                simulation.add(std::vector<NewAtom>{{.position = {50, 0, 0}, .species = "O"}});
              }),
              HasSubstr("add molecules of its kinds"));
  NewMolecule overlap = good;
  for (Vec3<double>& x : overlap.position) x -= kOutside;
  overlap.position[1].x -= 0.01;
  EXPECT_THROW(simulation.add_molecules(std::vector{overlap}), PhysicsError);
  NewMolecule apart = good;
  apart.position[2] += Vec3<double>{5, 0, 0};
  EXPECT_THROW(simulation.add_molecules(std::vector{apart}), PhysicsError);
  EXPECT_TRUE(same_bytes(simulation.system().particles.position, before.position));
  simulation.step(2);
  EXPECT_EQ(simulation.n_atoms(), before.size());
}

}  // namespace
}  // namespace dropmd
