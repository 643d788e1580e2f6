#include "engine/population/molecule_replacement.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <string>
#include <vector>

#include "core/errors.h"
#include "engine/molecules/molecules.h"
#include "engine/population/population_change.h"
#include "tests/engine/population/hydronium_droplet.h"

/// Molecules that become others, against systems that are built anew with the same molecules.
namespace dropmd {
namespace {

using testing::HasSubstr;

class MoleculeReplacements : public OnHydronium {};

TEST_P(MoleculeReplacements, AreLikeASystemThatIsBuiltAnew) {
  const RunConfig run = config();
  Simulation simulation(read_system(run), run);
  simulation.step(3);
  const std::uint32_t first = 1, middle = 1 + 77 * kSitesOfWater;
  const Particles before = simulation.system().particles;
  const PopulationBooking booking =
      simulation.replace(std::vector{protonated(before, middle), protonated(before, first)});
  EXPECT_EQ(booking.id.size(), 2 * kSitesOfHydronium);
  EXPECT_NEAR(booking.charge, 2.0, 1e-9);
  EXPECT_NEAR(booking.mass, 2 * 1.008, 1e-9);
  const Particles& after = simulation.system().particles;
  ASSERT_EQ(after.size(), before.size() + 2);
  // The third hydrogen is between the others and site M, with the next unused id.
  EXPECT_EQ(after.id_of(3), before.size() + 2);
  EXPECT_EQ(after.id_of(4), 4U);
  EXPECT_EQ(after.id_of(77 * kSitesOfWater + 1 + 3), before.size() + 1);
  System anew = built_anew(folder_, run, simulation.system(), "H3O 1\nSOL 76\nH3O 1\nSOL 122\nH3O 3\n");
  EXPECT_EQ(anew.particles.charge, after.charge);
  EXPECT_EQ(anew.particles.mass, after.mass);
  Simulation other(std::move(anew), run);
  expect_same_physics(simulation, other);
}

TEST_P(MoleculeReplacements, AProtonThatMovesKeepsItsId) {
  const RunConfig run = config();
  Simulation simulation(read_system(run), run);
  simulation.step(1);
  const Particles before = simulation.system().particles;
  const std::uint32_t donor = kFirstHydronium, acceptor = 5, proton = donor + 2;
  MoleculeReplacement gives{.molecule = donor, .kind = "SOL", .ids = {donor, donor + 1, donor + 3, donor + 4}};
  MoleculeReplacement takes = protonated(before, acceptor);
  takes.ids = {acceptor, acceptor + 1, acceptor + 2, proton, acceptor + 3};
  const double conserved = simulation.conserved();
  const PopulationBooking booking = simulation.replace(std::vector{gives, takes});
  EXPECT_NEAR(booking.charge, 0.0, 1e-9);
  EXPECT_NEAR(booking.mass, 0.0, 1e-9);
  // What the change does to the energy is booked.
  EXPECT_NEAR(simulation.conserved(), conserved, 1e-6 * std::abs(simulation.energies().total()));
  const System& after = simulation.system();
  ASSERT_EQ(after.particles.size(), before.size());
  std::vector<std::uint32_t> ids = after.particles.id, all(ids.size());
  std::sort(ids.begin(), ids.end());
  for (std::size_t i = 0; i < all.size(); ++i) all[i] = static_cast<std::uint32_t>(i + 1);
  EXPECT_EQ(ids, all);
  EXPECT_EQ(after.particles.id_of(4 + 3), proton);
  EXPECT_EQ(after.topology->molecule_of(proton - 1), acceptor);
  EXPECT_EQ(present_molecules(after), "SOL 1, H3O 1, SOL 199, H3O 2");
  EXPECT_THAT(describe_molecules(after), HasSubstr(": 200 SOL, 3 H3O; net charge 3 e;"));
  Simulation other(built_anew(folder_, run, after, "SOL 1\nH3O 1\nSOL 199\nH3O 2\n"), run);
  expect_same_physics(simulation, other);
  // Atoms of other molecules stay exactly where they were.
  for (std::size_t i = 9; i + 20 < before.size(); ++i)
    ASSERT_EQ(after.particles.position[i + 1], before.position[i]) << i;
}

TEST_P(MoleculeReplacements, AProtonMovesBackAndForth) {
  const RunConfig run = config();
  Simulation simulation(read_system(run), run);
  const std::uint32_t first = kFirstHydronium, second = 5;
  std::array<std::uint32_t, 4> of_first{first, first + 1, first + 3, first + 4};
  std::array<std::uint32_t, 4> of_second{second, second + 1, second + 2, second + 3};
  const std::uint32_t proton = first + 2;
  for (int k = 0; k < 4; ++k) {
    const auto& [o, h1, h2, m] = k % 2 == 0 ? of_first : of_second;
    const auto& [to_o, to_h1, to_h2, to_m] = k % 2 == 0 ? of_second : of_first;
    MoleculeReplacement gives{.molecule = o, .kind = "SOL", .ids = {o, h1, h2, m}};
    MoleculeReplacement takes = protonated(simulation.system().particles, to_o);
    takes.ids = {to_o, to_h1, to_h2, proton, to_m};
    simulation.replace(std::vector{gives, takes});
    EXPECT_EQ(simulation.system().topology->molecule_of(proton - 1), to_o);
    simulation.step(2);
  }
  EXPECT_EQ(present_molecules(simulation.system()), "SOL 200, H3O 3");
  Simulation other(built_anew(folder_, run, simulation.system(), "SOL 200\nH3O 3\n"), run);
  expect_same_physics(simulation, other);
}

/// A mesh that holds the charges stays even if it lies where none would be chosen: other points would need other
/// kernels for its transforms. On a GPU, so few charges would have no mesh, so it gets that of a CPU.
TEST_P(MoleculeReplacements, LeaveTheMeshWhereItIs) {
  const RunConfig run =
      config({"coulomb.method=\"mesh\"", "coulomb.accuracy=1e-3", "coulomb.mesh-cutoff=6.0", "coulomb.mesh-spacing=1.2",
              "coulomb.mesh-order=6", "lennard-jones.at-cutoff=\"force-shift\"", "lennard-jones.cutoff=6.0"});
  const auto of_mesh = [](RunState& state) -> std::vector<double>& {
    return *std::find_if(state.term_states.begin(), state.term_states.end(), [](const auto& s) { return !s.empty(); });
  };
  RunConfig on_cpu = run;
  on_cpu.backend = Backend::cpu;
  RunState chosen = Simulation(read_system(on_cpu), on_cpu).state();
  ASSERT_GT(of_mesh(chosen).at(3), 0) << "there must be a mesh";
  Simulation simulation(read_system(run), run);
  simulation.step(2);
  RunState state = simulation.state();
  of_mesh(state) = of_mesh(chosen);
  of_mesh(state).at(0) -= 1, of_mesh(state).at(3) += 1;  // one more point along x: see MeshRegion::numbers()
  simulation.restore(state);
  simulation.replace(std::vector{protonated(simulation.system().particles, 9)});
  EXPECT_EQ(simulation.state().term_states, state.term_states);
  simulation.step(2);
  Simulation other(built_anew(folder_, run, simulation.system(), "SOL 2\nH3O 1\nSOL 197\nH3O 3\n"), run);
  EXPECT_NE(other.state().term_states, state.term_states);
  EXPECT_NEAR(simulation.energies().total(), other.energies().total(), 1e-3 * std::abs(other.energies().total()));
}

TEST_P(MoleculeReplacements, ContinueFromTheirStateBitwise) {
  const RunConfig run = config();
  const auto make = [&](bool interrupted) {
    Simulation simulation(read_system(run), run);
    simulation.step(2);
    simulation.replace(std::vector{protonated(simulation.system().particles, 9)});
    simulation.step(4);
    if (interrupted) {
      const RunState state = simulation.state();
      const System system = simulation.system();
      Simulation next(system, run);
      next.restore(state);
      next.step(6);
      return copy(next.positions());
    }
    simulation.step(6);
    return copy(simulation.positions());
  };
  EXPECT_TRUE(same_bytes(make(false), make(true)));
}

TEST_P(MoleculeReplacements, MoleculesThatWereOthersAreRemovedAsAWhole) {
  const RunConfig run = config();
  Simulation simulation(read_system(run), run);
  simulation.replace(std::vector{protonated(simulation.system().particles, 5)});
  const Particles& p = simulation.system().particles;
  const std::vector<std::uint32_t> ids(p.id.begin() + 4, p.id.begin() + 9), cut(ids.begin(), ids.begin() + 3);
  EXPECT_THAT(error_of<std::invalid_argument>([&] { simulation.remove(cut); }), HasSubstr("molecule 5 would be cut"));
  const PopulationBooking booking = simulation.remove(ids);
  EXPECT_NEAR(booking.charge, 1.0, 1e-9);
  Simulation other(built_anew(folder_, run, simulation.system(), "SOL 199\nH3O 3\n"), run);
  expect_same_physics(simulation, other);
}

INSTANTIATE_TEST_SUITE_P(Processors, MoleculeReplacements, all_processors(), name_of_processor);

TEST(MoleculeReplacement, AKindWhoseLastMoleculeHasChangedComesBack) {
  const RunConfig run = hydronium_run();
  System system = read_system(run);
  for (int k = 2; k >= 0; --k) {
    const std::uint32_t ion = kFirstHydronium + static_cast<std::uint32_t>(k) * kSitesOfHydronium;
    system = replaced(system, std::vector{MoleculeReplacement{.molecule = ion, .kind = "SOL"}}).system;
  }
  EXPECT_EQ(present_molecules(system), "SOL 203");
  const TempFolder folder;
  system = replaced(system, std::vector{protonated(system.particles, kFirstHydronium)}).system;
  EXPECT_EQ(present_molecules(system), "SOL 200, H3O 1, SOL 2");
  const System anew = built_anew(folder, run, system, "SOL 200\nH3O 1\nSOL 2\n");
  EXPECT_EQ(anew.particles.charge, system.particles.charge);
  EXPECT_EQ(anew.particles.species, system.particles.species);
  Simulation mine(system, run), other(anew, run);
  EXPECT_NEAR(mine.energies().total(), other.energies().total(), 1e-12 * std::abs(other.energies().total()));
}

TEST(MoleculeReplacement, WrongOnesAreNamedAndChangeNothing) {
  const RunConfig run = hydronium_run();
  Simulation simulation(read_system(run), run);
  simulation.step(0);  // recentres
  const Particles before = simulation.system().particles;
  const auto error = [&](const MoleculeReplacement& one) {
    return error_of<std::invalid_argument>([&] { simulation.replace(std::vector{one}); });
  };
  EXPECT_THAT(error({.molecule = 2, .kind = "H3O"}), HasSubstr("no molecule has the id 2"));
  EXPECT_THAT(error({.molecule = 1, .kind = "H2O"}), HasSubstr("the run has no molecule 'H2O' (it has SOL, H3O)"));
  EXPECT_THAT(error({.molecule = 1, .kind = "H3O"}), HasSubstr("'HW3' is new and needs a position"));
  EXPECT_THAT(error({.molecule = 1, .kind = "H3O", .placed = {{.name = "HX", .position = {}}}}),
              HasSubstr("has no atom 'HX'"));
  EXPECT_THAT(error({.molecule = 1, .kind = "H3O", .ids = {1, 2, 3}}), HasSubstr("has 5 atoms, but 3 ids"));
  EXPECT_THAT(error({.molecule = 1, .kind = "H3O", .ids = {1, 2, 3, 9, 4}}), HasSubstr("the atom 9 belongs to none"));
  EXPECT_THAT(error({.molecule = 1, .kind = "H3O", .ids = {1, 2, 3, 3, 4}}), HasSubstr("the atom 3 is given twice"));
  EXPECT_THAT(error_of<std::invalid_argument>([&] {
                simulation.replace(
                    std::vector<MoleculeReplacement>{{.molecule = 1, .kind = "H3O"}, {.molecule = 1, .kind = "SOL"}});
              }),
              HasSubstr("molecule 1 is given twice"));
  // On the oxygen of the next water.
  MoleculeReplacement overlap = protonated(before, 1);
  overlap.placed[0].position = before.position[4] + Vec3<double>{0.001, 0, 0};
  EXPECT_THROW(simulation.replace(std::vector{overlap}), PhysicsError);
  EXPECT_TRUE(same_bytes(simulation.system().particles.position, before.position));
  simulation.step(2);
  EXPECT_EQ(simulation.n_atoms(), before.size());
}

}  // namespace
}  // namespace dropmd
