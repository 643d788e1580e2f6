#include "engine/jobs/resume.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "core/errors.h"
#include "engine/model/invariance.h"
#include "inputs/run_file/resolved_run.h"
#include "inputs/run_file/run_config.h"
#include "outputs/checkpoint/checkpoint_file.h"
#include "tests/support/short_run.h"
#include "tests/support/system/temp_folder.h"

/// The run that a checkpoint in a folder belongs to.
namespace dropmd {
namespace {

/// A run with cutoffs, a wall, recentring and removal of momenta every 5 steps.
RunConfig walled_run() {
  RunConfig config = lj_run(verlet(0.004), 50);
  config.lennard_jones->treatment = {"force-shift", {{"cutoff", 2.5}}};
  config.coulomb = FormChoice{"smoothed", {{"cutoff", 2.8}}};
  config.fields["wall"] = FormChoice{"harmonic", {{"radius", 4.0}, {"stiffness", 3.0}}};
  config.recenter_every = 5;
  config.recenter = Recenter::mass;
  config.remove_momentum = RemoveMomentum::both;
  return config;
}

/// A checkpoint in a folder, from a run with the physics of `config`.
class ResumeRun : public testing::Test {
 protected:
  void SetUp() override {
    config_ = walled_run();
    config_.structure = folder_.path() / "start.xyz";
    config_.output_directory = "out";
    checkpoint_.run_file = resolved_run_toml(config_, invariance_of(config_));
    write_checkpoint(path(), checkpoint_);
  }

  std::filesystem::path path() const { return folder_.path() / "checkpoint.h5"; }
  const RunConfig& config() const { return config_; }
  std::string refusal_of(const RunConfig& given) const {
    try {
      resume_run(path(), given);
    } catch (const InputError& error) {
      return error.what();
    }
    return {};
  }

