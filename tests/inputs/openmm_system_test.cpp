#include <gtest/gtest.h>

#include <cmath>
#include <string>
#include <string_view>

#include "inputs/topologies/openmm/expressions.h"
#include "tests/inputs/openmm_samples.h"
#include "tests/support/system/temp_folder.h"

namespace dropmd {
namespace {

/// Reads a system of three atoms, whose forces are given.
MolecularModel read_forces(std::string_view forces) {
  const TempFolder folder;
  return read_openmm_system(
      folder.write("a.xml",
                   "<System><Particles><Particle mass=\"1\"/><Particle mass=\"2\"/><Particle mass=\"3.5\"/></Particles>"
                   "<Constraints/><Forces>" +
                       std::string(forces) + "</Forces></System>"));
}

template <class Term>
const std::vector<Term>& terms_of(const MolecularModel& model) {
  return std::get<std::vector<Term>>(model.topology.terms);
}

std::vector<std::uint32_t> excluded_with(const MolecularModel& model, std::size_t atom) {
  const auto excluded = model.topology.exclusions.of(atom);
  return {excluded.begin(), excluded.end()};
}

TEST(OpenmmSystemFile, ParticlesAndMolecules) {
  const MolecularModel model = openmm_sample("sites");
  EXPECT_EQ(model.size(), 14U);
  EXPECT_EQ(model.mass.at(0), 15.999);
  EXPECT_EQ(model.mass.at(3), 0);
  EXPECT_EQ(model.charge.at(13), 1);
  std::vector<std::uint32_t> molecule(13, 1);
  molecule.push_back(14);
  EXPECT_EQ(model.topology.molecule, molecule) << "named after the id of the first atom";
  EXPECT_EQ(model.molecule_names, std::vector<std::string>{""});
  EXPECT_EQ(model.molecule_name, std::vector<std::uint32_t>(14, 0));
  EXPECT_TRUE(model.atom_name.empty());
  EXPECT_TRUE(model.residue_name.empty());
  EXPECT_TRUE(model.residue_number.empty());
  EXPECT_TRUE(model.warnings.empty());
}

TEST(OpenmmSystemFile, UnitsOfTerms) {
  const MolecularModel model = openmm_sample("terms");
  ASSERT_EQ(terms_of<HarmonicBond>(model).size(), 7U);
  const HarmonicBond& bond = terms_of<HarmonicBond>(model)[0];
  EXPECT_EQ(bond.atom, (AtomNumbers<2>{1, 2}));
  EXPECT_DOUBLE_EQ(bond.length, 1.5);
  EXPECT_DOUBLE_EQ(bond.k, 201000 / 418.4);
  EXPECT_EQ(model.topology.constraints, (std::vector<Constraint>{{{0, 1}, 1.6}}));
  EXPECT_EQ(terms_of<HarmonicAngle>(model)[0], (HarmonicAngle{{0, 1, 2}, 400 / 4.184, 1.9}));
  EXPECT_EQ(terms_of<PeriodicDihedral>(model)[0], (PeriodicDihedral{{0, 1, 2, 3}, 5.5 / 4.184, 0.4, 3}));
  EXPECT_EQ(terms_of<RyckaertBellemans>(model)[0].c[1], 12.2 / 4.184);
  ASSERT_EQ(terms_of<HarmonicImproper>(model).size(), 4U);
  EXPECT_EQ(terms_of<HarmonicImproper>(model)[0], (HarmonicImproper{{0, 1, 2, 3}, 2 * (40 / 4.184), 0.2}));
  EXPECT_EQ(terms_of<HarmonicImproper>(model)[3], (HarmonicImproper{{3, 4, 5, 6}, 43 / 4.184, 3.1}));
  EXPECT_EQ(terms_of<CmapDihedrals>(model)[1], (CmapDihedrals{{3, 4, 5, 6, 7}, 0}));
  ASSERT_EQ(model.topology.cmap_grids.size(), 2U);
  EXPECT_EQ(model.topology.cmap_grids[1].size, 6U);
  EXPECT_EQ(model.topology.cmap_grids[1].energy.size(), 36U);
  ASSERT_EQ(model.warnings.size(), 1U);
  EXPECT_NE(model.warnings[0].find("terms.xml: CMMotionRemover is ignored (remove-momentum of [run] does the same)"),
            std::string::npos);
}

/// OpenMM's element i + 2 j is that of the angles 180° i and 180° j; ours begins at −180°, with ψ as the inner index.
TEST(OpenmmSystemFile, OrderOfAMap) {
  const MolecularModel model = read_forces(
      "<Force type=\"CMAPTorsionForce\"><Maps><Map size=\"2\"><Energy e=\"0\"/><Energy e=\"4.184\"/><Energy "
      "e=\"8.368\"/><Energy e=\"41.84\"/></Map></Maps><Torsions/></Force>");
  EXPECT_EQ(model.topology.cmap_grids.at(0).energy, (std::vector<double>{10, 1, 2, 0}));
}

TEST(OpenmmSystemFile, ExceptionsAreExclusionsAndPairs) {
  const MolecularModel model = openmm_sample("terms");
  EXPECT_EQ(excluded_with(model, 3), (std::vector<std::uint32_t>{0, 1, 2, 4, 5, 6}));
  const auto& pairs = terms_of<BondedPair>(model);
  ASSERT_EQ(pairs.size(), 4U) << "the pair of atoms 0 and 3 has no terms";
  EXPECT_EQ(pairs[0], (BondedPair{{1, 4}, {0.1 / 4.184, 3, true}, 0.01}));
  EXPECT_EQ(pairs[1], (BondedPair{{2, 5}, {}, 0.02}));
}

TEST(OpenmmSystemFile, TypesAndTheirTable) {
  const MolecularModel model = openmm_sample("terms");
  EXPECT_EQ(model.type_names, (std::vector<std::string>{"1", "2", "3", "4", "5"}));
  EXPECT_EQ(model.type, (std::vector<std::uint32_t>{0, 1, 2, 3, 4, 2, 0, 1}));
  EXPECT_EQ(model.lj[0], (LjParameters{0.4 / 4.184, 3, true}));
  EXPECT_DOUBLE_EQ(model.lj[1].sigma, 3.2);
  EXPECT_DOUBLE_EQ(model.lj[1].epsilon, std::sqrt(0.4 * 0.2) / 4.184);
  EXPECT_EQ(model.lj[2], LjParameters{});
  EXPECT_EQ(model.lj[1], model.lj[5]) << "symmetric";
}

/// NBFIX: the pair of types 0 and 1 follows no rule.
TEST(OpenmmSystemFile, TablesOfTypes) {
  for (const char* const name : {"tables", "root_tables"}) {
    const MolecularModel model = openmm_sample(name);
    EXPECT_EQ(model.type, (std::vector<std::uint32_t>{0, 1, 2, 0, 1, 2, 0, 1}));
    EXPECT_NEAR(model.lj[1].sigma, 3.1, 1e-12);
    EXPECT_NEAR(model.lj[1].epsilon, 0.7 / 4.184, 1e-12);
    EXPECT_EQ(model.lj[2], LjParameters{});
    const auto& pairs = terms_of<BondedPair>(model);
    ASSERT_EQ(pairs.size(), 5U) << "charges and van der Waals terms are joined";
    for (const BondedPair& pair : pairs) {
      EXPECT_DOUBLE_EQ(pair.lj.epsilon, 0.5 * 0.3 / 4.184);
      EXPECT_DOUBLE_EQ(pair.lj.sigma, 2.8);
      EXPECT_DOUBLE_EQ(pair.charges, 0.02 * (static_cast<double>(pair.atom[0]) - 1));
    }
  }
}

TEST(OpenmmSystemFile, FormsOfVirtualSites) {
  const MolecularModel model = openmm_sample("sites");
  const auto& sites = model.topology.virtual_sites;
  std::vector<SiteForm> forms;
  for (const VirtualSite& site : sites) forms.push_back(site.form);
  using enum SiteForm;
  EXPECT_EQ(forms, (std::vector<SiteForm>{two, three, three_out, two_fd, three_fd, three_fd, three_fad, three_fad,
                                          three_fad, three}));
  EXPECT_EQ(sites.at(0), (VirtualSite{two, 3, {0, 2, 0, 0}, {0.3, 0, 0}}));
  EXPECT_EQ(sites.at(2), (VirtualSite{three_out, 5, {0, 1, 2, 0}, {0.34, 0.36, 0.65}}));
  EXPECT_EQ(sites.at(3), (VirtualSite{two_fd, 6, {0, 1, 0, 0}, {-0.5, 0, 0}}));
}

TEST(OpenmmSystemFile, SettingsOfARunAreIgnoredWithWarnings) {
  constexpr std::string_view kAtom = "<Particle q=\"0\" sig=\"1\" eps=\"0\"/>";
  const std::string atoms = std::string(kAtom) + std::string(kAtom) + std::string(kAtom);
  const MolecularModel model = read_forces("<Force type=\"NonbondedForce\" method=\"4\" cutoff=\"1\"><Particles>" +
                                           atoms + "</Particles><Exceptions/></Force>");
  ASSERT_EQ(model.warnings.size(), 2U);
  EXPECT_NE(model.warnings[0].find("a.xml: the method PME of the NonbondedForce and its cutoff are ignored "
                                   "([lennard-jones] and [coulomb] of the run file set them)"),
            std::string::npos);
  EXPECT_NE(
      model.warnings[1].find("a.xml: the periodic box is ignored, as boundaries are open (molecules must be whole)"),
      std::string::npos);
}

TEST(OpenmmSystemFile, WithoutForces) {
  const MolecularModel model = read_forces("");
  EXPECT_EQ(model.charge, (std::vector<double>{0, 0, 0}));
  EXPECT_EQ(model.mass, (std::vector<double>{1, 2, 3.5}));
  EXPECT_EQ(model.type, (std::vector<std::uint32_t>{0, 0, 0}));
  EXPECT_EQ(model.lj, std::vector<LjParameters>{{}});
  EXPECT_EQ(model.topology.molecule, (std::vector<std::uint32_t>{1, 2, 3}));
  EXPECT_TRUE(model.topology.exclusions.empty());
}

TEST(OpenmmExpressions, NumbersInPatterns) {
  EXPECT_EQ(openmm::without_white_space(" a *\n b ;; "), "a*b");
  using Numbers = std::vector<double>;
  EXPECT_EQ(openmm::match_formula("2.5e1*k*3", "#*k*#"), (Numbers{25, 3}));
  EXPECT_EQ(openmm::match_formula("k", "k"), Numbers{});
  EXPECT_EQ(openmm::match_formula("x*k", "#*k"), std::nullopt);
  EXPECT_EQ(openmm::match_formula("-1*k", "#*k"), std::nullopt);
  EXPECT_EQ(openmm::match_formula("1*k+1", "#*k"), std::nullopt);
  EXPECT_EQ(openmm::match_formula("1*", "#*k"), std::nullopt);
  EXPECT_EQ(openmm::match_formula("1e999*k", "#*k"), std::nullopt);
}

}  // namespace
}  // namespace dropmd
