#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>
#include <string>
#include <utility>
#include <vector>

#include "tests/support/system/app_folder.h"

/// The samples of molecules: their energies are those of GROMACS, and they start without warnings.
namespace dropmd {
namespace {

using testing::HasSubstr;
using testing::Not;
using OrderedJson = nlohmann::ordered_json;

struct MolecularSample {
  std::string name;
  std::string molecules;  ///< as a run names them
  /// In the order of the output, kcal/mol: GROMACS 2022.5 in double precision, by tests/references/tools/gromacs.py.
  std::vector<std::pair<std::string, double>> energies;
};

std::vector<MolecularSample> molecular_samples() {
  return {{"water-na",
           "1000 SOL, 8 NA; net charge 8 e; constraints: 1000 rigid waters of three sites\n",
           {{"potential", -10675.799180509}, {"vdw", 2091.270922292}, {"coulomb", -12767.070102802}}},
          {"hydronium",
           "200 SOL, 3 H3O; net charge 3 e; constraints: 200 rigid waters of three sites, 3 rigid bodies of four "
           "atoms; 203 virtual "
           "sites\n",
           {{"potential", -2152.498784262}, {"vdw", 381.133664185}, {"coulomb", -2533.632448446}}},
          {"peptide",
           "1 Peptide, 700 SOL, 4 NA; net charge 4 e; constraints: ",
           {{"potential", -6788.811367587},
            {"vdw", 978.232815275},
            {"coulomb", -8594.766008632},
            {"bond", 35.336138518},
            {"angle", 96.751298342},
            {"dihedral", 81.802597213},
            {"lj_14", 34.734426067},
            {"coulomb_14", 579.097365631}}}};
}

class MolecularSamples : public testing::TestWithParam<MolecularSample> {};

/// In the run of the peptide, bonds to hydrogen are constrained and have no energy; here they have it, as in GROMACS.
TEST_P(MolecularSamples, HaveTheEnergiesOfGromacs) {
  const AppFolder folder;
  const MolecularSample sample = GetParam();
  folder.write("energy.toml", "units = \"real\"\n[system]\nstructure = \"inputs/samples/" + sample.name +
                                  ".gro\"\ntopology = \"inputs/samples/" + sample.name + ".top\"\n");
  const Outcome outcome = folder.run("dropmd energy energy.toml --backend cpu --precision double --json");
  ASSERT_EQ(outcome.status, 0) << outcome.err;
  EXPECT_EQ(outcome.err, "");
  const OrderedJson json = OrderedJson::parse(outcome.out);
  auto field = json.find("potential");
  for (const auto& [name, energy] : sample.energies) {
    ASSERT_NE(field, json.end());
    EXPECT_EQ(field.key(), name);
    EXPECT_NEAR(field->get<double>(), energy, 1e-7) << name;
    ++field;
  }
  EXPECT_EQ(field.key(), "wall") << "no other component";
}

TEST_P(MolecularSamples, Run) {
  const AppFolder folder;
  const Outcome outcome = folder.run("dropmd run inputs/samples/" + GetParam().name + ".toml --steps 2 --backend cpu");
  EXPECT_EQ(outcome.status, 0);
  EXPECT_THAT(outcome.err, HasSubstr(GetParam().molecules));
  EXPECT_THAT(outcome.err, Not(HasSubstr("warning")));
  EXPECT_TRUE(folder.has(GetParam().name + "-out/final.gro"));
}

INSTANTIATE_TEST_SUITE_P(Samples, MolecularSamples, testing::ValuesIn(molecular_samples()), [](const auto& test) {
  std::string name = test.param.name;
  std::erase(name, '-');
  return name;
});

/// Virtual sites have no mass in the files that a run writes.
TEST(HydroniumSample, ContinuesFromItsOwnXyzFile) {
  const AppFolder folder;
  ASSERT_EQ(folder.run("dropmd run inputs/samples/hydronium.toml --set output.final=final.xyz --steps 2 --backend cpu")
                .status,
            0);
  const std::string file = "units = \"real\"\n[system]\nstructure = \"hydronium-out/final.xyz\"\n";
  folder.write("next.toml", file + "topology = \"inputs/samples/hydronium.top\"\n");
  const Outcome next = folder.run("dropmd run next.toml --steps 2 --timestep 1 --backend cpu");
  EXPECT_EQ(next.status, 0) << next.err;
  EXPECT_EQ(folder.run("dropmd map hydronium-out/final.xyz -o m.dx --spacing 2 --backend cpu").status, 0);
  folder.write("bare.toml", file);
  const Outcome bare = folder.run("dropmd run bare.toml --backend cpu");
  EXPECT_EQ(bare.status, 3);
  EXPECT_THAT(bare.err, HasSubstr("hydronium-out/final.xyz:6:1: the mass of atom 4 is 0, which only virtual sites may "
                                  "have (give their topology: topology = \"FILE\" in [system])"));
}

/// The ions of hydronium.toml as in the files of simESI: bonds of constant length and harmonic angles.
TEST(HydroniumSample, HasHarmonicAnglesOnRequest) {
  const AppFolder folder;
  const Outcome outcome = folder.run(
      "dropmd run inputs/samples/hydronium.toml --set system.define=[\"H3O_ANGLES\"] --steps 50 --backend cpu");
  EXPECT_EQ(outcome.status, 0);
  EXPECT_THAT(outcome.err, HasSubstr("200 rigid waters of three sites, 3 stars of three bonds; 203 virtual sites\n"));
  EXPECT_THAT(folder.text("hydronium-out/energy.csv"), HasSubstr("step,time,potential,vdw,coulomb,angle,wall,"));
}

}  // namespace
}  // namespace dropmd
