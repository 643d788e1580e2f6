#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <sstream>
#include <string>

#include "tests/support/system/app_folder.h"
#include "tests/support/system/bench_runs.h"

/// droplet.csv and events.csv of a run.
namespace dropmd {
namespace {

using testing::HasSubstr;

/// A cluster that boils: atoms leave within some hundred steps.
const std::string kBoiling =
    "dropmd run inputs/samples/lj-cluster-13-langevin.toml --backend cpu --set droplet.every=10 --set "
    "integrator.temperature=2.0 -q ";

std::size_t count(const std::string& text, const std::string& word) {
  std::size_t n = 0;
  for (std::size_t at = text.find(word); at != std::string::npos; at = text.find(word, at + 1)) ++n;
  return n;
}

TEST(DropletFiles, TellWhatTheDropletIsAndWhatLeavesIt) {
  const AppFolder folder;
  ASSERT_EQ(folder.run(kBoiling + "--steps 1500 -o out").status, 0);
  const std::string rows = folder.text("out/droplet.csv"), events = folder.text("out/events.csv");
  EXPECT_THAT(rows, HasSubstr("\nstep,time,clusters,molecules,atoms,charge,mass,x,y,z,radius,temperature,"
                              "vapour_molecules,vapour_temperature,rayleigh_share,gyration_1,gyration_2,"
                              "gyration_3\n0,0,1,13,13,0,13,"));
  EXPECT_EQ(count(rows, "\n"), 2U + 151) << "rows of the steps 0 to 1500";
  EXPECT_THAT(events, HasSubstr("\nstep,time,event,molecule,name,charge,x,y,z,vx,vy,vz,kinetic,cluster_molecules\n"));
  EXPECT_GE(count(events, ",evaporated,"), 1U);
  EXPECT_EQ(folder.run(kBoiling + "--steps 10 -o out").status, 6) << "the files exist";
}

TEST(DropletFiles, AreTheSameForAnyThreadsAndAfterAResume) {
  const AppFolder folder;
  ASSERT_EQ(folder.run(kBoiling + "--steps 1500 --threads 1 -o one").status, 0);
  ASSERT_EQ(folder.run(kBoiling + "--steps 1500 --threads 2 -o two").status, 0);
  ASSERT_EQ(folder.run(kBoiling + "--steps 637 -o cut").status, 0);
  ASSERT_EQ(folder.run("dropmd run --resume cut --steps 1500 -q").status, 0);
  for (const std::string name : {"/droplet.csv", "/events.csv", "/energy.csv"}) {
    EXPECT_EQ(folder.text("two" + name), folder.text("one" + name)) << name;
    EXPECT_EQ(folder.text("cut" + name), folder.text("one" + name)) << name;
  }
}

/// A run with a topology names the molecules that are left. Its final structure begins another run, with a topology of
/// these molecules.
TEST(DropletFiles, TheFinalStructureBeginsAnotherRun) {
  const AppFolder folder;
  const Outcome run = folder.run(
      "dropmd run inputs/samples/hydronium.toml --backend cpu --set droplet.every=40 --set droplet.remove-beyond=8.0 "
      "--set integrator.temperature=1500 --set integrator.friction=0.02 --steps 1200 -o out");
  ASSERT_EQ(run.status, 0) << run.err;
  const std::size_t at = run.err.find("final.gro has ");
  ASSERT_NE(at, std::string::npos) << run.err;
  const std::string left = run.err.substr(at + 14, run.err.find(" of the molecules", at) - at - 14);
  std::string molecules = "[ molecules ]\n" + left + "\n";
  std::replace(molecules.begin(), molecules.end(), ',', '\n');
  std::string topology = folder.text("inputs/samples/hydronium.top");
  topology.replace(topology.rfind("[ molecules ]"), std::string::npos, molecules);
  folder.write("left.top", topology);
  folder.write("left.toml",
               "units = \"real\"\n[system]\nstructure = \"out/final.gro\"\ntopology = "
               "\"left.top\"\n[output]\ndirectory = \"next\"\n");
  EXPECT_EQ(folder.run("dropmd run left.toml --backend cpu -q --steps 1").status, 0) << molecules;
  folder.write(
      "all.toml",
      "units = \"real\"\n[system]\nstructure = \"out/final.gro\"\ntopology = \"inputs/samples/hydronium.top\"\n");
  const Outcome all = folder.run("dropmd run all.toml --backend cpu -q --steps 1");
  EXPECT_EQ(all.status, 3);
  EXPECT_THAT(all.err, HasSubstr("if molecules have left a run, the topology must lack them"));
}

TEST(DropletFiles, TheLogAndJsonCountEventsAndMolecules) {
  const AppFolder folder;
  folder.write("two.xyz",
               "5\nProperties=species:S:1:pos:R:3 units=lj\nAr 0 0 0\nAr 1.12 0 0\nAr 0.56 0.97 0\n"
               "Ar 30 0 0\nAr 31.12 0 0\n");
  folder.write("two.toml",
               "units = \"lj\"\n[system]\nstructure = \"two.xyz\"\nmass = 1.0\n[lennard-jones]\nepsilon = 1.0\n"
               "sigma = 1.0\n[droplet]\nevery = 5\nremove-beyond = 5.0\n[output]\ndirectory = \"out\"\n");
  const Outcome json = folder.run("dropmd run two.toml --backend cpu --steps 5 --json");
  ASSERT_EQ(json.status, 0) << json.err;
  EXPECT_THAT(json.out, HasSubstr("\"removed\": {\n      \"events\": 1,\n      \"molecules\": 2\n"));
  const Outcome text = folder.run("dropmd run two.toml --backend cpu --steps 5 --force");
  EXPECT_THAT(text.err, HasSubstr("events of the droplet: 1 removed with 2 molecules"));
}

/// In the open, atoms that boil off never return. After 1,410 steps a single one is left.
const std::string kDrying = kBoiling +
                            "--set wall.form=none --set droplet.remove-beyond=2.0 --set "
                            "output.trajectory-every=500 ";

/// With a single atom left nothing more can happen. The run ends at the step of the label, whether or not it was
/// stopped before.
TEST(DropletFiles, ARunEndsWhenTheDropletHasDriedUp) {
  const AppFolder folder;
  const std::string hot =
      "dropmd run inputs/samples/lj-cluster-13-langevin.toml --backend cpu --set droplet.every=50 "
      "--set droplet.remove-beyond=2.0 --set wall.form=none --set integrator.temperature=5 ";
  const Outcome whole = folder.run(hot + "--steps 20000 --json -o whole");
  ASSERT_EQ(whole.status, 0) << whole.err;
  const Json json = Json::parse(whole.out);
  EXPECT_EQ(json["end"], "dried up");
  const auto last = json["steps"].get<int>();
  ASSERT_LT(last, 20000);
  EXPECT_EQ(last % 50, 0);
  EXPECT_EQ(folder.text("whole/final.xyz").substr(0, 2), "1\n");
  EXPECT_THAT(folder.text("whole/status.json"), HasSubstr("\"finished\""));
  ASSERT_EQ(folder.run(hot + "-q --steps " + std::to_string(last - 17) + " -o cut").status, 0);
  for (int part = 0; part < 2; ++part) {  // nothing changes in a run that is over
    const Outcome outcome = folder.run("dropmd run --resume cut --steps 20000");
    EXPECT_EQ(outcome.status, 0) << outcome.err;
    EXPECT_THAT(outcome.err, HasSubstr("the droplet has dried up: a single molecule is left"));
    for (const char* file : {"energy.csv", "ledger.csv", "droplet.csv", "events.csv", "final.xyz"})
      EXPECT_EQ(folder.text("cut/" + std::string(file)), folder.text("whole/" + std::string(file))) << file;
  }
}

TEST(DropletFiles, MoleculesFarAwayLeaveTheRun) {
  const AppFolder folder;
  ASSERT_EQ(folder.run(kDrying + "--steps 1300 -o out").status, 0);
  const std::string events = folder.text("out/events.csv"), ledger = folder.text("out/ledger.csv");
  const std::size_t n_removed = count(events, ",removed,");
  EXPECT_GE(n_removed, 3U);
  const std::string final = folder.text("out/final.xyz");
  EXPECT_EQ(std::stoul(final), 13 - n_removed) << "single atoms leave this cluster";
  EXPECT_THAT(ledger, HasSubstr("\nstep,time,total,conserved,bath,removed,added,removed_mass,removed_charge,removed_px,"
                                "removed_py,removed_pz,removed_lx,removed_ly,removed_lz\n"));
  EXPECT_THAT(folder.text("out/trajectory.xyz"), HasSubstr(":id:I:1"));
  // The integrator's error; what was removed is some ε per atom.
  const auto conserved = [&](std::size_t row) {
    std::istringstream line(ledger.substr(ledger.find('\n', ledger.find("step,")) + 1));
    std::string text;
    for (std::size_t k = 0; k <= row; ++k) std::getline(line, text);
    std::istringstream words(text);
    for (int k = 0; k < 4; ++k) std::getline(words, text, ',');
    return std::stod(text);
  };
  EXPECT_NEAR(conserved(13), conserved(0), 0.3);
}

TEST(DropletFiles, ARunThatRemovesResumesToTheSameFiles) {
  const AppFolder folder;
  ASSERT_EQ(folder.run(kDrying + "--steps 1300 --threads 1 -o one").status, 0);
  ASSERT_EQ(folder.run(kDrying + "--steps 1300 --threads 2 -o two").status, 0);
  for (const int step : {10, 777, 1299}) {
    const std::string name = "cut" + std::to_string(step);
    ASSERT_EQ(folder.run(kDrying + "--steps " + std::to_string(step) + " -o " + name).status, 0);
    const Outcome resumed = folder.run("dropmd run --resume " + name + " --steps 1300 -q");
    ASSERT_EQ(resumed.status, 0) << resumed.err;
    for (const std::string file :
         {"/droplet.csv", "/events.csv", "/energy.csv", "/ledger.csv", "/trajectory.xyz", "/final.xyz"})
      EXPECT_EQ(folder.text(name + file), folder.text("one" + file)) << name << file;
  }
  for (const std::string file : {"/droplet.csv", "/events.csv", "/energy.csv", "/ledger.csv", "/trajectory.xyz"})
    EXPECT_EQ(folder.text("two" + file), folder.text("one" + file)) << file;
}

/// Water leaves as a whole, and keeps its names in the last structure.
TEST(DropletFiles, MoleculesOfATopologyLeaveAsAWhole) {
  const AppFolder folder;
  const std::string line =
      "dropmd run inputs/samples/hydronium.toml --backend cpu -q --set droplet.every=20 --set "
      "droplet.remove-beyond=8.0 "
      "--set integrator.temperature=1500 --set integrator.friction=0.02 --set wall.form=none ";
  ASSERT_EQ(folder.run(line + "--steps 1200 -o out").status, 0);
  const std::size_t n_removed = count(folder.text("out/events.csv"), ",removed,");
  EXPECT_GE(n_removed, 1U);
  const std::string final = folder.text("out/final.gro");
  EXPECT_LT(count(final, "\n"), 815U);
  EXPECT_EQ(count(final, "HW1"), count(final, "HW2"));
  EXPECT_EQ(folder.run(line + "--steps 611 -o cut").status, 0);
  EXPECT_EQ(folder.run("dropmd run --resume cut --steps 1200 -q").status, 0);
  for (const std::string file : {"/droplet.csv", "/events.csv", "/energy.csv", "/ledger.csv", "/final.gro"})
    EXPECT_EQ(folder.text("cut" + file), folder.text("out" + file)) << file;
}

TEST(DropletFiles, KeysOfTheSectionAreChecked) {
  const AppFolder folder;
  const auto refused = [&](const std::string& setting, const std::string& message) {
    const Outcome outcome =
        folder.run("dropmd run inputs/samples/lj-cluster-13-langevin.toml --backend cpu --set " + setting);
    EXPECT_EQ(outcome.status, 3) << setting;
    EXPECT_THAT(outcome.err, HasSubstr(message));
  };
  refused("droplet.link-distance=0", "'link-distance' in [droplet] is 0 (it must be greater than 0)");
  refused("droplet.every=0", "'every' in [droplet] is 0");
  refused("droplet.surface-tension=0.07", "'surface-tension' in [droplet] is in N/m, but units are lj");
  refused("droplet.link-distanse=3", "unknown key 'link-distanse' in [droplet] (did you mean 'link-distance'?)");
}

}  // namespace
}  // namespace dropmd
