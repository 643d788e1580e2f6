#include "engine/molecules/molecules.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "core/errors.h"
#include "engine/molecules/constrained_start.h"
#include "engine/molecules/motion_plans.h"
#include "tests/support/molecules/flexible_droplet.h"
#include "tests/support/molecules/reference_system.h"

/// How a structure and a topology are put together.
namespace dropmd {
namespace {

struct Read {
  Structure structure;
  std::shared_ptr<const MolecularModel> molecules;
};

Read read(
    const std::string& name, const std::function<void(Structure&)>& change = [](Structure&) {}) {
  Read result{read_structure_file(reference_folder(name) / "structure.gro"), nullptr};
  change(result.structure);
  result.molecules = read_molecules(reference_config(name), result.structure);
  return result;
}

/// Removes the names, as in an XYZ file with these species.
void make_bare(Structure& structure, const std::vector<std::string>& names, const std::vector<std::uint32_t>& species) {
  structure.atom_name.clear();
  structure.species_names = names;
  structure.species = species;
}

TEST(Molecules, SpeciesBecomeElements) {
  EXPECT_THAT(read("tip4p2005_hydronium").structure.species_names, testing::UnorderedElementsAre("O", "H", "X", "Cl"));
  EXPECT_THAT(read("amber_peptide").structure.species_names, testing::UnorderedElementsAre("C", "H", "N", "O"));
  EXPECT_THAT(read("spce_ions").structure.species_names, testing::UnorderedElementsAre("O", "H", "Na", "Cl"));
}

/// A structure that dropmd wrote as XYZ, and one with other names of atoms as species.
TEST(Molecules, StructuresWithoutNamesHaveElementsOrNames) {
  const Read named = read("tip4p2005_hydronium");
  const auto bare = [&](Structure& structure) {
    make_bare(structure, named.structure.species_names, named.structure.species);
  };
  EXPECT_EQ(read("tip4p2005_hydronium", bare).structure.species, named.structure.species);
  const auto wrong = [&](Structure& structure) {
    bare(structure);
    structure.species[1] = structure.species[0];
  };
  EXPECT_THROW(read("tip4p2005_hydronium", wrong), InputError) << "oxygen in place of a hydrogen";
}

TEST(Molecules, NamesAndNumbersAreThoseOfTheTopology) {
  const auto message = [](const std::function<void(Structure&)>& change) -> std::string {
    try {
      read("spce_ions", change);
    } catch (const InputError& error) {
      return error.what();
    }
    return "";
  };
  EXPECT_EQ(message([](Structure&) {}), "");
  EXPECT_THAT(message([](Structure& s) { s.atom_name[1] = "CX"; }),
              testing::HasSubstr("structure.gro:4:1: atom 2 is 'CX', but the topology "));
  EXPECT_THAT(message([](Structure& s) { s.position.pop_back(); }),
              testing::AllOf(testing::HasSubstr("the structure has 82 atoms"),
                             testing::HasSubstr("has 83: 27 SOL, 1 NA, 1 CL")));
}

/// Conventions for the names of water's atoms differ, and columns cut long names.
TEST(Molecules, OtherNamesOfTheSameElementAreAWarning) {
  const Read other = read("spce_ions", [](Structure& s) {
    s.atom_name[1] = "H1";
    s.atom_name[4] = "2HW";
  });
  EXPECT_THAT(other.structure.warnings, testing::ElementsAre(testing::AllOf(
                                            testing::HasSubstr("2 of 83 atoms have other names than in the topology"),
                                            testing::HasSubstr("atom 2 is 'H1', but"))));
  EXPECT_EQ(other.molecules->atom_name[1], "HW1");
}

TEST(Molecules, BondsThatABoxCutsAreAWarning) {
  const Read cut = read("flexible_water", [](Structure& s) { s.position[1].x += 20; });
  EXPECT_THAT(cut.structure.warnings, testing::Contains(testing::AllOf(testing::HasSubstr("atoms 1 and 2 are "),
                                                                       testing::HasSubstr("(such bonds in all: 1)"))));
  EXPECT_THAT(read("spce_ions").structure.warnings, testing::IsEmpty());
  const Read rigid = read("spce_ions", [](Structure& s) { s.position[0].x += 20; });
  EXPECT_THAT(rigid.structure.warnings, testing::Contains(testing::HasSubstr("(such bonds in all: 2)")));
  System system = build_system(reference_config("spce_ions"), rigid.structure, rigid.molecules);
  EXPECT_THROW(satisfy_constraints(system, system.particles.position, system.particles.velocity), PhysicsError);
}

/// A trajectory has momenta, velocities and masses, which may differ from those of the next run.
TEST(Molecules, MomentaBelongToTheMassesBesideThem) {
  const double mass = 2;
  const Read other = read("spce_ions", [&](Structure& s) {
    s.mass.assign(s.position.size(), mass);
    s.momentum.assign(s.position.size(), {1, 2, 3});
    s.mass[3] = 0;
  });
  for (const std::size_t i : {0U, 1U, 2U, 5U})
    EXPECT_NEAR(other.structure.momentum[i].y / other.structure.mass[i], 2 / mass, 1e-15) << i;
}

TEST(Molecules, MassesAndChargesAreThoseOfTheTopology) {
  const Read other = read("spce_ions", [](Structure& s) { s.charge.assign(s.position.size(), 0.25); });
  EXPECT_EQ(other.structure.charge, other.molecules->charge);
  EXPECT_EQ(other.structure.mass, other.molecules->mass);
  EXPECT_THAT(other.structure.warnings, testing::Contains(testing::HasSubstr("the charges are those of the topology")));
}

/// A chain of three clusters of constraints, and a site with its three parents.
TEST(Molecules, AtomsAreMovedTogetherThatConstraintsAndSitesJoin) {
  RunConfig config = reference_config("site_3out");
  EXPECT_THAT(atoms_moved_together(flexible_droplet(1, config)),
              testing::ElementsAre(0, 0, 0, 3, 3, 5, 5, 7, 7, 7, 7, 11, 12, 13, 14, 15));
}

}  // namespace
}  // namespace dropmd
