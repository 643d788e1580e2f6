#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>
#include <string>

#include "inputs/structures/structure_file.h"
#include "tests/support/system/app_folder.h"

/// `dropmd ions` of a run with molecules: the new structure fits the topology once the ions are added to it.
namespace dropmd {
namespace {

using testing::HasSubstr;
using testing::Not;
using PlainJson = nlohmann::json;

/// A droplet of charge +4 whose topology also defines Cl, but has no molecules of it.
class MolecularIons : public testing::Test {
 protected:
  void SetUp() override {
    ASSERT_EQ(run("generate water -q --model spce --waters 40 --ions Na:4 -o w.gro").status, 0);
    ASSERT_EQ(run("generate water -q --model spce --waters 1 --ions Na:1,Cl:1 -o both.gro").status, 0);
    const std::string both = folder_.text("both.top"), mark = "[ molecules ]";
    folder_.write("w.top", both.substr(0, both.find(mark)) + "[ molecules ]\nSOL 40\nNA 4\n");
    ASSERT_EQ(run("generate run w.gro -q -o w.toml").status, 0);
  }
  Outcome run(const std::string& line) const { return folder_.run("dropmd " + line); }
  Outcome ions(const std::string& options) const {
    return run("ions w.toml --spacing 2 --distance 2.5 --backend cpu " + options);
  }
  Structure structure(std::string_view name) const { return read_structure_file(folder_.path() / name); }
  const AppFolder& folder() const { return folder_; }

 private:
  AppFolder folder_;
};

TEST_F(MolecularIons, FitTheTopologyThatHasThemInItsLastLine) {
  const Outcome outcome = ions("--species CL -o with.gro");
  ASSERT_EQ(outcome.status, 0) << outcome.err;
  EXPECT_THAT(outcome.err, Not(HasSubstr("warning")));
  EXPECT_THAT(outcome.out, HasSubstr("4 ions of charge -1 put into 124 atoms; net charge 0, before 4\n"));
  EXPECT_THAT(outcome.out, HasSubstr("  next: the line \"CL 4\" at the end of [ molecules ] in w.top\n"));
  const Structure before = structure("w.gro"), with = structure("with.gro");
  ASSERT_EQ(with.position.size(), 128U);
  for (std::size_t i = 0; i < 124; ++i) {
    EXPECT_EQ(with.atom_name[i], before.atom_name[i]);
    EXPECT_EQ(with.residue_name[i], before.residue_name[i]);
    EXPECT_EQ(with.residue_number[i], before.residue_number[i]);
  }
  for (std::size_t i = 124; i < 128; ++i) {
    EXPECT_EQ(with.atom_name[i], "CL");
    EXPECT_EQ(with.residue_name[i], "CL");
    EXPECT_EQ(with.residue_number[i], with.residue_number[i - 1] + 1);
  }
  folder().write("with.top", folder().text("w.top") + "CL 4\n");
  ASSERT_EQ(run("generate run with.gro -q -o with.toml").status, 0);
  const Outcome ran = run("energy with.toml --backend cpu");
  EXPECT_EQ(ran.status, 0) << ran.err;
  EXPECT_EQ(ran.err, "");
}

TEST_F(MolecularIons, TakeMassAndElementFromTheTopology) {
  for (const std::string name : {"CL", "Cl", "cl"}) {
    ASSERT_EQ(ions("-q --force --count 1 --species " + name + " -o with.xyz").status, 0) << name;
    const Structure with = structure("with.xyz");
    EXPECT_EQ(with.mass.at(124), 35.45);
    EXPECT_EQ(with.charge.at(124), -1);
    EXPECT_EQ(with.species_names.at(with.species.at(124)), "Cl");
  }
  const PlainJson json = PlainJson::parse(ions("-q --count 1 --species NA --force -o with.gro --json").out);
  EXPECT_EQ(json["charge"], 1) << "the topology's, though the droplet is positive";
  EXPECT_EQ(json["net_charge"], 5);
}

TEST_F(MolecularIons, ThatTheTopologyDoesNotHaveGetAWarning) {
  const Outcome unknown = ions("--count 1 --species Br -o br.gro");
  EXPECT_EQ(unknown.status, 2);
  EXPECT_THAT(unknown.err, HasSubstr("--species with a name known to them; the topology has NA, CL)"));
  const Outcome outcome = ions("--count 1 --species Br --mass 79.9 -o br.gro");
  EXPECT_EQ(outcome.status, 0) << outcome.err;
  EXPECT_THAT(outcome.err,
              HasSubstr("w.top has no molecule type of one atom named 'Br', so that the new structure does "
                        "not fit it (--species NAME; the topology has NA, CL)\n"));
  EXPECT_EQ(structure("br.gro").residue_name.at(124), "Br");
  EXPECT_EQ(structure("br.gro").residue_name.at(0), "SOL");
}

}  // namespace
}  // namespace dropmd
