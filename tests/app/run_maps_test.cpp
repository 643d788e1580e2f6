#include <cmath>
#include <random>

#include "core/units.h"
#include "device/device_info.h"
#include "inputs/structures/extended_xyz.h"
#include "inputs/structures/structure.h"
#include "outputs/checkpoint/checkpoint_file.h"
#include "tests/support/maps/brute_force_map.h"
#include "tests/support/maps/opendx_map.h"
#include "tests/support/system/run_folder.h"

/// Potential maps during a run: their values, and that stopped runs resume to the same files.
namespace dropmd {
namespace {

namespace fs = std::filesystem;
using testing::AllOf;
using testing::HasSubstr;
using testing::Not;

constexpr const char* kMap = "[map]\nevery = 10\nspacing = 2.5\npadding = 3\ncutoff = 8\n";

class RunMaps : public RunFolderTest {
 protected:
  void write_map(const std::string& map, int trajectory_every = 20, int checkpoint_every = 10'000) const {
    write_run_file("run.toml",
                   {.trajectory_every = trajectory_every, .checkpoint_every = checkpoint_every, .map = map});
  }
  PotentialMap map_of(const std::string& name) const { return opendx_map(text("out/" + name)); }

  /// The frames of the trajectory in out/.
  std::vector<Structure> frames() const {
    std::vector<Structure> all;
    const std::vector<std::string> lines = lines_of(text("out/trajectory.xyz"));
    constexpr std::size_t kLines = 152;
    EXPECT_EQ(lines.size() % kLines, 0U);
    for (std::size_t begin = 0; begin + kLines <= lines.size(); begin += kLines) {
      std::string frame;
      for (std::size_t k = begin; k < begin + kLines; ++k) frame += lines[k] + '\n';
      all.push_back(read_extended_xyz(folder().write("frame.xyz", frame)));
    }
    return all;
  }

