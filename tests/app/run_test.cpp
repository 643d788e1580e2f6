#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <array>
#include <cmath>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "device/device_info.h"
#include "tests/support/system/app_folder.h"

/// `dropmd run`: its files, which setting overrides which, and the run of a bare structure.
namespace dropmd {
namespace {

using testing::HasSubstr;

constexpr const char* kSample = "inputs/samples/droplet-4139.toml";

/// Columns of energy.csv: step, time, potential, vdw, coulomb, wall, kinetic, total, temperature.
using Row = std::array<double, 9>;

std::vector<Row> energy_rows(const std::string& csv) {
  std::vector<std::string> lines = lines_of(csv);
  std::vector<Row> rows;
  for (std::size_t i = 2; i < lines.size(); ++i) {
    std::istringstream in(lines[i]);
    Row row{};
    std::string word;
    for (double& value : row) {
      EXPECT_TRUE(std::getline(in, word, ',')) << lines[i];
      value = std::stod(word);
    }
    EXPECT_FALSE(std::getline(in, word, ',')) << lines[i];
    rows.push_back(row);
  }
  return rows;
}

TEST(Run, EnergyCsv) {
  const AppFolder folder;
  ASSERT_EQ(folder.run(std::string("dropmd run -q --backend cpu --steps 25 -o out ") + kSample).status, 0);
  const std::string csv = folder.text("out/energy.csv");
  const std::vector<std::string> lines = lines_of(csv);
  ASSERT_EQ(lines.size(), 5U) << "energy-every is 10";
  EXPECT_THAT(lines[0], testing::MatchesRegex("# dropmd [0-9.]+, units: real .*"));
  EXPECT_EQ(lines[1], "step,time,potential,vdw,coulomb,wall,kinetic,total,temperature");
  const std::vector<Row> rows = energy_rows(csv);
  for (std::size_t k = 0; k < rows.size(); ++k) {
    const auto [step, time, potential, vdw, coulomb, wall, kinetic, total, temperature] = rows[k];
    EXPECT_EQ(step, 10.0 * static_cast<double>(k));
    EXPECT_EQ(time, step) << "the time step is 1 fs";
    EXPECT_EQ(potential, vdw + coulomb + wall) << "17 digits give the same doubles back";
    EXPECT_EQ(total, potential + kinetic);
    EXPECT_GT(temperature, 0);
  }
  EXPECT_NEAR(rows[0][8], 100, 1e-9) << "velocities are scaled to the temperature";
}

TEST(Run, SameBytesForEveryNumberOfThreads) {
  const AppFolder folder;
  for (const char* threads : {"1", "2", "3"})
    ASSERT_EQ(folder
                  .run(std::string("dropmd run -q --backend cpu --steps 30 --threads ") + threads + " -o out" +
                       threads + ' ' + kSample)
                  .status,
              0);
  for (const char* name : {"energy.csv", "trajectory.xyz", "final.xyz"}) {
    const std::string one = folder.text(std::string("out1/") + name);
    EXPECT_FALSE(one.empty());
    EXPECT_TRUE(one == folder.text(std::string("out2/") + name)) << name;
    EXPECT_TRUE(one == folder.text(std::string("out3/") + name)) << name;
  }
}

TEST(Run, DryRunPrintsARunFileOfTheSameRun) {
  const AppFolder folder;
  const std::string options = " --backend cpu --steps 20 --wall quartic --precision double ";
  const Outcome dry = folder.run("dropmd run --dry-run" + options + kSample);
  ASSERT_EQ(dry.status, 0) << dry.err;
  folder.write("resolved.toml", dry.out);
  EXPECT_FALSE(folder.has("droplet-4139-out")) << "a dry run writes nothing";
  ASSERT_EQ(folder.run("dropmd run -q -o a" + options + kSample).status, 0);
  const Outcome resolved = folder.run("dropmd run -q -o b resolved.toml");
  ASSERT_EQ(resolved.status, 0) << resolved.err;
  for (const char* name : {"energy.csv", "trajectory.xyz", "final.xyz"})
    EXPECT_TRUE(folder.text(std::string("a/") + name) == folder.text(std::string("b/") + name)) << name;
}

/// Host memory that a dry run estimates, in MB.
double estimated_memory(const AppFolder& folder, const std::string& neighbor) {
  const std::string out =
      folder.run("dropmd run --dry-run --backend cpu --steps 1 --neighbor " + neighbor + ' ' + kSample).out;
  const std::string label = "# memory: ";
  const std::size_t at = out.find(label);
  EXPECT_NE(at, std::string::npos) << out;
  EXPECT_THAT(out, HasSubstr(" MB on the host"));
  return at == std::string::npos ? 0 : std::stod(out.substr(at + label.size()));
}

/// Each atom takes 300 bytes plus its lists; sorted cells add some 200 bytes of forces and 100 of orders per atom.
TEST(Run, DryRunCountsTheMemoryOfTheListsOfTheCpu) {
  const AppFolder folder;
  const double atoms = estimated_memory(folder, "cells");
  EXPECT_NEAR(atoms, 1.2, 0.06);
  EXPECT_GT(estimated_memory(folder, "sorted-cells"), atoms + 4139 * 250e-6);
  EXPECT_GT(estimated_memory(folder, "pair-list"), atoms + 4139 * 150e-6);
}

TEST(Run, OptionsOverrideTheRunFile) {
  const AppFolder folder;
  const std::string options =
      " --steps 7 --backend cpu --device 1 --threads 3 --precision double --neighbor all-pairs --wall none -o there ";
  const std::string toml = folder.run("dropmd run --dry-run" + options + kSample).out;
  for (const char* line :
       {"steps = 7\n", "backend = \"cpu\"\n", "device = 1\n", "threads = 3\n", "precision = \"double\"\n",
        "method = \"all-pairs\"\n", "[wall]\nform = \"none\"\n", "directory = \"there\"\n"})
    EXPECT_THAT(toml, HasSubstr(line));
  const std::string quartic = folder.run(std::string("dropmd run --dry-run --wall quartic ") + kSample).out;
  EXPECT_THAT(quartic, HasSubstr("[wall]\nform = \"quartic\"\nradius = 40\nstiffness = 0.01\n"))
      << "the radius stays, the stiffness is the form's";
}

TEST(Run, VerboseShowsTheRunThatIsDone) {
  const AppFolder folder;
  const std::string options = " --steps 1 -o out inputs/samples/lj-cluster-13.toml";
  const std::string resolved = folder.run("dropmd run --dry-run" + options).out;
  const Outcome verbose = folder.run("dropmd run -v" + options);
  EXPECT_THAT(verbose.err, testing::StartsWith(resolved.substr(0, resolved.find("\n# estimate"))));
}

/// Two atoms at rest, far from each other, are sorted after 1,000 steps, and then after four times as many.
TEST(Run, VerboseSaysHowOftenAGpuSortsItsAtoms) {
  const AppFolder folder;
  folder.write("two.drop", "two\n2\n30\n-15 0 0 0\n15 0 0 0\n");
  folder.write("two.toml",
               "units = \"lj\"\n[system]\nstructure = \"two.drop\"\nmass = 1\n[lennard-jones]\nepsilon = 1\nsigma = 1\n"
               "[integrator]\ntimestep = 0.001\n[run]\nsteps = 1500\n[output]\nenergy-every = 500\n");
  const auto log_of = [&](const std::string& options) {
    return folder.run("dropmd run --force -o out two.toml" + options).err;
  };
  EXPECT_THAT(log_of(" -v --backend cpu"), testing::Not(HasSubstr("the atoms are sorted")));
  if (const std::string reason = query_devices().reason; !reason.empty()) GTEST_SKIP() << reason;
  const std::string verbose = log_of(" -v --backend cuda");
  EXPECT_THAT(verbose, HasSubstr("step 0: the atoms are sorted every 1000 steps\n"));
  EXPECT_THAT(verbose, HasSubstr("step 1000: the atoms are sorted every 4000 steps\n"));
  EXPECT_THAT(log_of(" --backend cuda"), testing::Not(HasSubstr("the atoms are sorted")));
}

TEST(Run, FinalStructureContinuesTheRun) {
  const AppFolder folder;
  const auto write = [&](const char* name, const char* structure, const char* output) {
    folder.write(
        name,
        std::string("units = \"lj\"\n[lennard-jones]\nepsilon = 1\nsigma = 1\n[integrator]\ntimestep = 0.001\n"
                    "[run]\nsteps = 10\nrecenter-every = 0\n[output]\nenergy-every = 10\nfinal = \"final.xyz\"\n") +
            "directory = \"" + output + "\"\n[system]\nstructure = \"" + structure + "\"\n");
  };
  write("first.toml", "inputs/samples/lj-cluster-13.xyz", "first");
  write("next.toml", "first/final.xyz", "next");
  ASSERT_EQ(folder.run("dropmd run -q first.toml").status, 0);
  ASSERT_EQ(folder.run("dropmd run -q next.toml").status, 0);
  const Row end = energy_rows(folder.text("first/energy.csv")).back();
  const Row start = energy_rows(folder.text("next/energy.csv")).front();
  // Positions and velocities are the same doubles, and forces depend on positions alone. So the energies agree except
  // for the order of the sums, which differs at the start on a GPU.
  for (const std::size_t column : {2U, 6U, 7U})
    EXPECT_NEAR(end[column], start[column], 1e-14 * std::abs(start[column])) << column;
}

/// Two atoms on the x axis at ±x with charges ±q: the program of 2009, ε = 0.2, r_min = 2.5, x += 0.01 F, with the
/// quartic wall of stiffness 0.01.
struct TwoAtoms {
  double x, q, radius;
  bool wall;

