#include <gtest/gtest.h>

#include <cmath>

#include "tests/inputs/topologies/topology_text.h"

namespace dropmd {
namespace {

using Pairs = std::vector<std::pair<int, int>>;

TEST(GromacsMolecule, Atoms) {
  const MolecularModel model = small_model("", "[ atoms ]\n7 H 12B RES HA1 -3 0.125 1.5\n");
  EXPECT_EQ(model.size(), 7U);
  EXPECT_EQ(model.title, "small");
  EXPECT_EQ(model.atom_name[6], "HA1");
  EXPECT_EQ(model.residue_name[6], "RES");
  EXPECT_EQ(model.residue_number[6], 12);
  EXPECT_EQ(model.charge, (std::vector<double>{0.5, -0.5, 0.25, 0.75, 0.1, 0, 0.125}));
  EXPECT_EQ(model.mass, (std::vector<double>{12, 12, 12, 12, 12, 24, 1.5}));
  EXPECT_EQ(model.type, (std::vector<std::uint32_t>{0, 0, 0, 0, 0, 0, 1}));
  EXPECT_EQ(model.topology.molecule, std::vector<std::uint32_t>(7, 1));
  EXPECT_TRUE(model.warnings.empty());
}

TEST(GromacsMolecule, BondedTermsWithTheirParameters) {
  const MolecularModel model = small_model("", R"([ bonds ]
1 2 1 0.15 83680 0.15 83680
2 3 5
[ angles ]
1 2 3 1 109.5 418.4
2 3 4 5 120 209.2 0.25 4184
3 4 5 5 120 209.2 0 0
[ dihedrals ]
1 2 3 4 1 180 8.368 2
1 2 3 4 4 0 4.184 -3 0 4.184 -3
1 2 3 4 9 90 4.184 0
1 2 3 4 2 35.26 334.72
1 2 3 4 3 4.184 -8.368 0 0 0 41.84
1 2 3 4 3 0 0 0 0 0 0
[ Position-Restraints ]
2 1 1000 500 0
)");
  EXPECT_EQ(terms_of<HarmonicBond>(model), (std::vector<HarmonicBond>{{{0, 1}, 83680 / 418.4, 1.5}}));
  EXPECT_EQ(terms_of<HarmonicAngle>(model), (std::vector<HarmonicAngle>{{{0, 1, 2}, 418.4 / 4.184, 109.5 * kRadian},
                                                                        {{1, 2, 3}, 209.2 / 4.184, 120 * kRadian},
                                                                        {{2, 3, 4}, 209.2 / 4.184, 120 * kRadian}}));
  EXPECT_EQ(terms_of<UreyBradley>(model), (std::vector<UreyBradley>{{{1, 3}, 4184 / 418.4, 2.5}}));
  const AtomNumbers<4> atoms{0, 1, 2, 3};
  EXPECT_EQ(terms_of<PeriodicDihedral>(model),
            (std::vector<PeriodicDihedral>{
                {atoms, 8.368 / 4.184, 180 * kRadian, 2}, {atoms, 1, 0, -3}, {atoms, 1, 90 * kRadian, 0}}));
  EXPECT_EQ(terms_of<HarmonicImproper>(model),
            (std::vector<HarmonicImproper>{{atoms, 334.72 / 4.184, 35.26 * kRadian}}));
  ASSERT_EQ(terms_of<RyckaertBellemans>(model).size(), 1U);
  EXPECT_EQ(terms_of<RyckaertBellemans>(model)[0].c, (std::array<double, 6>{1, -2, 0, 0, 0, 41.84 / 4.184}));
  EXPECT_EQ(terms_of<PositionRestraint>(model),
            (std::vector<PositionRestraint>{{{1}, {1000 / 418.4, 500 / 418.4, 0}, {}}}));
}

/// The Fourier form and its powers of cos ψ are the same function.
TEST(GromacsMolecule, FourierDihedrals) {
  const MolecularModel model = small_model("", "[ dihedrals ]\n1 2 3 4 5 1 -2 3.5 0.25\n");
  ASSERT_EQ(terms_of<RyckaertBellemans>(model).size(), 1U);
  const auto& c = terms_of<RyckaertBellemans>(model)[0].c;
  for (double phi = -3; phi < 3.2; phi += 0.25) {
    const double wanted = 0.5 * (1 * (1 + std::cos(phi)) - 2 * (1 - std::cos(2 * phi)) + 3.5 * (1 + std::cos(3 * phi)) +
                                 0.25 * (1 - std::cos(4 * phi)));
    const double x = -std::cos(phi);  // cos ψ
    double energy = 0;
    for (std::size_t n = 6; n-- > 0;) energy = energy * x + c[n];
    EXPECT_NEAR(energy * 4.184, wanted, 1e-13) << phi;
  }
}

TEST(GromacsMolecule, PairsOfFunctionOne) {
  const MolecularModel model =
      small_model("[ pairtypes ]\nH C 1 0.25 0.3\n[ nonbond_params ]\nH H 1 0.4 0.6\n",
                  "[ atoms ]\n7 H 1 MOL H 1\n8 H 1 MOL H 1 1\n[ pairs ]\n1 4 1\n1 7 1\n7 8 1\n2 3 "
                  "1 0.31 0.2 0.31 0.2\n");
  const auto& pairs = terms_of<BondedPair>(model);
  ASSERT_EQ(pairs.size(), 4U);
  EXPECT_EQ(pairs[0].lj, (LjParameters{0.5 * 0.5 / 4.184, 3, true})) << "generated with fudgeLJ";
  EXPECT_DOUBLE_EQ(pairs[0].charges, 0.8 * 0.5 * 0.75);
  EXPECT_EQ(pairs[1].lj, (LjParameters{0.3 / 4.184, 2.5, true})) << "of [ pairtypes ]";
  EXPECT_DOUBLE_EQ(pairs[1].charges, 0.8 * 0.5 * 0.2);
  EXPECT_EQ(pairs[2].lj, (LjParameters{0.5 * 0.6 / 4.184, 4, true})) << "generated from [ nonbond_params ]";
  EXPECT_EQ(pairs[3].lj, (LjParameters{0.2 / 4.184, 3.1, true})) << "of the line";
  EXPECT_DOUBLE_EQ(pairs[3].charges, 0.8 * -0.5 * 0.25);
}

TEST(GromacsMolecule, PairsOfFunctionTwo) {
  const MolecularModel model = small_model("", "[ pairs ]\n1 4 2 0.5 0.3 -0.4 -0.25 0.4\n");
  ASSERT_EQ(terms_of<BondedPair>(model).size(), 1U);
  EXPECT_EQ(terms_of<BondedPair>(model)[0].lj, (LjParameters{0.4 / 4.184, 2.5, false}));
  EXPECT_DOUBLE_EQ(terms_of<BondedPair>(model)[0].charges, 0.5 * 0.3 * -0.4);
}

TEST(GromacsMolecule, PairsOfC6AndC12) {
  const MolecularModel model = model_of(
      "[ defaults ]\n1 1 yes 0.5 1\n[ atomtypes ]\nC 12 0 A 0.002 4e-6\n[ moleculetype ]\nmol 3\n[ atoms ]\n1 C 1 M C "
      "1\n2 C "
      "1 M C 1\n[ pairs ]\n1 2 1\n" +
      std::string(kOneMolecule));
  EXPECT_DOUBLE_EQ(terms_of<BondedPair>(model)[0].lj.epsilon, 0.5 * model.lj[0].epsilon);
  EXPECT_DOUBLE_EQ(terms_of<BondedPair>(model)[0].lj.sigma, model.lj[0].sigma);
}

/// Which bonds count for nrexcl is GROMACS' choice: connections and constraints of function 1, but not of function 2.
TEST(GromacsMolecule, ExclusionsOfBonds) {
  const auto excluded = [](const std::string& nrexcl, const std::string& sections) {
    std::string molecule(kSmallMolecule);
    molecule.replace(molecule.find("mol 3"), 5, "mol " + nrexcl);
    return excluded_pairs(model_of(std::string(kSmallField) + molecule + sections + std::string(kOneMolecule)));
  };
  const std::string chain = "[ bonds ]\n1 2 5\n3 2 1 0.1 100\n[ constraints ]\n3 4 1 0.1\n4 5 2 0.1\n";
  EXPECT_EQ(excluded("0", chain), Pairs{});
  EXPECT_EQ(excluded("1", chain), (Pairs{{1, 2}, {2, 3}, {3, 4}}));
  EXPECT_EQ(excluded("2", chain), (Pairs{{1, 2}, {1, 3}, {2, 3}, {2, 4}, {3, 4}}));
  EXPECT_EQ(excluded("3", chain), (Pairs{{1, 2}, {1, 3}, {1, 4}, {2, 3}, {2, 4}, {3, 4}}));
  EXPECT_EQ(excluded("100", chain), excluded("3", chain));
  EXPECT_EQ(excluded("1", chain + "[ exclusions ]\n6 1 2 6\n1 6\n"), (Pairs{{1, 2}, {1, 6}, {2, 3}, {2, 6}, {3, 4}}));
  EXPECT_EQ(excluded("2", "[ settles ]\n2 1 0.1 0.16\n"), Pairs{});
  EXPECT_EQ(excluded("2", "[ settles ]\n2 1 0.1 0.16\n[ exclusions ]\n2 3 4\n"), (Pairs{{2, 3}, {2, 4}}));
  EXPECT_EQ(excluded("1", "[ bonds ]\n1 2 5\n2 3 5\n3 1 5\n1 2 5\n"), (Pairs{{1, 2}, {1, 3}, {2, 3}}));
}

TEST(GromacsMolecule, Constraints) {
  const MolecularModel model = small_model("", "[ settles ]\n2 1 0.1 0.16\n[ constraints ]\n1 5 1 0.2 0.2\n");
  EXPECT_EQ(model.topology.constraints,
            (std::vector<Constraint>{{{1, 2}, 1}, {{1, 3}, 1}, {{2, 3}, 1.6}, {{0, 4}, 2}}));
}

TEST(GromacsMolecule, VirtualSites) {
  std::string atoms = "[ atoms ]\n";
  for (int k = 7; k <= 14; ++k) atoms += std::to_string(k) + " M 1 MOL M 1 0\n";
  const MolecularModel model = small_model("", atoms + R"([ virtual_sites1 ]
7 3 1
[ virtual_sites2 ]
8 1 2 1 0.25
9 1 2 2 0.05
[ virtual_sites3 ]
10 1 2 3 1 0.25 0.5
11 1 2 3 2 0.5 -0.1
12 1 2 3 3 120 0.1
[ dummies3 ]
13 1 2 3 4 0.1 0.2 -6
[ Virtual_Sites4 ]
14 1 2 3 4 2 1.0 0.9 0.1
)");
  EXPECT_EQ(model.topology.virtual_sites,
            (std::vector<VirtualSite>{{SiteForm::at_one, 6, {2, 2, 2, 2}, {}},
                                      {SiteForm::two, 7, {0, 1, 0, 0}, {0.25, 0, 0}},
                                      {SiteForm::two_fd, 8, {0, 1, 0, 0}, {0.5, 0, 0}},
                                      {SiteForm::three, 9, {0, 1, 2, 0}, {0.25, 0.5, 0}},
                                      {SiteForm::three_fd, 10, {0, 1, 2, 0}, {0.5, -1, 0}},
                                      {SiteForm::three_fad, 11, {0, 1, 2, 0}, {120 * kRadian, 1, 0}},
                                      {SiteForm::three_out, 12, {0, 1, 2, 0}, {0.1, 0.2, -0.6}},
                                      {SiteForm::four_fdn, 13, {0, 1, 2, 3}, {1, 0.9, 1}}}));
  EXPECT_EQ(model.mass[6], 0);
  EXPECT_EQ(excluded_pairs(model), Pairs{}) << "sites are not bonded";
}

TEST(GromacsMolecule, WeightedSites) {
  const MolecularModel model = small_model("", R"([ atoms ]
7 M 1 MOL M 1 0
8 M 1 MOL M 1 0
9 M 1 MOL M 1 0
[ virtual_sitesn ]
7 1 1 2 3 4
8 2 1 6
9 3 1 0.5 2 1.5 3 0
)");
  EXPECT_EQ(model.topology.weighted_sites, (std::vector<WeightedSite>{{6, {0, 1, 2, 3}, {0.25, 0.25, 0.25, 0.25}},
                                                                      {7, {0, 5}, {12.0 / 36, 24.0 / 36}},
                                                                      {8, {0, 1, 2}, {0.25, 0.75, 0}}}));
}

TEST(GromacsMolecule, SitesOfTypesWithoutMass) {
  const MolecularModel model = small_model("", "[ atoms ]\n7 C 1 MOL M 1 0 0\n[ virtual_sites1 ]\n7 1 1\n");
  EXPECT_EQ(model.topology.virtual_sites.size(), 1U) << "the section makes it a site, as in GROMACS";
}

}  // namespace
}  // namespace dropmd