  /// Expects the mean over frames of the brute-force map of each, at every point.
  static void expect_mean_of(const std::vector<Structure>& frames, const MapModel& model, const PotentialMap& map,
                             long double bound) {
    const MapGrid& grid = map.grid;
    const auto n = static_cast<long double>(frames.size());
    for (std::int32_t k = 0; k < grid.points.z; ++k)
      for (std::int32_t j = 0; j < grid.points.y; ++j)
        for (std::int32_t i = 0; i < grid.points.x; ++i) {
          long double mean = 0, scale = 0, edge = 0;
          for (const Structure& frame : frames) {
            const BruteForcePoint point = brute_force_point(model, {frame.position, frame.charge}, grid.at(i, j, k));
            mean += point.potential / n, scale += point.scale / n, edge += point.edge / n;
          }
          const double value = map.potential[grid.number(i, j, k)];
          ASSERT_NEAR(value, static_cast<double>(mean), static_cast<double>(bound * scale + edge))
              << i << ' ' << j << ' ' << k;
        }
  }
};

/// The parameter: the backend.
class RunMapsOn : public RunMaps, public testing::WithParamInterface<std::string> {
 protected:
  void SetUp() override {
    if (GetParam() == "cuda")
      if (const std::string reason = query_devices().reason; !reason.empty()) GTEST_SKIP() << reason;
    RunMaps::SetUp();
  }
  static std::string options() { return " --backend " + GetParam(); }
};
INSTANTIATE_TEST_SUITE_P(Processors, RunMapsOn, testing::Values("cpu", "cuda"),
                         [](const auto& test) { return test.param; });

/// The bounds for single maps are those of tests/maps/map_sum_test.cpp. Their mean takes five sums and a quotient,
/// which add 6 ulp.
TEST_P(RunMapsOn, TheAverageIsTheMeanOfTheMapsOfTheFrames) {
  struct Case {
    std::string keys;
    FormChoice form;
  };
  const Case cases[] = {
      {"cutoff = 8\n", {"shift", {{"cutoff", 8.0}}}},
      {"form = \"reaction-field\"\ncutoff = 7\n", {"reaction-field", {{"cutoff", 7.0}, {"dielectric", 1.0}}}},
      {"method = \"direct\"\n", {"exact"}}};
  for (const Case& one : cases)
    for (const std::string precision : {"mixed", "double"}) {
      SCOPED_TRACE(one.form.form + ' ' + precision);
      write_map("[map]\nevery = 7\nspacing = 2.5\npadding = 3\n" + one.keys, 7);
      cut(30, options() + " --precision " + precision);
      const std::vector<Structure> all = frames();
      ASSERT_EQ(all.size(), 5U) << "steps 0, 7, ... 28";
      MapModel model;
      model.coulomb = one.form;
      model.coulomb_constant = kRealUnits.coulomb;
      const long double bound = precision == "mixed" ? 1e-6L : 1e-13L + 6 * 1.2e-16L;
      const PotentialMap average = map_of("potential-average.dx"), last = map_of("potential.dx");
      expect_mean_of(all, model, average, bound);
      expect_mean_of({all.back()}, model, last, bound);
      EXPECT_EQ(average.grid, last.grid);
      EXPECT_THAT(average.title, HasSubstr("mean of 5 maps"));
      EXPECT_THAT(last.title, HasSubstr("step 28"));
      if (HasFailure()) return;
    }
}

/// The run is stopped between map steps, at one, at the start and at random, and at a series of steps in one run.
TEST_P(RunMapsOn, ARunThatWasCutHasTheSameFiles) {
  write_map(kMap);
  make_whole(60, options());
  ASSERT_TRUE(folder().has("whole/potential.dx"));
  ASSERT_TRUE(folder().has("whole/potential-average.dx"));
  std::random_device seed;
  std::vector<int> stops{0, 1, 9, 10, 11, 33, 60};
  for (int k = 0; k < 4; ++k) stops.push_back(std::uniform_int_distribution<int>(2, 59)(seed));
  for (const int stop : stops) {
    SCOPED_TRACE(stop);
    cut(stop, options());
    expect_success(std::string(kResume) + "60");
    expect_same_files();
    if (HasFailure()) return;
  }
  cut(5, options());
  for (const char* const steps : {"5", "10", "20", "21", "40", "59", "60"})
    expect_success(kResume + std::string(steps));
  expect_same_files();
}

/// The mesh is a function of the grid and of the charges, so nothing of it is in a checkpoint.
TEST_P(RunMapsOn, ARunWithMapsByAMeshThatWasCutHasTheSameFiles) {
  write_map("[map]\nevery = 10\nspacing = 0.6\npadding = 3\nmethod = \"mesh\"\naccuracy = 1e-3\n");
  make_whole(30, options());
  EXPECT_THAT(opendx_map(text("whole/potential.dx")).title,
              testing::AnyOf(HasSubstr("particle mesh of accuracy 0.001"), HasSubstr("direct summation")))
      << "whichever is cheaper";
  for (const int stop : {0, 13, 20}) {
    SCOPED_TRACE(stop);
    cut(stop, options());
    expect_success(std::string(kResume) + "30");
    expect_same_files();
    if (HasFailure()) return;
  }
}

/// As after a kill, the files belong to steps that the checkpoint does not know.
TEST_P(RunMapsOn, FilesBehindTheCheckpointAreReplaced) {
  write_map(kMap, 20, 40);
  make_whole(100, options());
  for (const int stop : {55, 79, 95}) {
    SCOPED_TRACE(stop);
    cut(stop, options());
    const fs::path out = folder().path() / "out";
    const std::int64_t before = stop < 80 ? 40 : 80;
    ASSERT_EQ(read_checkpoint(out / "checkpoint-previous.h5").state.step, before);
    fs::copy_file(out / "checkpoint-previous.h5", out / "checkpoint.h5", fs::copy_options::overwrite_existing);
    folder().write("out/.potential.dx.123-0.tmp", "half a map");
    folder().write("out/.potential-average.dx.123-0.tmp", "half a map");
    expect_success(std::string(kResume) + "100");
    expect_same_files();
    EXPECT_EQ(bytes_of("out").size(), bytes_of("whole").size()) << "what killed writes left is gone";
    if (HasFailure()) return;
  }
}

TEST_F(RunMaps, EveryFormatResumesToTheSameFiles) {
  for (const std::string name : {"a.cube", "b.mrc", "c.vti"})
    for (const std::string average : {"true", "false"}) {
      SCOPED_TRACE(name + average);
      write_map(kMap + ("average = " + average + "\nfile = \"" + name + "\"\nunit = \"V\"\n"));
      make_whole(40);
      EXPECT_EQ(folder().has("whole/" + name.substr(0, 1) + "-average" + name.substr(1)), average == "true");
      cut(23);
      expect_success(std::string(kResume) + "40");
      expect_same_files();
    }
}

TEST_F(RunMaps, TheSameBytesForEveryNumberOfThreads) {
  write_map(kMap);
  make_whole(20, " --threads 1");
  cut(20, " --threads 3");
  for (const char* const name : {"potential.dx", "potential-average.dx"})
    EXPECT_TRUE(text(std::string("out/") + name) == text(std::string("whole/") + name)) << name;
}

/// The other files of the run are those of a run without maps.
TEST_F(RunMaps, TheyChangeNothing) {
  make_whole(40);
  write_map(kMap);
  cut(40);
  for (const char* const name : {"energy.csv", "trajectory.xyz", "final.xyz"})
    EXPECT_TRUE(text(std::string("out/") + name) == text(std::string("whole/") + name)) << name;
}

TEST_F(RunMaps, TheGridIsThatOfTheFirstMap) {
  write_run_file("run.toml", {.integrator = "form = \"descent\"\nfactor = 0.01\n", .map = kMap});
  cut(0);
  const MapGrid first = map_of("potential.dx").grid;
  cut(40);
  EXPECT_EQ(map_of("potential.dx").grid, first);
  EXPECT_EQ(read_checkpoint(folder().path() / "out/checkpoint.h5").map->grid, first);
  write_map("[map]\nevery = 10\nspacing = 2\norigin = [-3, 1, 0.5]\npoints = [2, 3, 4]\n");
  cut(10);
  EXPECT_EQ(map_of("potential-average.dx").grid, (MapGrid{{-3, 1, 0.5}, {2, 2, 2}, {2, 3, 4}}));
}

TEST_F(RunMaps, NoneAreMadeWhereTheIntervalIsZero) {
  write_map("[map]\nevery = 0\n");
  cut(20);
  EXPECT_FALSE(folder().has("out/potential.dx"));
  EXPECT_FALSE(folder().has("out/potential-average.dx"));
  EXPECT_FALSE(read_checkpoint(folder().path() / "out/checkpoint.h5").map);
}

TEST_F(RunMaps, TheirTimeIsARowOfItsOwn) {
  write_map(kMap);
  const Outcome outcome = run("dropmd run run.toml --steps 20");
  EXPECT_EQ(outcome.status, 0);
  EXPECT_THAT(outcome.err, HasSubstr("\nmap  "));
  EXPECT_THAT(outcome.out,
              AllOf(HasSubstr("  wrote out/potential.dx\n"), HasSubstr("  wrote out/potential-average.dx\n")));
}

TEST_F(RunMaps, WithoutChargesTheyAreZero) {
  expect_success("dropmd generate droplet -q --force --atoms 150 --disorder 0.05 --charges none -o start.drop");
  write_map(kMap);
  const Outcome outcome = run("dropmd run run.toml --steps 20");
  EXPECT_EQ(outcome.status, 0) << outcome.err;
  const std::string warning = "step 0: no atom has a charge: the potential of the maps is zero everywhere\n";
  ASSERT_THAT(outcome.err, HasSubstr(warning));
  EXPECT_EQ(outcome.err.find(warning), outcome.err.rfind(warning)) << "once";
  for (const char* const name : {"potential.dx", "potential-average.dx"})
    for (const double value : map_of(name).potential) ASSERT_EQ(value, 0);
}

TEST_F(RunMaps, ExistingFilesAreKeptWithoutForce) {
  write_map(kMap);
  for (const std::string name : {"potential.dx", "potential-average.dx"}) {
    fs::remove_all(folder().path() / "out");
    fs::create_directory(folder().path() / "out");
    folder().write("out/" + name, "precious");
    expect_refused("dropmd run -q run.toml --steps 10", 6, "out/" + name + " exists (use --force");
    expect_success("dropmd run -q run.toml --steps 10 --force");
    EXPECT_THAT(text("out/" + name), testing::StartsWith("# electrostatic potential"));
  }
}

TEST_F(RunMaps, WhatCannotBeIsSaidBeforeAnythingIsWritten) {
  const auto expect_error = [&](const std::string& map, int status, const std::string& message) {
    write_map(map);
    for (const char* const line : {"dropmd run -q run.toml", "dropmd run --dry-run run.toml"}) {
      const Outcome outcome = run(line);
      EXPECT_EQ(outcome.status, status) << outcome.err;
      EXPECT_THAT(outcome.err, AllOf(HasSubstr("dropmd: error: "), HasSubstr(message)));
      EXPECT_FALSE(folder().has("out"));
    }
  };
  expect_error("[map]\nfile = \"potential.txt\"\n", 3,
               "'file' in [map] is 'potential.txt' (choose a name that ends with .dx, .cube, .mrc");
  expect_error("[map]\nspacing = 1e-5\n", 3, "run.toml: [map]: a map of ");
  expect_error("[map]\norigin = [0, 0, 0]\npoints = [2000000000, 2000000000, 1]\n", 3,
               "run.toml: [map]: a map of 2e+09 x 2e+09 x 1 points is too large");
  expect_error("[map]\nspcing = 1\n", 3, ":1: unknown key 'spcing' in [map] (did you mean 'spacing'?)");
}

TEST_F(RunMaps, ADryRunSaysWhatTheyCost) {
  write_map("[map]\nevery = 10\nspacing = 0.25\norigin = [0, 0, 0]\npoints = [100, 100, 50]\n");
  const Outcome outcome = run("dropmd run --dry-run run.toml --steps 100");
  EXPECT_EQ(outcome.status, 0) << outcome.err;
  EXPECT_THAT(outcome.out, AllOf(HasSubstr("\n[map]\nevery = 10\nspacing = 0.25\norigin = [0, 0, 0]\npoints = [100, "
                                           "100, 50]\nmethod = \"cutoff\"\nform = \"shift\"\ncutoff = 12\n"),
                                 HasSubstr("\n# maps:   11 of 100 x 100 x 50 points, ")));
  // On disk, half a million points take 20 bytes each of text in two files and 8 bytes each in three checkpoints, plus
  // some frames; in memory, 48 bytes each.
  const std::size_t disk = outcome.out.find("# disk:   "), memory = outcome.out.find("# memory: ");
  ASSERT_NE(disk, std::string::npos);
  EXPECT_NEAR(std::stod(outcome.out.substr(disk + 10)), 32.3, 0.3);
  EXPECT_NEAR(std::stod(outcome.out.substr(memory + 10)), 24.1, 0.1);
}

/// Other settings of the same maps are accepted, and maps may be switched off and on, but one average cannot mix
/// different maps.
TEST_F(RunMaps, ARunFileGivesOtherSettings) {
  write_map(kMap);
  cut(30);
  fs::copy(folder().path() / "out", folder().path() / "kept");
  const std::string line = "dropmd run -q other.toml --resume out/checkpoint.h5 --steps 60";
  const auto write_other = [&](const std::string& map) {
    fs::remove_all(folder().path() / "out");
    fs::copy(folder().path() / "kept", folder().path() / "out");
    write_run_file("other.toml", {.map = map});
  };
  write_other("[map]\nevery = 10\nspacing = 2\npadding = 3\ncutoff = 8\n");
  expect_refused(line, 3, "[map] has 'spacing = 2' where the checkpoint has 'spacing = 2.5'");
  write_other(std::string(kMap) + "file = \"start.dx\"\n");
  folder().write("out/start.dx", "precious");
  expect_refused(line, 6, "out/start.dx exists (use --force");
  fs::remove(folder().path() / "out/start.dx");
  expect_success(line);
  EXPECT_THAT(map_of("start-average.dx").title, HasSubstr("mean of 7 maps"));
  EXPECT_THAT(map_of("potential-average.dx").title, HasSubstr("mean of 4 maps")) << "of the run before";
  write_other("[map]\nevery = 15\nspacing = 2.5\npadding = 3\ncutoff = 8\naverage = false\n");
  expect_success(line);
  EXPECT_THAT(map_of("potential.dx").title, HasSubstr("step 60"));
  EXPECT_EQ(read_checkpoint(folder().path() / "out/checkpoint.h5").map->frames, 0U);
  write_other("");
  expect_success(line);
  EXPECT_THAT(map_of("potential.dx").title, HasSubstr("step 30"));
  EXPECT_EQ(read_checkpoint(folder().path() / "out/checkpoint.h5").map->frames, 4U) << "kept for later";
  write_map(kMap);
  fs::remove(folder().path() / "out/potential.dx");
  fs::remove(folder().path() / "out/potential-average.dx");
  expect_success("dropmd run -q run.toml --resume out/checkpoint.h5 --steps 75");
  EXPECT_THAT(map_of("potential-average.dx").title, HasSubstr("mean of 5 maps")) << "and that of step 70";
}

TEST_F(RunMaps, AnotherFolderResumesWithTheAverage) {
  write_map(kMap);
  make_whole(60);
  cut(30);
  expect_success("dropmd run -q --resume out/checkpoint.h5 --steps 60 -o new");
  for (const std::string name : {"potential.dx", "potential-average.dx"})
    EXPECT_TRUE(text("new/" + name) == text("whole/" + name)) << name;
  EXPECT_THAT(map_of("potential.dx").title, HasSubstr("step 30"));
}

/// The checkpoint has one grid in its run file and another in its sum.
TEST_F(RunMaps, AGridThatIsNotThatOfTheRunIsRefused) {
  write_map(kMap);
  cut(30);
  const fs::path path = folder().path() / "out/checkpoint.h5";
  Checkpoint checkpoint = read_checkpoint(path);
  checkpoint.map->grid.spacing.y *= 2;
  write_checkpoint(path, checkpoint);
  expect_refused(std::string(kResume) + "60", 3, "out/checkpoint.h5: /map has a different grid than the run's [map]");
}

}  // namespace
}  // namespace dropmd
