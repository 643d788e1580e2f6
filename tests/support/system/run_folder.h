#pragma once

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <map>
#include <string>

#include "tests/support/system/app_folder.h"

/// Runs of the program whose files are compared with those of an uninterrupted run.
namespace dropmd {

inline constexpr const char* kLangevin = "form = \"langevin\"\ntemperature = 150\nfriction = 0.002\ntimestep = 2\n";

/// The settings of the run file that a test may change.
struct Settings {
  std::string integrator = kLangevin;
  std::string neighbor = "method = \"pair-list\"\nskin = 0.5\n";
  int energy_every = 5, trajectory_every = 20, checkpoint_every = 10'000;
  double checkpoint_minutes = 10;
  std::string epsilon = "0.2";
  std::string map{};  ///< the section
};

/// Names and bytes of all files of a folder, without the test's own files.
using FolderBytes = std::map<std::string, std::string>;

/// A folder with a droplet of 150 atoms with cutoffs, warm enough to make lists stale; outputs go to out/.
class RunFolderTest : public testing::Test {
 protected:
  void SetUp() override {
    ASSERT_EQ(run("dropmd generate droplet -q --atoms 150 --disorder 0.05 -o start.drop").status, 0);
    write_run_file("run.toml", {});
  }

  const AppFolder& folder() const { return folder_; }
  Outcome run(const std::string& line) const { return folder_.run(line); }
  std::string text(std::string_view name) const { return folder_.text(name); }

  void write_run_file(const std::string& name, const Settings& settings) const {
    folder_.write(name,
                  "units = \"real\"\n[system]\nstructure = \"start.drop\"\nmass = 20\ntemperature = 150\n"
                  "[lennard-jones]\nr-min = 2.5\ncutoff = 6\nepsilon = " +
                      settings.epsilon + "\n[wall]\n[engine]\nbackend = \"cpu\"\n[neighbor]\n" + settings.neighbor +
                      "[integrator]\n" + settings.integrator +
                      "[run]\nrecenter = \"geometric\"\nrecenter-every = 20\nremove-momentum = "
                      "\"linear\"\n[output]\nenergy-every = " +
                      std::to_string(settings.energy_every) +
                      "\ntrajectory-every = " + std::to_string(settings.trajectory_every) +
                      "\ncheckpoint-every = " + std::to_string(settings.checkpoint_every) + "\ncheckpoint-minutes = " +
                      std::to_string(settings.checkpoint_minutes) + "\nfinal = \"final.xyz\"\n" + settings.map);
  }

  /// A minimiser that is stopped has not converged, and says so.
  void expect_success(const std::string& line) const {
    const Outcome outcome = run(line);
    const bool cut_short = outcome.status == 1 && outcome.err.starts_with("dropmd: error: not converged after step ");
    EXPECT_TRUE(outcome.status == 0 || cut_short) << line << '\n' << outcome.status << '\n' << outcome.err;
  }

  /// Makes the uninterrupted run, whose files go to whole/.
  void make_whole(int steps, const std::string& options = "") const {
    cut(steps, options);
    std::filesystem::remove_all(folder_.path() / "whole");
    std::filesystem::rename(folder_.path() / "out", folder_.path() / "whole");
  }
  void cut(int steps, const std::string& options = "") const {
    std::filesystem::remove_all(folder_.path() / "out");
    expect_success("dropmd run -q run.toml --steps " + std::to_string(steps) + options);
  }

  FolderBytes bytes_of(const std::string& name) const {
    FolderBytes bytes;
    for (const auto& entry : std::filesystem::directory_iterator(folder_.path() / name))
      bytes.emplace(entry.path().filename().string(), read_text(entry.path()));
    return bytes;
  }

  /// Compares out/ with whole/, except for checkpoint-previous.h5, which may be of another step, and the files that
  /// have wall times.
  void expect_same_files() const {
    const FolderBytes whole = bytes_of("whole"), out = bytes_of("out");
    for (const char* const name : {"energy.csv", "final.xyz", "checkpoint.h5"})
      EXPECT_TRUE(whole.contains(name)) << name;
    for (const auto& [name, bytes] : whole) {
      if (name == "checkpoint-previous.h5" || name == "status.json" || name == "timings.csv") continue;
      ASSERT_TRUE(out.contains(name)) << name;
      EXPECT_FALSE(bytes.empty());
      EXPECT_TRUE(out.at(name) == bytes) << name;
    }
  }

  void expect_refused(const std::string& line, int status, const std::string& message) const {
    const FolderBytes before = bytes_of("out");
    const Outcome outcome = run(line);
    EXPECT_EQ(outcome.status, status) << line << '\n' << outcome.err;
    EXPECT_THAT(outcome.err, testing::AllOf(testing::StartsWith("dropmd: error: "), testing::HasSubstr(message)))
        << line;
    EXPECT_TRUE(bytes_of("out") == before) << line << ": a file was touched";
  }

 private:
  AppFolder folder_;
};

inline constexpr const char* kResume = "dropmd run -q --resume out/checkpoint.h5 --steps ";

}  // namespace dropmd
