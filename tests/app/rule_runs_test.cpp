#include "tests/support/system/run_folder.h"

#include "device/device_info.h"

/// Runs whose method and skin follow from the cost model. No clock takes part, so the same input gives bitwise
/// identical output.
namespace dropmd {
namespace {

using testing::HasSubstr;

/// Atoms at rest, displaced from their lattice sites, which warm up until the initial skin is too short for them.
class RuleRuns : public RunFolderTest {
 protected:
  void write_warming_run(const std::string& backend) const {
    expect_success("dropmd generate droplet -q --atoms 400 --disorder 0.3 -o start.drop --force");
    folder().write("run.toml",
                   "units = \"real\"\n[system]\nstructure = \"start.drop\"\nmass = 20\n[lennard-jones]\nr-min = 2.5\n"
                   "cutoff = 6\nepsilon = 0.2\nat-cutoff = \"shift\"\n[engine]\nbackend = \"" +
                       backend + "\"\n[output]\nenergy-every = 10\ntrajectory-every = 50\nfinal = \"final.xyz\"\n");
  }
  void expect_same_bytes() const {
    make_whole(1050);
    cut(1050);
    expect_same_files();
    cut(1050, " --threads 2");
    for (const char* const name : {"energy.csv", "trajectory.xyz", "final.xyz"})
      EXPECT_TRUE(text(std::string("out/") + name) == text(std::string("whole/") + name)) << name;
    for (const int steps : {99, 100, 101, 1000}) {
      SCOPED_TRACE(steps);
      cut(steps);
      expect_success(std::string(kResume) + "1050");
      expect_same_files();
    }
  }
};

TEST_F(RuleRuns, MakeTheSameBytesStoppedOrNot) {
  write_warming_run("cpu");
  const Outcome outcome = run("dropmd run run.toml --steps 150 -o said");
  EXPECT_THAT(outcome.err, HasSubstr("step 100: pair-list with a skin of ")) << "nothing was changed: not worth a test";
  EXPECT_THAT(outcome.err, HasSubstr(" instead of pair-list with a skin of 0.12 A"));
  EXPECT_FALSE(folder().has("said/choices.csv"));
  expect_same_bytes();
}

TEST_F(RuleRuns, MakeTheSameBytesOnTheGpuStoppedOrNot) {
  if (const std::string reason = query_devices().reason; !reason.empty()) GTEST_SKIP() << reason;
  write_warming_run("cuda");
  expect_same_bytes();
  expect_success("dropmd generate droplet -q --atoms 3000 --disorder 0.3 -o start.drop --force");
  const Outcome outcome = run("dropmd run run.toml --steps 150 -o said");
  EXPECT_THAT(outcome.err, HasSubstr("step 100: pair-list with a skin of ")) << "nothing was changed: not worth a test";
  expect_same_bytes();
}

}  // namespace
}  // namespace dropmd
