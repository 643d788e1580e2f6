#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <map>
#include <sstream>
#include <string>
#include <vector>

#include "device/device_info.h"
#include "tests/support/system/app_folder.h"

/// Runs that follow the droplet: recentring, baths by phase, profiles.
namespace dropmd {
namespace {

using testing::HasSubstr;

/// A table of numbers; other words are NaN.
struct Table {
  std::map<std::string, std::vector<double>> column;

  explicit Table(const std::string& text) {
    std::istringstream lines(text);
    std::string line;
    std::getline(lines, line);
    std::getline(lines, line);
    std::vector<std::string> names;
    for (std::istringstream words(line); std::getline(words, line, ',');) names.push_back(line);
    while (std::getline(lines, line)) {
      std::istringstream words(line);
      for (const std::string& name : names) {
        std::getline(words, line, ',');
        char* end = nullptr;
        const double value = std::strtod(line.c_str(), &end);
        column[name].push_back(end == line.c_str() ? std::nan("") : value);
      }
    }
  }
  const std::vector<double>& operator[](const std::string& name) const { return column.at(name); }
};

/// A cluster that boils in the open.
const std::string kBoilingInTheOpen =
    "dropmd run inputs/samples/lj-cluster-13-langevin.toml -q --set droplet.every=10 --set wall.form=none "
    "--set integrator.temperature=0.7 --set run.recenter-every=10 ";
const std::string kOnCpu = "--backend cpu ";

/// Returns at how many steps the droplet's centre is at the origin although there is vapour.
std::size_t times_centred(const Table& rows) {
  constexpr double kRounding = 1e-12;
  std::size_t n = 0;
  for (std::size_t k = 0; k < rows["x"].size(); ++k)
    if (rows["vapour_molecules"][k] > 0 && std::hypot(rows["x"][k], rows["y"][k], rows["z"][k]) < kRounding) ++n;
  return n;
}

/// The members of the last labels are at the origin: those of the present ones, unless a molecule comes or goes.
TEST(DropletPhases, TheDropletStaysAtTheOrigin) {
  const AppFolder folder;
  const std::string line = kBoilingInTheOpen + kOnCpu + "--steps 3000 ";
  ASSERT_EQ(folder.run(line + "--set run.recenter=droplet -o droplet").status, 0);
  ASSERT_EQ(folder.run(line + "--set run.recenter=geometric -o all").status, 0);
  EXPECT_GE(times_centred(Table(folder.text("droplet/droplet.csv"))), 10U);
  EXPECT_EQ(times_centred(Table(folder.text("all/droplet.csv"))), 0U);
}

/// `all` and a name that all have are the same; a bath on the vapour of a droplet that has none does nothing.
TEST(DropletPhases, ABathActsOnWhatItsWordSays) {
  const AppFolder folder;
  const std::string line = kBoilingInTheOpen + kOnCpu + "--steps 300 -o ";
  ASSERT_EQ(folder.run(line + "all").status, 0);
  ASSERT_EQ(folder.run(line + "named --set integrator.applies-to=Ar").status, 0);
  ASSERT_EQ(folder.run(line + "vapour --set integrator.applies-to=vapour --set integrator.temperature=0.1").status, 0);
  EXPECT_EQ(folder.text("named/energy.csv"), folder.text("all/energy.csv"));
  const Table ledger(folder.text("vapour/ledger.csv"));
  EXPECT_EQ(ledger["bath"].back(), 0);
  for (const std::string more : {"", " --dry-run"}) {
    const Outcome unknown = folder.run(line + "none --set integrator.applies-to=Xe" + more);
    EXPECT_EQ(unknown.status, 3);
    EXPECT_THAT(unknown.err, HasSubstr("neither a phase nor the name of a molecule (known: all, droplet, vapour, Ar)"));
  }
}

TEST(DropletPhases, KeysThatNeedOthersSaySo) {
  const AppFolder folder;
  const std::string line = "dropmd run inputs/samples/lj-cluster-13-langevin.toml --backend cpu --steps 1 ";
  const auto refused = [&](const std::string& settings, const std::string& message) {
    const Outcome outcome = folder.run(line + settings);
    EXPECT_EQ(outcome.status, 3) << settings;
    EXPECT_THAT(outcome.err, HasSubstr(message));
  };
  refused("--set run.recenter=droplet", "'recenter' in [run] is \"droplet\" without labels of clusters");
  refused("--set integrator.applies-to=vapour", "'applies-to' in [integrator] is \"vapour\" without labels");
  refused("--set droplet.every=20 --set droplet.profile-every=50",
          "'profile-every' in [droplet] is 50 (it must be a multiple of 'every', 20");
  const Outcome no_bath =
      folder.run("dropmd run inputs/samples/lj-cluster-13.toml --backend cpu --steps 1 --set integrator.applies-to=Ar");
  EXPECT_THAT(no_bath.err, HasSubstr("'applies-to' in [integrator] needs a bath, but form is \"fire\""));
}

TEST(DropletPhases, ABathLeavesWithItsWordAndUnitsAreDoubted) {
  const AppFolder folder;
  const std::string line = "dropmd run inputs/samples/evaporation.toml --backend cpu --dry-run ";
  const Outcome other = folder.run(line + "--set integrator.form=velocity-verlet");
  EXPECT_EQ(other.status, 0) << other.err;
  EXPECT_THAT(other.out, testing::Not(HasSubstr("applies-to")));
  EXPECT_THAT(other.out, HasSubstr("link-distance = 3.5\n"));
  EXPECT_THAT(folder.run(line + "--set droplet.surface-tension=60").err,
              HasSubstr("'surface-tension' in [droplet] is 60 N/m, which is more than liquids have"));
}

const std::string kFollowing =
    "--set run.recenter=droplet --set run.remove-momentum=both --set integrator.applies-to=droplet "
    "--set droplet.profile-every=50 ";
const std::vector<std::string> kFiles{"/droplet.csv", "/events.csv",  "/energy.csv",
                                      "/ledger.csv",  "/profile.csv", "/final.xyz"};

TEST(DropletPhases, RunsThatFollowTheDropletResumeToTheSameFiles) {
  const AppFolder folder;
  for (const std::string integrator : {"langevin", "csvr"}) {
    SCOPED_TRACE(integrator);
    std::string line = kBoilingInTheOpen + kOnCpu + kFollowing + "--set droplet.remove-beyond=4 ";
    if (integrator == "csvr")
      line =
          "dropmd run inputs/samples/lj-cluster-13.toml -q --backend cpu --set droplet.every=10 "
          "--set integrator.form=csvr --set integrator.temperature=1.5 --set integrator.relaxation=0.2 "
          "--set run.recenter-every=10 --set output.energy-every=100 " +
          kFollowing + "--set droplet.remove-beyond=4 ";
    const std::string whole = integrator + "-whole";
    ASSERT_EQ(folder.run(line + "--steps 2000 --threads 1 -o " + whole).status, 0);
    for (const int step : {10, 635, 1240}) {
      const std::string cut = integrator + std::to_string(step);
      ASSERT_EQ(folder.run(line + "--threads 2 --steps " + std::to_string(step) + " -o " + cut).status, 0);
      ASSERT_EQ(folder.run("dropmd run --resume " + cut + " --steps 2000 -q").status, 0);
      for (const std::string& file : kFiles) EXPECT_EQ(folder.text(cut + file), folder.text(whole + file)) << file;
    }
    EXPECT_GT(Table(folder.text(whole + "/droplet.csv"))["clusters"].size(), 1U);
  }
}

/// The samples start without warnings and write what they promise.
TEST(DropletPhases, SamplesOfDropletsThatChange) {
  const AppFolder folder;
  for (const std::string name : {"evaporation", "ejection"}) {
    const Outcome outcome = folder.run("dropmd run inputs/samples/" + name + ".toml --backend cpu --steps 2 -q");
    EXPECT_EQ(outcome.status, 0) << outcome.err;
    EXPECT_EQ(outcome.err, "");
    const Table rows(folder.text(name + "-out/droplet.csv"));
    EXPECT_EQ(rows["clusters"].at(0), 1) << name << " begins with one droplet";
    EXPECT_NEAR(rows["radius"].at(0), 15.5, 0.5);
  }
  EXPECT_NEAR(Table(folder.text("ejection-out/droplet.csv"))["rayleigh_share"].at(0), 1.6, 0.1);
  // 972 kg/m3 are 0.0325 molecules/A^3: 158 within 10.5 A; four standard deviations of independent ones.
  const Table profile(folder.text("evaporation-out/profile.csv"));
  double molecules = 0;
  for (std::size_t k = 0; k < 21; ++k) {
    const double r = profile["r"][k];
    molecules += profile["density_SOL"][k] * 4.18879 * (std::pow(r + 0.25, 3) - std::pow(r - 0.25, 3));
  }
  EXPECT_NEAR(molecules / (4.18879 * std::pow(10.5, 3)), 0.0325, 4 * std::sqrt(158) / 4849);
}

/// The members and the samples of a profile come from the checkpoint, wherever the run goes on.
TEST(DropletPhases, RunsGoOnInAnotherFolder) {
  const AppFolder folder;
  const std::string line = kBoilingInTheOpen + kOnCpu + kFollowing + "--set droplet.remove-beyond=4 ";
  ASSERT_EQ(folder.run(line + "--steps 2000 -o whole").status, 0);
  for (const std::string step : {"1000", "1240", "635"}) {
    ASSERT_EQ(folder.run(line + "--steps " + step + " -o cut" + step).status, 0);
    ASSERT_EQ(folder.run("dropmd run --resume cut" + step + " --steps 2000 -q -o other" + step).status, 0);
    EXPECT_EQ(folder.text("other" + step + "/final.xyz"), folder.text("whole/final.xyz")) << step;
    const auto last_of = [&](const std::string& file) { return file.substr(file.size() - 200); };
    EXPECT_EQ(last_of(folder.text("other" + step + "/profile.csv")), last_of(folder.text("whole/profile.csv"))) << step;
  }
}

/// The last atom of a species may leave; the bath then acts on none.
TEST(DropletPhases, ANameThatHasLeftTheRunIsStillKnown) {
  const AppFolder folder;
  folder.write("two.xyz", "4\nunits=lj\nA 0 0 0\nA 1.1 0 0\nA 0 1.1 0\nB 30 0 0\n");
  folder.write("two.toml",
               "units = \"lj\"\n[system]\nstructure = \"two.xyz\"\nmass = 1.0\n[lennard-jones]\nepsilon = 1.0\nsigma = "
               "1.0\n[integrator]\nform = \"langevin\"\ntemperature = 0.1\napplies-to = \"B\"\n[droplet]\nevery = "
               "10\nremove-beyond = 5.0\n");
  ASSERT_EQ(folder.run("dropmd run two.toml --backend cpu -q --steps 25 -o out").status, 0);
  EXPECT_THAT(folder.text("out/events.csv"), HasSubstr(",removed,4,B,"));
  const Outcome resumed = folder.run("dropmd run --resume out --steps 50 -q");
  EXPECT_EQ(resumed.status, 0) << resumed.err;
}

class DropletPhasesOnGpu : public testing::Test {
 protected:
  void SetUp() override {
    if (const std::string reason = query_devices().reason; !reason.empty()) GTEST_SKIP() << reason;
  }
  const AppFolder folder;

