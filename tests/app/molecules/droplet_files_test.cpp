#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

#include "tests/support/system/app_folder.h"

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
                              "vapour_molecules,vapour_temperature,rayleigh_share\n0,0,1,13,13,0,13,"));
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
  refused("droplet.surface-tension=0.07", "'surface-tension' in [droplet] is in N/m, and units are lj");
  refused("droplet.link-distanse=3", "unknown key 'link-distanse' in [droplet] (did you mean 'link-distance'?)");
}

}  // namespace
}  // namespace dropmd
