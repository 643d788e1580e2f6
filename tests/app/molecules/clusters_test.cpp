#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdlib>
#include <nlohmann/json.hpp>
#include <sstream>
#include <string>
#include <vector>

#include "tests/support/system/app_folder.h"

/// dropmd clusters.
namespace dropmd {
namespace {

using testing::HasSubstr;
using OrderedJson = nlohmann::ordered_json;

/// Two waters 3 Å apart, a third one and an ion 20 Å away, 4 Å from each other.
constexpr const char* kWaters =
    "waters\n10\n"
    "    1SOL     OW    1   0.000   0.000   0.000\n    1SOL    HW1    2   0.080   0.060   0.000\n"
    "    1SOL    HW2    3  -0.080   0.060   0.000\n    2SOL     OW    4   0.000   0.300   0.000\n"
    "    2SOL    HW1    5   0.080   0.360   0.000\n    2SOL    HW2    6  -0.080   0.360   0.000\n"
    "    3SOL     OW    7   2.000   0.000   0.000\n    3SOL    HW1    8   2.080   0.060   0.000\n"
    "    3SOL    HW2    9   1.920   0.060   0.000\n    4NA      NA   10   2.000   0.400   0.000\n"
    "   0.0 0.0 0.0\n";

TEST(ClustersCommand, NamesTheDropletAndTheSizes) {
  const AppFolder folder;
  folder.write("w.gro", kWaters);
  const Outcome outcome = folder.run("dropmd clusters w.gro --json");
  ASSERT_EQ(outcome.status, 0) << outcome.err;
  const OrderedJson json = OrderedJson::parse(outcome.out);
  EXPECT_EQ(json["n_clusters"], 3);
  EXPECT_EQ(json["sizes"], OrderedJson::parse("[2, 1, 1]"));
  EXPECT_EQ(json["droplet"]["molecules"], 2);
  EXPECT_EQ(json["droplet"]["atoms"], 6);
  EXPECT_EQ(json["droplet"]["charge"], nullptr) << "a .gro file has none";
  EXPECT_EQ(json["droplet"]["mass"], nullptr);
  EXPECT_NEAR(json["droplet"]["centre"][1].get<double>(), 1.9, 1e-9);

  const Outcome text = folder.run("dropmd clusters w.gro -o c.csv");
  EXPECT_EQ(text.status, 0);
  EXPECT_THAT(text.out, HasSubstr("3 clusters of 4 molecules, linked below 3.5 A\n  droplet  2 molecules, 6 atoms\n"));
  EXPECT_THAT(text.out, HasSubstr("\n  others   2 clusters of 1 molecule\n"));
  EXPECT_EQ(folder.text("c.csv"), "molecule,first_atom,cluster\n1,1,1\n4,4,1\n7,7,2\n10,10,3\n");
  EXPECT_EQ(folder.run("dropmd clusters w.gro -o c.csv").status, 6) << "exists";
}

TEST(ClustersCommand, LinksAsFarAsItIsTold) {
  const AppFolder folder;
  folder.write("w.gro", kWaters);
  EXPECT_EQ(OrderedJson::parse(folder.run("dropmd clusters w.gro --link-distance 4.5 --json").out)["sizes"],
            OrderedJson::parse("[2, 2]"));
  const Outcome zero = folder.run("dropmd clusters w.gro --link-distance 0");
  EXPECT_EQ(zero.status, 2);
  EXPECT_THAT(zero.err, HasSubstr("--link-distance"));
}

/// The run file sets the distance for the command as well as for the run.
TEST(ClustersCommand, LinksAsFarAsTheRun) {
  const AppFolder folder;
  folder.write("far.xyz", "2\nProperties=species:S:1:pos:R:3 units=lj\nAr 0 0 0\nAr 0 0 2\n");
  folder.write("far.toml",
               "units = \"lj\"\n[system]\nstructure = \"far.xyz\"\nmass = 1.0\n[lennard-jones]\nepsilon = 1.0\n"
               "sigma = 1.0\n[droplet]\nlink-distance = 2.5\n");
  const auto sizes = [&](const std::string& options) {
    const OrderedJson json = OrderedJson::parse(folder.run("dropmd clusters far.toml --json " + options).out);
    EXPECT_EQ(json["units"], "lj");
    return json["sizes"].dump();
  };
  EXPECT_EQ(sizes(""), "[2]");
  EXPECT_EQ(sizes("--link-distance 1.9"), "[1,1]");
  const OrderedJson frames =
      OrderedJson::parse(folder.run("dropmd clusters far.toml --trajectory far.xyz --json").out)["frames"];
  EXPECT_EQ(frames[0]["molecules"], 2);
}

TEST(ClustersCommand, DestroysNoInput) {
  const AppFolder folder;
  folder.write("w.gro", kWaters);
  folder.write("w.itp", "[ moleculetype ]\nSOL 2\n");
  folder.write("w.top", "#include \"w.itp\"\n");
  folder.write("w.xyz", "1\n\nAr 0 0 0\n");
  folder.write("w.toml", "[system]\nstructure = \"w.gro\"\ntopology = \"w.top\"\n");
  for (const std::string input : {"w.toml", "w.gro", "w.top", "w.itp", "w.xyz"}) {
    const std::string before = folder.text(input);
    const Outcome outcome = folder.run("dropmd clusters w.toml --trajectory w.xyz --force -o " + input);
    EXPECT_NE(outcome.status, 0) << input;
    EXPECT_EQ(folder.text(input), before) << input;
  }
  const std::string sample = "dropmd clusters inputs/samples/lj-cluster-13.toml --force ";
  const Outcome itself = folder.run(sample + "--trajectory w.xyz -o w.xyz");
  EXPECT_EQ(itself.status, 6);
  EXPECT_THAT(itself.err, HasSubstr("w.xyz is an input"));
  const Outcome structure = folder.run(sample + "--trajectory w.gro");
  EXPECT_EQ(structure.status, 3);
  EXPECT_THAT(structure.err, HasSubstr("frame 1: 10 atoms, but the structure has 13"));
}

TEST(ClustersCommand, KnowsTheMoleculesOfATopology) {
  const AppFolder folder;
  const Outcome outcome = folder.run("dropmd clusters inputs/samples/water-na.toml --json");
  ASSERT_EQ(outcome.status, 0) << outcome.err;
  const OrderedJson json = OrderedJson::parse(outcome.out);
  EXPECT_EQ(json["sizes"], OrderedJson::parse("[1007, 1]")) << "one molecule of the lattice has no link";
  EXPECT_EQ(json["droplet"]["charge"], 8);
  EXPECT_NEAR(json["droplet"]["mass"].get<double>(), 999 * 18.0154 + 8 * 22.99, 0.1);
  EXPECT_EQ(OrderedJson::parse(folder.run("dropmd clusters inputs/samples/water-na.gro --json").out)["sizes"],
            json["sizes"])
      << "by the names alone";
}

/// The rows of frames are those that the run itself wrote, also after molecules have left it.
TEST(ClustersCommand, ReadsTrajectories) {
  const AppFolder folder;
  ASSERT_EQ(
      folder
          .run("dropmd run inputs/samples/hydronium.toml --backend cpu -q --set droplet.every=40 --set "
               "output.trajectory-every=40 --set droplet.remove-beyond=8.0 --set integrator.temperature=1500 --set "
               "integrator.friction=0.02 --set wall.form=none --steps 1200 -o out")
          .status,
      0);
  EXPECT_THAT(folder.text("out/events.csv"), HasSubstr(",removed,"));
  const Outcome outcome =
      folder.run("dropmd clusters inputs/samples/hydronium.toml --trajectory out/trajectory.xyz -o frames.csv --json");
  ASSERT_EQ(outcome.status, 0) << outcome.err;
  const OrderedJson frames = OrderedJson::parse(outcome.out)["frames"];
  ASSERT_EQ(frames.size(), 31U);
  std::istringstream rows(folder.text("out/droplet.csv"));
  std::string line, word;
  std::getline(rows, line);
  std::getline(rows, line);
  for (const OrderedJson& frame : frames) {
    std::getline(rows, line);
    std::istringstream words(line);
    std::vector<double> value;
    while (std::getline(words, word, ',')) value.push_back(std::strtod(word.c_str(), nullptr));
    EXPECT_EQ(frame["n_clusters"].get<double>(), value[2]) << line;
    EXPECT_EQ(frame["molecules"].get<double>(), value[3]) << line;
    EXPECT_NEAR(frame["charge"].get<double>(), value[5], 1e-9) << line;
    EXPECT_NEAR(frame["radius"].get<double>(), value[10], 1e-6) << line;
    EXPECT_NEAR(frame["gyration"][0].get<double>(), value[15], 1e-6) << line;
  }
  EXPECT_THAT(folder.text("frames.csv"), HasSubstr("frame,time,clusters,molecules,atoms,charge,mass,x,y,z,radius,"));
  const Outcome other = folder.run("dropmd clusters inputs/samples/lj-cluster-13.toml --trajectory out/trajectory.xyz");
  EXPECT_EQ(other.status, 3);
  EXPECT_THAT(other.err, HasSubstr("frame 1: "));
}

}  // namespace
}  // namespace dropmd
