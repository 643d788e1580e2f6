#include "engine/molecules/hydrogens.h"

#include <gtest/gtest.h>

#include <numeric>
#include <tuple>
#include <vector>

#include "core/errors.h"

namespace dropmd {
namespace {

std::vector<HarmonicBond>& bonds(MolecularModel& model) {
  return std::get<std::vector<HarmonicBond>>(model.topology.terms);
}

/// An amide: C, N with its hydrogen, CA; a Urey-Bradley term between hydrogen and CA looks like a bond; and a rigid
/// water.
MolecularModel amide_and_water() {
  MolecularModel model;
  model.mass = {12, 14, 1, 12, 16, 1, 1};
  model.charge.resize(7);
  bonds(model) = {{{0, 1}, 500, 1.34}, {{1, 2}, 400, 1.01}, {{1, 3}, 300, 1.45}, {{2, 3}, 50, 2.1}};
  model.topology.constraints = {{{4, 5}, 1.0}, {{4, 6}, 1.0}, {{5, 6}, 1.633}};
  return model;
}

TEST(Hydrogens, BondsBecomeConstraints) {
  MolecularModel model = amide_and_water();
  constrain_hydrogen_bonds(model);
  EXPECT_EQ(model.topology.constraints.size(), 4U);
  EXPECT_EQ(model.topology.constraints.back(), (Constraint{{1, 2}, 1.01}));
  EXPECT_EQ(bonds(model).size(), 3U) << "the Urey-Bradley term is none";
}

TEST(Hydrogens, TakeTheirMassFromTheAtomTheyAreBondedTo) {
  for (const bool constrained : {false, true}) {
    MolecularModel model = amide_and_water();
    if (constrained) constrain_hydrogen_bonds(model);
    repartition_hydrogen_mass(3.024, {}, model);
    EXPECT_EQ(model.mass[2], 3.024);
    EXPECT_NEAR(model.mass[1], 14 - 2.024, 1e-12);
    EXPECT_EQ(model.mass[3], 12) << "no bond";
    EXPECT_EQ(model.mass[5], 1) << "of a rigid molecule";
    EXPECT_NEAR(std::accumulate(model.mass.begin(), model.mass.end(), 0.0), 57, 1e-12);
  }
}

TEST(Hydrogens, CannotBeHeavierThanTheirAtom) {
  MolecularModel model = amide_and_water();
  EXPECT_THROW(repartition_hydrogen_mass(9, {}, model), InputError);
  model = amide_and_water();
  bonds(model).clear();
  EXPECT_THROW(repartition_hydrogen_mass(3, {}, model), InputError) << "there is none";
}

}  // namespace
}  // namespace dropmd