  void expect_near(const std::string& file, double bound) {
    const Table a(folder.text("cpu" + file)), b(folder.text("cuda" + file));
    for (const auto& [name, values] : a.column) {
      ASSERT_EQ(b[name].size(), values.size()) << name;
      for (std::size_t k = 0; k < values.size(); ++k) {
        if (std::isnan(values[k])) continue;
        EXPECT_NEAR(b[name][k], values[k], bound) << name << " row " << k;
      }
    }
  }
};

/// In double precision both processors stay together for some hundred steps: rounding of 1e-13 grows by a factor of e
/// in about a time unit, 200 steps.
TEST_F(DropletPhasesOnGpu, FollowTheDropletAsOnACpu) {
  for (const std::string& words :
       {std::string("--set integrator.applies-to=droplet "), std::string("--set integrator.applies-to=vapour "),
        std::string(
            "--set integrator.form=csvr --set integrator.relaxation=0.2 --set integrator.applies-to=droplet ")}) {
    SCOPED_TRACE(words);
    const std::string line =
        "dropmd run inputs/samples/lj-cluster-13.toml -q --precision double --force "
        "--set droplet.every=10 --set integrator.form=langevin --set integrator.temperature=2 "
        "--set run.recenter-every=10 --set run.recenter=droplet --set run.remove-momentum=both "
        "--set droplet.profile-every=100 --set output.energy-every=10 --steps 400 " +
        words;
    ASSERT_EQ(folder.run(line + "--backend cpu -o cpu").status, 0);
    ASSERT_EQ(folder.run(line + "--backend cuda -o cuda").status, 0);
    for (const std::string file : {"/droplet.csv", "/energy.csv", "/ledger.csv", "/profile.csv"})
      expect_near(file, 1e-6);
    EXPECT_EQ(folder.text("cuda/events.csv").size() > 0, true);
  }
}

TEST_F(DropletPhasesOnGpu, ARunEndsWhenTheDropletHasDriedUp) {
  const std::string line =
      "dropmd run inputs/samples/lj-cluster-13-langevin.toml --backend cuda --set droplet.every=50 --set "
      "droplet.remove-beyond=2.0 --set wall.form=none --set integrator.temperature=5 --steps 20000 -o ";
  for (const char* name : {"one", "two"}) {
    const Outcome outcome = folder.run(line + name);
    ASSERT_EQ(outcome.status, 0) << outcome.err;
    EXPECT_THAT(outcome.out + outcome.err, HasSubstr("dried up after step "));
    EXPECT_EQ(folder.text(name + std::string("/final.xyz")).substr(0, 2), "1\n");
  }
  EXPECT_EQ(folder.text("one/energy.csv"), folder.text("two/energy.csv"));
}

/// Water with labels at every tenth step: labels, rows and events follow from the same positions.
TEST_F(DropletPhasesOnGpu, RunsResumeToTheSameFiles) {
  const std::string line =
      "dropmd run inputs/samples/hydronium.toml --backend cuda -q --set droplet.every=20 --set "
      "droplet.remove-beyond=8.0 --set integrator.temperature=1500 --set integrator.friction=0.02 --set "
      "wall.form=none --set run.recenter=droplet --set integrator.applies-to=droplet --set droplet.profile-every=40 ";
  ASSERT_EQ(folder.run(line + "--steps 1200 -o whole").status, 0);
  for (const int step : {20, 611}) {
    const std::string cut = "cut" + std::to_string(step);
    ASSERT_EQ(folder.run(line + "--steps " + std::to_string(step) + " -o " + cut).status, 0);
    ASSERT_EQ(folder.run("dropmd run --resume " + cut + " --steps 1200 -q").status, 0);
    for (const std::string file :
         {"/droplet.csv", "/events.csv", "/energy.csv", "/ledger.csv", "/profile.csv", "/final.gro"})
      EXPECT_EQ(folder.text(cut + file), folder.text("whole" + file)) << file;
  }
}

}  // namespace
}  // namespace dropmd
