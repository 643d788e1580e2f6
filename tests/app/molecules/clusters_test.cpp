#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>
#include <string>

#include "tests/support/system/app_folder.h"

/// dropmd clusters.
namespace dropmd {
namespace {

using testing::HasSubstr;
using Json = nlohmann::ordered_json;

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
  const Json json = Json::parse(outcome.out);
  EXPECT_EQ(json["n_clusters"], 3);
  EXPECT_EQ(json["sizes"], Json::parse("[2, 1, 1]"));
  EXPECT_EQ(json["droplet"]["molecules"], 2);
  EXPECT_EQ(json["droplet"]["atoms"], 6);
  EXPECT_EQ(json["droplet"]["charge"], nullptr) << "a .gro file has none";
  EXPECT_EQ(json["droplet"]["mass"], nullptr);
  EXPECT_NEAR(json["droplet"]["centre"][1].get<double>(), 1.9, 1e-9);

  const Outcome text = folder.run("dropmd clusters w.gro -o c.csv");
  EXPECT_EQ(text.status, 0);
  EXPECT_THAT(text.out, HasSubstr("3 clusters of 4 molecules, linked below 3.5 A\n  droplet  2 molecules, 6 atoms\n"));
  EXPECT_THAT(text.out, HasSubstr("\n  others   2 of 1\n"));
  EXPECT_EQ(folder.text("c.csv"), "molecule,first_atom,cluster\n1,1,1\n4,4,1\n7,7,2\n10,10,3\n");
  EXPECT_EQ(folder.run("dropmd clusters w.gro -o c.csv").status, 6) << "exists";
}

TEST(ClustersCommand, LinksAsFarAsItIsTold) {
  const AppFolder folder;
  folder.write("w.gro", kWaters);
  EXPECT_EQ(Json::parse(folder.run("dropmd clusters w.gro --link-distance 4.5 --json").out)["sizes"],
            Json::parse("[2, 2]"));
  const Outcome zero = folder.run("dropmd clusters w.gro --link-distance 0");
  EXPECT_EQ(zero.status, 2);
  EXPECT_THAT(zero.err, HasSubstr("--link-distance"));
}

TEST(ClustersCommand, KnowsTheMoleculesOfATopology) {
  const AppFolder folder;
  const Outcome outcome = folder.run("dropmd clusters inputs/samples/water-na.toml --json");
  ASSERT_EQ(outcome.status, 0) << outcome.err;
  const Json json = Json::parse(outcome.out);
  EXPECT_EQ(json["sizes"], Json::parse("[1007, 1]")) << "one molecule of the lattice has no link";
  EXPECT_EQ(json["droplet"]["charge"], 8);
  EXPECT_NEAR(json["droplet"]["mass"].get<double>(), 999 * 18.0154 + 8 * 22.99, 0.1);
  EXPECT_EQ(Json::parse(folder.run("dropmd clusters inputs/samples/water-na.gro --json").out)["sizes"], json["sizes"])
      << "by the names alone";
}

}  // namespace
}  // namespace dropmd
