#include <gtest/gtest.h>

#include <cmath>

#include "tests/inputs/topologies/topology_text.h"

namespace dropmd {
namespace {

/// The model of two atoms of types A and B, each a molecule of its own.
MolecularModel two_atoms(const std::string& field) {
  return model_of(field +
                  "[ moleculetype ]\na 0\n[ atoms ]\n1 A 1 A A 1\n[ moleculetype ]\nb 0\n[ atoms ]\n1 B 1 B B 1\n"
                  "[ system ]\nt\n[ molecules ]\na 1\nb 1\n");
}

constexpr const char* kRule2 = "[ defaults ]\n1 2\n[ atomtypes ]\n";

TEST(GromacsForceField, ColumnsOfAtomTypes) {
  const char* const lines[] = {
      "A 12.5 0.25 A 0.3 0.5\n",         "A CT 12.5 0.25 A 0.3 0.5\n",
      "A 6 12.5 0.25 A 0.3 0.5\n",       "A CT 6 12.5 0.25 A 0.3 0.5\n",
      "A 2C 12.5 0.25 A 0.3 0.5\n",      "A CT 6 12.5 0.25 a 0.3 0.5 ; c\n",
      "A 12.5 0.25 N 0.3 0.5 1 2 3 4\n", "A 6 12.5 0.25 A 0.3 0.5 0.1 0.2 0.3\n",
      "A X 12.5 0.25 A 0.3 0.5\n",
  };
  for (const char* const line : lines) {
    SCOPED_TRACE(line);
    const MolecularModel model = two_atoms(std::string(kRule2) + line + "B 1 -1 A 0.1 0.2\n");
    EXPECT_EQ(model.mass, (std::vector<double>{12.5, 1}));
    EXPECT_EQ(model.charge, (std::vector<double>{0.25, -1}));
    EXPECT_EQ(model.type_names, (std::vector<std::string>{"A", "B"}));
    EXPECT_EQ(model.lj[0], (LjParameters{0.5 / 4.184, 3, true}));
  }
}

TEST(GromacsForceField, LaterTypesReplaceEarlierOnes) {
  const MolecularModel model = two_atoms(std::string(kRule2) +
                                         "A 1 0 A 0.3 0.5\nB 1 0 A 0.3 0.5\nA 1 0 A 0.3 0.5\n"
                                         "B 2 0 A 0.3 0.5\n");
  EXPECT_EQ(model.mass, (std::vector<double>{1, 2}));
  ASSERT_EQ(model.warnings.size(), 1U);
  EXPECT_NE(model.warnings[0].find("a.top:7:1: the atom type 'B' replaces an earlier one"), std::string::npos);
}

TEST(GromacsForceField, CombinationRules) {
  const std::string types = "A 1 0 A 0.2 0.1\nB 1 0 A 0.8 0.4\n";
  const MolecularModel lorentz = two_atoms(kRule2 + types);
  EXPECT_EQ(lorentz.lj[1], (LjParameters{std::sqrt(0.1 * 0.4) / 4.184, 5, true}));
  EXPECT_EQ(lorentz.lj[1], lorentz.lj[2]);
  const MolecularModel geometric = two_atoms("[ defaults ]\n1 3 no\n[ atomtypes ]\n" + types);
  EXPECT_DOUBLE_EQ(geometric.lj[1].sigma, 4);
  EXPECT_EQ(geometric.lj[1].epsilon, std::sqrt(0.1 * 0.4) / 4.184);
  const MolecularModel words = two_atoms("[ defaults ]\nLJ arithmetic\n[ atomtypes ]\n" + types);
  EXPECT_EQ(words.lj, lorentz.lj);
}

TEST(GromacsForceField, NegativeSigmaRepels) {
  const MolecularModel model = two_atoms(std::string(kRule2) + "A 1 0 A -0.2 0.1\nB 1 0 A 0.4 0.1\n");
  EXPECT_EQ(model.lj[0], (LjParameters{0.1 / 4.184, 2, false}));
  EXPECT_EQ(model.lj[1].attracts, false);
  EXPECT_DOUBLE_EQ(model.lj[1].sigma, 3);
  EXPECT_EQ(model.lj[3].attracts, true);
}

TEST(GromacsForceField, C6AndC12) {
  const MolecularModel model = two_atoms("[ defaults ]\n1 1\n[ atomtypes ]\nA 1 0 A 0.0025 4e-6\nB 1 0 A 0 1e-8\n");
  const LjParameters& a = model.lj[0];
  EXPECT_NEAR(4 * a.epsilon * std::pow(a.sigma, 6), 0.0025e6 / 4.184, 1e-9);
  EXPECT_NEAR(4 * a.epsilon * std::pow(a.sigma, 12), 4e6 / 4.184, 1e-6);
  EXPECT_TRUE(a.attracts);
  const auto c12 = [](const LjParameters& lj) { return 4 * lj.epsilon * std::pow(lj.sigma, 12); };
  EXPECT_FALSE(model.lj[1].attracts);
  EXPECT_NEAR(c12(model.lj[1]) * 4.184, std::sqrt(4e-6 * 1e-8) * 1e12, 1e-3);
  EXPECT_NEAR(c12(model.lj[3]) * 4.184, 1e4, 1e-8);
  EXPECT_GT(model.lj[3].r_min(), 1);
  EXPECT_LT(model.lj[3].r_min(), 5);
  const MolecularModel none = two_atoms("[ defaults ]\n1 1\n[ atomtypes ]\nA 1 0 A 0.0025 4e-6\nB 1 0 A 0 0\n");
  EXPECT_EQ(none.lj[1].epsilon, 0);
  EXPECT_EQ(none.lj[3].epsilon, 0);
}

TEST(GromacsForceField, NonbondParamsOverride) {
  const std::string types = "A 1 0 A 0.2 0.1\nB 1 0 A 0.8 0.4\n[ nonbond_params ]\n";
  const MolecularModel model = two_atoms(kRule2 + types + "B A 1 0.35 0.2\n");
  EXPECT_EQ(model.lj[1], (LjParameters{0.2 / 4.184, 3.5, true}));
  EXPECT_EQ(model.lj[2], model.lj[1]);
  EXPECT_EQ(model.lj[3], (LjParameters{0.4 / 4.184, 8, true}));
  const MolecularModel replaced = two_atoms(kRule2 + types + "B A 1 0.35 0.2\nA B 1 0.36 0.2\nA B 1 0.36 0.2\n");
  EXPECT_DOUBLE_EQ(replaced.lj[1].sigma, 3.6);
  EXPECT_EQ(replaced.warnings.size(), 1U);
}

TEST(GromacsForceField, OnlyTypesThatOccurAreKept) {
  const MolecularModel model = two_atoms(std::string(kRule2) + "Z 1 0 A 0.2 0.1\nB 1 0 A 0.8 0.4\nA 1 0 A 0.8 0.4\n");
  EXPECT_EQ(model.type_names, (std::vector<std::string>{"A", "B"}));
  EXPECT_EQ(model.lj.size(), 4U);
}

TEST(GromacsForceField, IgnoredSections) {
  const MolecularModel model =
      two_atoms(std::string(kRule2) +
                "A 1 0 A 0.2 0.1\nB 1 0 A 0.8 0.4\n[ implicit_genborn_params ]\nA 1 2 3\nB 1 2 "
                "3\n[ bondtypes ]\nA A 3 1 2 3\n[ dihedraltypes ]\nA A 8 1 2\n");
  ASSERT_EQ(model.warnings.size(), 1U);
  EXPECT_NE(model.warnings[0].find("a.top:7:1: [ implicit_genborn_params ] is ignored"), std::string::npos);
}

TEST(GromacsForceField, BondedTypesInBothDirections) {
  const MolecularModel model = small_model(
      "[ bondtypes ]\nH C 1 0.11 200\nC C 1 0.1 100\n[ angletypes ]\nC C C 5 110 100 0.2 50\n[ constrainttypes ]\nC C "
      "1 "
      "0.15\nC C 2 0.16\n",
      "[ atoms ]\n7 H 1 MOL H 1\n[ bonds ]\n1 2 1\n1 7 1\n7 1\n[ angles ]\n1 2 3 5\n[ constraints ]\n2 3 1\n3 4 2\n");
  EXPECT_EQ(
      terms_of<HarmonicBond>(model),
      (std::vector<HarmonicBond>{{{0, 1}, 100 / 418.4, 1}, {{0, 6}, 200 / 418.4, 1.1}, {{6, 0}, 200 / 418.4, 1.1}}));
  EXPECT_EQ(terms_of<HarmonicAngle>(model), (std::vector<HarmonicAngle>{{{0, 1, 2}, 100 / 4.184, 110 * kRadian}}));
  EXPECT_EQ(terms_of<UreyBradley>(model), (std::vector<UreyBradley>{{{0, 2}, 50 / 418.4, 2}}));
  EXPECT_EQ(model.topology.constraints, (std::vector<Constraint>{{{1, 2}, 1.5}, {{2, 3}, 1.6}}));
}

/// Returns the first parameter of the periodic terms for atoms of the types A B C D, in kJ/mol.
std::vector<double> terms_for(const std::string& dihedral_types, const std::string& function) {
  const MolecularModel model = model_of(
      "[ defaults ]\n1 2\n[ atomtypes ]\nA 1 0 A 0.1 1\nB 1 0 A 0.1 1\nC 1 0 A 0.1 1\nD "
      "1 0 A 0.1 1\n[ dihedraltypes ]\n" +
      dihedral_types +
      "[ moleculetype ]\nm 0\n[ atoms ]\n1 A 1 A A 1\n2 B 1 A A 1\n3 C 1 A A 1\n4 D 1 A "
      "A 1\n[ dihedrals ]\n1 2 3 4 " +
      function + "\n[ system ]\nt\n[ molecules ]\nm 1\n");
  std::vector<double> k;
  for (const PeriodicDihedral& term : terms_of<PeriodicDihedral>(model)) k.push_back(std::round(term.k * 4184) / 1000);
  for (const HarmonicImproper& term : terms_of<HarmonicImproper>(model)) k.push_back(std::round(term.k * 4184) / 1000);
  return k;
}

using Values = std::vector<double>;

TEST(GromacsForceField, DihedralTypesWithTheFewestWildcardsCount) {
  EXPECT_EQ(terms_for("X B C X 9 0 1 3\nX B C D 9 0 2 3\nD C B A 9 0 3 3\n", "9"), Values{3});
  EXPECT_EQ(terms_for("X B C X 9 0 1 3\nX B C D 9 0 2 3\nA B X D 9 0 3 3\n", "9"), Values{2});
  EXPECT_EQ(terms_for("A B X D 9 0 3 3\nX B C D 9 0 2 3\n", "9"), Values{3}) << "the first of equal ones";
  EXPECT_EQ(terms_for("X X X X 9 0 4 3\n", "9"), Values{4});
  EXPECT_EQ(terms_for("B C 1 0 5 3\n", "1"), Values{5});
  EXPECT_EQ(terms_for("C B 1 0 5 3\n", "9"), Values{5}) << "functions 1 and 9 share their types";
  EXPECT_EQ(terms_for("A D 2 0 6\n", "2"), Values{6}) << "types 1 and 4 of an improper";
}

TEST(GromacsForceField, SeveralTermsOfADihedral) {
  EXPECT_EQ(terms_for("A B C D 9 0 1 1\nA B C D 9 0 2 2\nA B C D 9 0 3 3\nX B C X 9 0 4 4\n", "9"), (Values{1, 2, 3}));
  EXPECT_EQ(terms_for("A B C D 9 0 1 1\nA B C D 9 0 2 2\n", "1"), (Values{1, 2}));
  EXPECT_EQ(terms_for("A B C D 9 0 1 1\nA B C D 9 0 2 2\nX B C X 9 0 4 4\nA B C D 9 0 1 1\n", "9"), (Values{1, 2}));
  EXPECT_EQ(terms_for("A B C D 9 0 1 1\n", "9 0 7 2"), Values{7}) << "of the line alone";
  EXPECT_EQ(terms_for("A B C D 4 0 1 1\nA B C D 4 0 2 2\n", "4"), Values{2}) << "the last one replaces the others";
  EXPECT_EQ(terms_for("A B C D 9 0 1 1\nA B C D 9 0 0 2\n", "9"), Values{1}) << "terms without energy are left out";
}

TEST(GromacsForceField, CmapGrids) {
  const std::string types = "[ cmaptypes ]\nC C C C C 1 2 2\\\n1 2 \\\n3 4\nH C C C C 1 2 2 5 6 7 8\n";
  const MolecularModel model =
      small_model(types, "[ atoms ]\n7 H 1 MOL H 1\n[ cmap ]\n7 1 2 3 4 1\n1 2 3 4 5 1\n2 3 4 5 6\n");
  ASSERT_EQ(model.topology.cmap_grids.size(), 2U);
  EXPECT_EQ(model.topology.cmap_grids[0], (CmapGrid{2, {5 / 4.184, 6 / 4.184, 7 / 4.184, 8 / 4.184}}));
  EXPECT_EQ(terms_of<CmapDihedrals>(model),
            (std::vector<CmapDihedrals>{{{6, 0, 1, 2, 3}, 0}, {{0, 1, 2, 3, 4}, 1}, {{1, 2, 3, 4, 5}, 1}}));
  EXPECT_EQ(small_model(types, "").topology.cmap_grids.size(), 0U) << "no term uses them";
}

}  // namespace
}  // namespace dropmd
