#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

#include "tests/support/system/bench_runs.h"

/// The scripts of bench/, which time other programs for comparison with dropmd.
namespace dropmd {
namespace {

using testing::HasSubstr;
using testing::StartsWith;

/// Runs a script of bench/ in a folder. Where `isolated`, it sees none of the machine's Python packages.
Outcome run_script(const AppFolder& folder, const std::string& line, bool isolated) {
  const std::string python = "python3 -B " + std::string(isolated ? "-I -S " : "");
  return ChildProcess(folder.path(), words_of(python + source_file("bench").string() + "/" + line)).wait();
}

Outcome run_openmm_script(const AppFolder& folder, const std::string& arguments, bool isolated) {
  return run_script(folder, "openmm_step.py " + arguments, isolated);
}

bool has_python(const AppFolder& folder, const std::string& module) {
  return ChildProcess(folder.path(), {"python3", "-c", "import " + module}).wait().status == 0;
}

TEST(OpenMmScript, SaysHowToInstallOpenMm) {
  const AppFolder folder;
  if (!has_python(folder, "sys")) GTEST_SKIP() << "no python3";
  const std::string droplet = "inputs/samples/droplet-4139.drop ";
  const Outcome missing = run_openmm_script(folder, droplet + "--exact", true);
  EXPECT_EQ(missing.status, 2);
  EXPECT_THAT(missing.err, StartsWith("openmm_step: error: OpenMM is not installed (pip install openmm"));
  for (const char* mistake : {"", "--exact --cutoff 12", "--cutoff 0", "--exact --steps 250"})
    EXPECT_EQ(run_openmm_script(folder, droplet + mistake, true).status, 2) << mistake;
  const Outcome no_droplet = run_openmm_script(folder, "inputs/samples/README.md --exact", true);
  EXPECT_EQ(no_droplet.status, 2);
  EXPECT_THAT(no_droplet.err, HasSubstr("README.md: not a droplet file"));
}

/// The run files that the script writes for dropmd have the benchmark's energies; OpenMM 8.6.1 agrees with them to
/// 2e-7.
TEST(OpenMmScript, RunFilesHaveTheBenchmarkPhysics) {
  const AppFolder folder;
  if (!has_python(folder, "sys")) GTEST_SKIP() << "no python3";
  const std::string write_files = "import sys; sys.dont_write_bytecode = True; sys.path.insert(0, '" +
                                  source_file("bench").string() +
                                  "'); from openmm_step import run_file; from pathlib import Path\n"
                                  "drop = Path('inputs/samples/droplet-4139.drop')\n"
                                  "Path('exact.toml').write_text(run_file(drop, None, 'verlet'))\n"
                                  "Path('cut.toml').write_text(run_file(drop, 12.0, 'verlet'))\n";
  const Outcome outcome = ChildProcess(folder.path(), {"python3", "-c", write_files}).wait();
  ASSERT_EQ(outcome.status, 0) << outcome.err;
  const auto potential = [&](const std::string& file) {
    return Json::parse(
               folder.run("dropmd energy " + file + " --backend cpu --precision double --json").out)["potential"]
        .get<double>();
  };
  constexpr double kDigits = 1e-9;  // numbers with 5 digits before the decimal point and 10 after it
  EXPECT_NEAR(potential("exact.toml"), -22700.8936397633, kDigits * 22700);
  EXPECT_NEAR(potential("cut.toml"), -21839.9113856041, kDigits * 21839);
}

TEST(OpenMmScript, ComparesWithOpenMm) {
  const AppFolder folder;
  if (!has_python(folder, "openmm")) GTEST_SKIP() << "no OpenMM";
  write_small_run(folder);
  const std::string line = "small.drop --dropmd " DROPMD_BINARY " --platform Reference --steps 10 --json ";
  for (const std::string physics : {"--exact", "--cutoff 6"}) {
    const Outcome outcome = run_openmm_script(folder, line + physics, false);
    ASSERT_EQ(outcome.status, 0) << outcome.err;
    const Json report = Json::parse(outcome.out);
    EXPECT_LT(report["relative_energy_difference"].get<double>(), 1e-6) << "OpenMM's constants differ by 2e-7";
    EXPECT_EQ(report["openmm"]["platform"], "Reference");
    EXPECT_EQ(report["n_atoms"], 64);
    const double theirs = report["openmm"]["us_per_step"], ours = report["dropmd"]["rows"][0]["us_per_step"];
    EXPECT_GT(theirs, 0);
    EXPECT_GE(report["openmm_over_dropmd"].get<double>(), theirs / ours * (1 - 1e-12));
  }
}

TEST(LammpsScript, SaysHowToInstallLammps) {
  const AppFolder folder;
  if (!has_python(folder, "sys")) GTEST_SKIP() << "no python3";
  write_small_run(folder);
  const auto run = [&](const std::string& arguments) {
    return run_script(folder, "lammps_step.py " + arguments, true);
  };
  const Outcome missing = run("small.drop --dropmd " DROPMD_BINARY " --cutoff 6 --steps 10 --rounds 1 --mpirun ./none");
  EXPECT_EQ(missing.status, 2);
  EXPECT_THAT(missing.err, StartsWith("lammps_step: error: ./none: No such file or directory; LAMMPS is not installed "
                                      "(Debian and Ubuntu: apt-get install lammps)"));
  for (const char* mistake : {"", "small.drop --cutoff 0", "small.drop --steps 250", "small.drop --dropmd ./none"})
    EXPECT_EQ(run(mistake).status, 2) << mistake;
}

TEST(LammpsScript, ComparesWithLammps) {
  const AppFolder folder;
  if (!has_python(folder, "sys")) GTEST_SKIP() << "no python3";
  if (ChildProcess(folder.path(), {"sh", "-c", "command -v lmp && command -v mpirun"}).wait().status != 0)
    GTEST_SKIP() << "no LAMMPS";
  write_small_run(folder);
  const Outcome outcome = run_script(
      folder, "lammps_step.py small.drop --dropmd " DROPMD_BINARY " --cutoff 6 --ranks 1 --steps 10 --rounds 2 --json",
      true);
  ASSERT_EQ(outcome.status, 0) << outcome.err;
  const Json report = Json::parse(outcome.out);
  EXPECT_LT(report["relative_energy_difference"].get<double>(), 1e-7) << "LAMMPS's constant differs by 1e-8";
  EXPECT_EQ(report["n_atoms"], 64);
  const double theirs = report["lammps"]["us_per_step"], ours = report["dropmd"]["us_per_step"];
  EXPECT_GT(ours, 0);
  EXPECT_DOUBLE_EQ(report["lammps_over_dropmd"].get<double>(), theirs / ours);
}

}  // namespace
}  // namespace dropmd