  double pair_energy() const {
    const double r = 2 * x, s6 = std::pow(2.5 / r, 6);
    return 0.2 * (s6 * s6 - 2 * s6) - q * q / r;
  }
  double wall_energy() const {
    const double out = x * x - radius * radius;
    return wall && out > 0 ? 2 * 0.01 / (4 * radius) * out * out : 0;
  }
  void move() {
    const double r = 2 * x, s6 = std::pow(2.5 / r, 6), out = x * x - radius * radius;
    double force = 12 * 0.2 / r * (s6 * s6 - s6) - q * q / (r * r);
    if (wall && out > 0) force -= 0.01 * out * x / radius;
    x += 0.01 * force;
  }
};

void expect_run_of_2009(const AppFolder& folder, TwoAtoms atoms, const std::string& wall_option) {
  ASSERT_EQ(folder.run("dropmd run -q --force --precision double --steps 200 -o out two.drop" + wall_option).status, 0);
  const std::vector<Row> rows = energy_rows(folder.text("out/energy.csv"));
  ASSERT_EQ(rows.size(), 3U) << "every 100 steps";
  for (const Row& row : rows) {
    // Both sides do the same few hundred operations in fp64, but in a different order.
    EXPECT_NEAR(row[2], atoms.pair_energy() + atoms.wall_energy(), 1e-11) << "row k is the state after k moves";
    EXPECT_NEAR(row[5], atoms.wall_energy(), 1e-11);
    for (int k = 0; k < 100; ++k) atoms.move();
  }
  const std::vector<std::string> final = lines_of(folder.text("out/final.drop"));
  ASSERT_EQ(final.size(), 5U);
  EXPECT_EQ(final[1], "2");
}

TEST(Run, BareDropletRunsAsIn2009) {
  const AppFolder folder;
  folder.write("two.drop", "two charges\n2\n1.25\n-1.5 0 0 0.3\n1.5 0 0 -0.3\n");
  expect_run_of_2009(folder, {1.5, 0.3, 1.25, true}, "");
  expect_run_of_2009(folder, {1.5, 0.3, 1.25, false}, " --wall none");
}

TEST(Run, AtomsFarAwayAndAlone) {
  const AppFolder folder;
  folder.write("one.drop", "one\n1\n5\n0 0 0 1\n");
  folder.write("far.drop", "far\n3\n5\n0 0 0 1\n2.5 0 0 -1\n1e6 0 0 0.1\n");
  EXPECT_EQ(folder.run("dropmd run -q --steps 3 one.drop").status, 0);
  EXPECT_EQ(folder.run("dropmd run -q --steps 3 --wall none far.drop").status, 0);
  EXPECT_EQ(lines_of(folder.text("far-out/final.drop")).size(), 6U) << "no atom is lost";
}

}  // namespace
}  // namespace dropmd