 private:
  TempFolder folder_;
  RunConfig config_;
  Checkpoint checkpoint_;
};

TEST_F(ResumeRun, IsTheRunOfTheCheckpointInItsFolder) {
  const ResumedRun run = resume_run(path());
  EXPECT_EQ(run.config.file, path());
  EXPECT_EQ(run.config.output_directory, path().parent_path());
  RunConfig same = run.config;
  same.output_directory = config().output_directory;
  EXPECT_EQ(resolved_run_toml(same, {}), resolved_run_toml(config(), {}));
}

TEST_F(ResumeRun, TakesSettingsFromTheRunFile) {
  RunConfig given = config();
  given.file = "given.toml";
  given.title = "another title";
  given.steps = 99;
  given.neighbor = NeighborMethod::cells;
  given.skin = 0.7;
  given.precision = Precision::fp64;
  given.backend = Backend::cpu;
  given.threads = 3;
  given.energy_every = 1;
  given.trajectory_every = 2;
  given.trajectory_file = "frames.xyz";
  given.checkpoint_every = 3;
  given.final_file = "last.xyz";
  given.output_directory = "elsewhere";
  given.temperature = 7;
  const ResumedRun run = resume_run(path(), given);
  EXPECT_EQ(run.config.file, path());
  EXPECT_EQ(run.config.output_directory, path().parent_path()) << "but not its folder";
  RunConfig same = run.config;
  same.output_directory = given.output_directory;
  EXPECT_EQ(resolved_run_toml(same, {}), resolved_run_toml(given, {}));
}

TEST_F(ResumeRun, SaysWhatOnlyTheCheckpointHas) {
  RunConfig with_droplet = config();
  with_droplet.droplet = DropletSettings{.remove_beyond = 7};
  Checkpoint checkpoint;
  checkpoint.run_file = resolved_run_toml(with_droplet, invariance_of(with_droplet));
  write_checkpoint(path(), checkpoint);
  EXPECT_THAT(refusal_of(config()), testing::HasSubstr(": it lacks [droplet], which the checkpoint has ("));
  RunConfig given = with_droplet;
  EXPECT_EQ(refusal_of(given), "");
  given.droplet->surface_tension = 0.06;
  given.droplet->profile_every = 5000;
  EXPECT_EQ(refusal_of(given), "") << "what is written of the droplet";
  given.droplet->every = 500;
  EXPECT_THAT(refusal_of(given), testing::HasSubstr("'every = 500' where the checkpoint has 'every = 1000'"));
  given.droplet->every = 1000;
  given.droplet->remove_beyond.reset();
  EXPECT_THAT(refusal_of(given),
              testing::HasSubstr(": [droplet] lacks 'remove-beyond = 7', which the checkpoint has ("));
}

TEST_F(ResumeRun, TakesLabelsThatChangeNothing) {
  RunConfig given = config();
  for (const std::int64_t every : {50, 100}) {
    given.droplet = DropletSettings{.link_distance = 1.25, .every = every, .surface_tension = {}, .remove_beyond = {}};
    EXPECT_EQ(refusal_of(given), "");
    EXPECT_EQ(resume_run(path(), given).config.droplet->every, every);
  }
}

TEST_F(ResumeRun, RefusesOtherPhysics) {
  const auto expect_refused = [&](const std::string& section, const std::string& theirs, const std::string& ours,
                                  const auto& change) {
    RunConfig given = config();
    given.file = "given.toml";
    change(given);
    EXPECT_EQ(refusal_of(given), "given.toml: its physics is not that of " + path().string() + ": " + section +
                                     " has '" + theirs + "' where the checkpoint has '" + ours +
                                     "' (a run resumes with the same physics; leave the file out)");
  };
  EXPECT_EQ(refusal_of(config()), "");
  expect_refused("the top", "units = \"real\"", "units = \"lj\"", [](RunConfig& c) { c.units = UnitSystem::real; });
  expect_refused("[lennard-jones]", "epsilon = 1.5", "epsilon = 1",
                 [](RunConfig& c) { c.lennard_jones->epsilon = 1.5; });
  expect_refused("[lennard-jones]", "cutoff = 2.25", "cutoff = 2.5",
                 [](RunConfig& c) { c.lennard_jones->treatment.values["cutoff"] = 2.25; });
  expect_refused("[integrator]", "timestep = 0.002", "timestep = 0.004",
                 [](RunConfig& c) { c.integrator.values["timestep"] = 0.002; });
  expect_refused("[wall]", "radius = 5", "radius = 4", [](RunConfig& c) { c.fields.at("wall").values["radius"] = 5; });
  expect_refused("[run]", "recenter-every = 6", "recenter-every = 5", [](RunConfig& c) { c.recenter_every = 6; });
  expect_refused("[system]", "random-seed = 2", "random-seed = 1", [](RunConfig& c) { c.random_seed = 2; });
  const auto expect_says = [&](const std::string& what, const auto& change) {
    RunConfig given = config();
    change(given);
    EXPECT_THAT(refusal_of(given), testing::HasSubstr(what));
  };
  expect_says(": [integrator] has 'applies-to = \"X\"', which the checkpoint does not have (",
              [](RunConfig& c) { c.applies_to = "X"; });
  expect_says(": it has [droplet], which the checkpoint does not have (",
              [](RunConfig& c) { c.droplet = DropletSettings{.remove_beyond = 7}; });
  for (const auto& change : {+[](RunConfig& c) { c.fields.erase("wall"); }, +[](RunConfig& c) { c.coulomb.reset(); },
                             +[](RunConfig& c) { c.remove_momentum = RemoveMomentum::none; },
                             +[](RunConfig& c) { c.recenter = Recenter::none; }}) {
    RunConfig given = config();
    change(given);
    EXPECT_THAT(refusal_of(given), testing::HasSubstr("its physics is not that of"));
  }
}

TEST_F(ResumeRun, ARunFileInsideThatIsNoneIsNamed) {
  Checkpoint checkpoint;
  checkpoint.run_file = "units = \"lj\"\n[system]\nstructure = \"a.drop\"\nmas = 1\n";
  write_checkpoint(path(), checkpoint);
  try {
    resume_run(path());
    FAIL();
  } catch (const InputError& error) {
    EXPECT_THAT(error.what(), testing::StartsWith(path().string() + ":4:1: unknown key 'mas' in [system]"));
  }
}

}  // namespace
}  // namespace dropmd
