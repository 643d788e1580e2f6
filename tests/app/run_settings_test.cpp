#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "tests/support/system/run_folder.h"

/// `dropmd run` with --seed, --timestep, --set and --wall: what they change, and what a dry run says about them.
namespace dropmd {
namespace {

using testing::HasSubstr;
using testing::Not;

class RunSettings : public RunFolderTest {
 protected:
  std::string dry(const std::string& options) const { return run("dropmd run run.toml --dry-run" + options).out; }
  nlohmann::json dry_json(const std::string& options) const {
    return nlohmann::json::parse(run("dropmd run run.toml --dry-run --json" + options).out);
  }
};

TEST_F(RunSettings, ASeedIsThatOfEverythingRandom) {
  expect_success("dropmd run -q run.toml --steps 20 --seed 5 -o seed");
  expect_success("dropmd run -q run.toml --steps 20 --set system.random-seed=5 -o set");
  expect_success("dropmd run -q run.toml --steps 20 -o other");
  EXPECT_EQ(text("seed/energy.csv"), text("set/energy.csv"));
  EXPECT_NE(text("seed/energy.csv"), text("other/energy.csv"));
}

TEST_F(RunSettings, OptionsStandForKeysOfTheRunFile) {
  const std::string toml =
      dry(" --steps 1e2 --timestep 0.5 --seed 9 --set wall.form=quartic --set output.final=end.drop");
  for (const char* line : {"steps = 100\n", "timestep = 0.5\n", "random-seed = 9\n", "form = \"quartic\"\n",
                           "stiffness = 0.01\n", "final = \"end.drop\"\n"})
    EXPECT_THAT(toml, HasSubstr(line));
}

TEST_F(RunSettings, ADropletFileTakesThemToo) {
  const std::string toml = run("dropmd run start.drop --dry-run --set run.steps=12 --set engine.precision=double").out;
  EXPECT_THAT(toml, HasSubstr("steps = 12\n"));
  EXPECT_THAT(toml, HasSubstr("precision = \"double\"\n"));
  EXPECT_THAT(toml, HasSubstr("form = \"descent\"\nfactor = 0.01\n")) << "as in 2009";
  EXPECT_THAT(run("dropmd run start.drop --dry-run --set integrator.form=fire").out,
              testing::AllOf(HasSubstr("form = \"fire\"\n"), Not(HasSubstr("factor ="))));
  const Outcome mistake = run("dropmd run start.drop --set integrator.factor=-1");
  EXPECT_EQ(mistake.status, 3);
  EXPECT_THAT(mistake.err, HasSubstr("--set integrator.factor=-1:"));
}

TEST_F(RunSettings, ADryRunSaysTheRadiusOfTheWall) {
  const std::string toml = dry("");
  EXPECT_THAT(toml, testing::ContainsRegex("\n\\[wall\\]\nform = \"harmonic\"\nradius = [0-9.]+\nstiffness = 1\n"));
  EXPECT_THAT(toml, testing::ContainsRegex("# wall: +radius [0-9.]+ A, from the structure\n"));
  EXPECT_THAT(dry(" --set wall.radius=30"), HasSubstr("radius = 30\n"));
}

TEST_F(RunSettings, ADryRunInJsonHasTheRunItsSourcesAndTheEstimate) {
  const nlohmann::json json = dry_json(
      " --backend cpu --steps 7 --set map.spacing=[1,2,3] --timestep 0.5 --set map.dielectric=inf --set "
      "map.form=reaction-field");
  EXPECT_EQ(json["run"]["run"]["steps"], 7);
  EXPECT_EQ(json["run"]["units"], "real");
  EXPECT_EQ(json["run"]["map"]["spacing"], (std::vector<double>{1, 2, 3}));
  EXPECT_EQ(json["run"]["map"]["dielectric"], "inf") << "JSON has no infinity";
  EXPECT_GT(json["run"]["wall"]["radius"], 1.0);
  EXPECT_EQ(json["sources"]["run.steps"], "--steps 7");
  EXPECT_EQ(json["sources"]["integrator.timestep"], "--timestep 0.5");
  EXPECT_EQ(json["sources"]["map.spacing"], "--set map.spacing=[1,2,3]");
  EXPECT_EQ(json["sources"]["system.mass"], "run.toml:4:8");
  EXPECT_THAT(json["sources"]["wall.radius"].get<std::string>(), testing::EndsWith("start.drop"));
  EXPECT_FALSE(json["sources"].contains("engine.device")) << "a default";
  EXPECT_EQ(json["estimate"]["n_atoms"], 150);
  for (const char* field : {"memory_bytes", "disk_bytes", "seconds_per_step", "seconds"})
    EXPECT_GT(json["estimate"][field], 0.0) << field;
  EXPECT_FALSE(folder().has("out")) << "a dry run writes nothing";
}

TEST_F(RunSettings, SourcesNameNoKeysOfAWallThatIsReplaced) {
  folder().write("walled.toml",
                 "units = \"lj\"\n[system]\nstructure = \"start.drop\"\n[wall]\nradius = 30\nstiffness = 3\n");
  const auto sources = [&](const std::string& options) {
    return nlohmann::json::parse(run("dropmd run walled.toml --backend cpu --dry-run --json" + options).out)["sources"];
  };
  EXPECT_EQ(sources("")["wall.stiffness"], "walled.toml:6:13");
  for (const std::string option : {"--wall quartic", "--set wall.form=quartic"}) {
    const nlohmann::json json = sources(" " + option);
    EXPECT_EQ(json["wall.form"], option);
    EXPECT_EQ(json["wall.radius"], "walled.toml:5:10");
    EXPECT_FALSE(json.contains("wall.stiffness")) << "the default";
  }
}

TEST_F(RunSettings, TheWallOfTheCommandLineDecidesOnRecentring) {
  folder().write("free.toml",
                 "units = \"lj\"\n[system]\nstructure = \"start.drop\"\n[lennard-jones]\nepsilon = "
                 "1\nsigma = 1\n");
  const auto recenter = [&](const std::string& options) {
    return run("dropmd run free.toml --backend cpu --dry-run" + options).out;
  };
  EXPECT_THAT(recenter(""), HasSubstr("recenter = \"geometric\"\n"));
  EXPECT_THAT(recenter(" --wall harmonic"), HasSubstr("recenter = \"none\"\n"));
  EXPECT_THAT(recenter(" --set wall.form=quartic"), HasSubstr("recenter = \"none\"\n"));
  EXPECT_THAT(recenter(" --set wall.form=quartic --wall none"), HasSubstr("recenter = \"geometric\"\n"));
  EXPECT_THAT(recenter(" --wall harmonic --set run.recenter=mass"), HasSubstr("recenter = \"mass\"\n"));
}

TEST_F(RunSettings, RecentringAgainstAWallIsWarnedOfOnceAsked) {
  const std::string warning = "dropmd: warning: run.toml: recenter = \"geometric\" moves the atoms against the wall";
  EXPECT_THAT(run("dropmd run run.toml --dry-run").err, HasSubstr(warning));
  EXPECT_THAT(run("dropmd run run.toml --dry-run --wall none").err, Not(HasSubstr("recenter")));
  EXPECT_THAT(run("dropmd run run.toml --dry-run --set run.recenter=none").err, Not(HasSubstr("recenter")));
  EXPECT_THAT(run("dropmd run start.drop --dry-run").err, Not(HasSubstr("recenter"))) << "as in 2009";
}

TEST_F(RunSettings, RemovalOfMomentumThatAWallGivesIsWarnedOf) {
  const std::string plain = "dropmd run run.toml --dry-run --set run.recenter=none --set run.remove-momentum=";
  EXPECT_THAT(run(plain + "both").err, HasSubstr("run.toml: remove-momentum = \"both\" removes linear momentum that"));
  EXPECT_THAT(run(plain + "angular").err, Not(HasSubstr("remove-momentum"))) << "a sphere around the origin";
  EXPECT_THAT(run(plain + "both --wall none").err, Not(HasSubstr("remove-momentum")));
}

/// The run asks for such a motion again whenever it resumes; the run of a droplet file never asked for it.
TEST_F(RunSettings, WarningsAgainstAWallComeWithARunAndWhereItResumes) {
  const auto warned = [&](const std::string& line) {
    const Outcome outcome = run(line);
    EXPECT_EQ(outcome.status, 0) << outcome.err;
    return outcome.err.find("moves the atoms against the wall") != std::string::npos;
  };
  EXPECT_TRUE(warned("dropmd run run.toml --steps 4 -o out"));
  EXPECT_TRUE(warned("dropmd run --resume out --steps 6"));
  EXPECT_FALSE(warned("dropmd run -q --resume out --steps 8"));
  EXPECT_FALSE(warned("dropmd run start.drop --steps 4 -o bare"));
  EXPECT_FALSE(warned("dropmd run --resume bare --steps 6"));
}

TEST_F(RunSettings, ARunThatResumesTakesSettingsOfTheSamePhysics) {
  make_whole(60);
  cut(30);
  expect_success(
      "dropmd run -q --resume out/checkpoint.h5 --steps 60 --seed 1 --timestep 2 --set output.energy-every=5");
  expect_same_files();
  cut(30);
  expect_success("dropmd run -q --resume out/checkpoint.h5 --set run.steps=40 --set output.energy-every=1");
  EXPECT_EQ(lines_of(text("out/energy.csv")).size(), 2U + 7 + 10);
}

TEST_F(RunSettings, OtherPhysicsOfARunThatResumesIsRefused) {
  cut(30);
  const std::string line = "dropmd run --resume out/checkpoint.h5 --steps 60";
  expect_refused(
      line + " --timestep 1", 3,
      "--timestep 1: its physics is not that of out/checkpoint.h5: [integrator] has 'timestep = 1' where the "
      "checkpoint has 'timestep = 2' (a run resumes with the same physics; leave the option out)");
  expect_refused(line + " --seed 8", 3, "[system] has 'random-seed = 8' where the checkpoint has 'random-seed = 1'");
  expect_refused(line + " --set run.recenter=mass", 3, "has 'recenter = \"mass\"' where");
  expect_refused(line + " --set wall.form=quartic --seed 1", 3, "leave the options out)");
  expect_refused(line + " --set system.temperature=300", 2,
                 "--set system.temperature=300: a resumed run takes its atoms from the checkpoint (leave it out)");
  expect_refused(line + " --set output.directory=x", 2, "(-o for another one)");
  expect_refused(line + " --set output.enrgy-every=1", 3, "--set output.enrgy-every=1: unknown key 'enrgy-every'");
}

}  // namespace
}  // namespace dropmd
