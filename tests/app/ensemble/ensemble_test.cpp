#include <chrono>
#include <thread>

#include "tests/support/system/ensemble_folder.h"
#include "tests/support/system/same_outputs.h"

/// dropmd ensemble as users run it.
namespace dropmd {
namespace {

using testing::AllOf;
using testing::HasSubstr;
using testing::Not;

using EnsembleRuns = EnsembleFolderTest;

TEST_F(EnsembleRuns, EachRunIsTheOneOfItsOwnRunFile) {
  const Outcome outcome =
      ensemble("run.toml --vary integrator.temperature=100,200 --replicas 2 --seed 5 --steps 60 -o all --at-once 2");
  ASSERT_EQ(outcome.status, 0) << outcome.err;
  EXPECT_THAT(outcome.out, HasSubstr("4 runs: 4 finished in"));
  const EnsembleTable found = table("all");
  ASSERT_EQ(found.replicas.size(), 4U);
  for (std::size_t k = 0; k < 4; ++k) {
    const Replica& replica = found.replicas[k];
    EXPECT_EQ(replica.seed, 5 + k);
    EXPECT_EQ(replica.values, (std::vector<std::string>{k < 2 ? "100" : "200"}));
    EXPECT_EQ(replica.result.state, ReplicaState::finished);
    EXPECT_EQ(replica.result.steps, 60);
    EXPECT_EQ(replica.result.time, 120) << "steps of 2 fs";
    const std::string name = "all/000" + std::to_string(k + 1);
    ASSERT_EQ(run("dropmd run -q " + name + "/run.toml -o again" + std::to_string(k)).status, 0);
    expect_same_outputs(folder(), name, "again" + std::to_string(k));
  }
  EXPECT_NE(text("all/0001/energy.csv"), text("all/0002/energy.csv")) << "other seeds";
  EXPECT_NE(text("all/0001/energy.csv"), text("all/0003/energy.csv")) << "other seeds and temperatures";
  EXPECT_THAT(text("all/0003/log.txt"),
              AllOf(HasSubstr("150 atoms, CPU, 1 thread"), HasSubstr("finished after step 60 in "),
                    HasSubstr("  wrote "), Not(HasSubstr("error"))));
}

TEST_F(EnsembleRuns, MeansAreThoseOfTheTablesOfARun) {
  ASSERT_EQ(ensemble("run.toml --replicas 1 --steps 100 --means-from 50 -o all").status, 0);
  const std::vector<NamedMean> means = table("all").replicas[0].result.means;
  std::istringstream rows(text("all/0001/energy.csv"));
  std::string line;
  std::getline(rows, line);
  std::getline(rows, line);
  double sum = 0;
  int n = 0;
  while (std::getline(rows, line)) {  // step,time,potential,...
    if (std::stoi(line) < 50) continue;
    sum += std::stod(line.substr(line.find(',', line.find(',') + 1) + 1));
    ++n;
  }
  EXPECT_EQ(n, 11);
  ASSERT_FALSE(means.empty());
  EXPECT_EQ(means.front().name, "potential");
  EXPECT_NEAR(means.front().value.mean, sum / n, 1e-12 * std::abs(sum / n));
}

TEST_F(EnsembleRuns, ARunThatBreaksEndsAlone) {
  const Outcome outcome = ensemble("run.toml --vary integrator.timestep=1,2000,2 --steps 50 -o all --json");
  EXPECT_EQ(outcome.status, 5);
  EXPECT_THAT(outcome.err,
              AllOf(HasSubstr("warning: run 2: failed after step"), HasSubstr("error: 1 run of 3 did not")));
  EXPECT_THAT(outcome.out, AllOf(HasSubstr("\"end\": \"failed\""), HasSubstr("\"end\": \"finished\"")));
  const EnsembleTable found = table("all");
  EXPECT_EQ(found.replicas[0].result.state, ReplicaState::finished);
  EXPECT_EQ(found.replicas[1].result.state, ReplicaState::failed);
  EXPECT_THAT(found.replicas[1].result.message, HasSubstr("step"));
  EXPECT_THAT(text("all/0002/log.txt"), HasSubstr("dropmd: error: " + found.replicas[1].result.message));
  EXPECT_EQ(found.replicas[2].result.state, ReplicaState::finished);
  ASSERT_EQ(run("dropmd report all").status, 0);
  EXPECT_THAT(text("all/report.html"), HasSubstr("3 of 3 runs are over, 1 without reaching the aim"));
  const std::string before = text("all/0001/energy.csv");
  EXPECT_EQ(ensemble("--resume all").status, 5) << "it would fail again";
  EXPECT_EQ(text("all/0001/energy.csv"), before);
  // The exit status is that of the error, even if an earlier command found it.
  std::string rows = text("all/ensemble.csv");
  const std::string of_physics = ",5,\"step ";
  ASSERT_NE(rows.find(of_physics), std::string::npos) << rows;
  folder().write("all/ensemble.csv", rows.replace(rows.find(of_physics), of_physics.size(), ",3,\"step "));
  EXPECT_EQ(ensemble("--resume all").status, 3);
}

/// The user's own folders may be named by numbers and contain run files.
TEST_F(EnsembleRuns, AnotherInItsPlaceRemovesItsRunsAlone) {
  ASSERT_EQ(ensemble("run.toml --replicas 2 --steps 20 -o all").status, 0);
  for (const char* own : {"all/300", "mine/0007"}) {
    std::filesystem::create_directories(folder().path() / own);
    folder().write(std::string(own) + "/run.toml", "title = \"mine\"\n");
  }
  EXPECT_EQ(ensemble("run.toml --replicas 1 --steps 20 -o all --force").status, 0);
  EXPECT_EQ(ensemble("run.toml --replicas 1 --steps 20 -o mine --force").status, 0);
  EXPECT_FALSE(folder().has("all/0002"));
  EXPECT_TRUE(folder().has("all/300/run.toml"));
  EXPECT_TRUE(folder().has("mine/0007/run.toml"));
}

TEST_F(EnsembleRuns, AMinimiserThatDoesNotConvergeEndsAlone) {
  folder().write("fire.toml",
                 "units = \"real\"\n[system]\nstructure = \"start.drop\"\nmass = 20\n[lennard-jones]\nr-min = 2.5\n"
                 "epsilon = 0.2\n[integrator]\nform = \"fire\"\ntimestep = 1\n[run]\nsteps = 400\n");
  const Outcome outcome = ensemble("fire.toml --backend cpu --vary integrator.force-tolerance=1,1e-12 -o all");
  EXPECT_EQ(outcome.status, 1) << outcome.err;
  const EnsembleTable found = table("all");
  EXPECT_EQ(found.replicas[0].result.state, ReplicaState::converged);
  EXPECT_EQ(found.replicas[1].result.state, ReplicaState::not_converged);
  EXPECT_EQ(found.replicas[1].result.message, "the largest force is still too large");
}

TEST_F(EnsembleRuns, OneThatDriesUpEndsAlone) {
  const Outcome outcome = ensemble(
      "inputs/samples/lj-cluster-13-langevin.toml --backend cpu --set droplet.every=50 --set droplet.remove-beyond=2.0 "
      "--set wall.form=none --vary integrator.temperature=0.1,5 --steps 3000 -o all");
  EXPECT_EQ(outcome.status, 0) << outcome.err;
  EXPECT_THAT(outcome.out, HasSubstr("1 finished, 1 dried up"));
  const EnsembleTable found = table("all");
  EXPECT_EQ(found.replicas[0].result.state, ReplicaState::finished);
  EXPECT_EQ(found.replicas[1].result.state, ReplicaState::dried_up);
  EXPECT_LT(found.replicas[1].result.steps, 3000);
  EXPECT_EQ(found.replicas[1].result.message, "a single molecule is left");
}

TEST_F(EnsembleRuns, MistakesAreFoundBeforeAnythingIsWritten) {
  const auto expect = [&](const std::string& options, int status, const std::string& message) {
    const Outcome outcome = ensemble(options + " -o all");
    EXPECT_EQ(outcome.status, status) << options;
    EXPECT_THAT(outcome.err, HasSubstr(message)) << options;
    EXPECT_FALSE(folder().has("all")) << options;
  };
  expect("", 2, "FILE");
  expect("run.toml", 2, "nothing makes the runs differ");
  expect("run.toml --replicas 0", 2, "too small");
  expect("run.toml --replicas 1000000", 2, "too many runs");
  expect("run.toml --vary wall.radius=10,-1", 3, "--vary wall.radius=-1");
  expect("run.toml --vary wall.radios=10,20", 3, "radius");
  expect("run.toml --vary wall.radius=1 --vary wall.radius=2", 2, "the key is given twice");
  expect("run.toml --replicas 2 --vary system.random-seed=1,2", 2, "cannot be combined");
  expect("--resume here --replicas 2", 2, "--resume and --replicas cannot be combined");
  expect("run.toml --replicas 2 --devices 0 --backend cpu", 2, "cannot be combined");
  expect("run.toml --vary run.steps=10,20 --steps 5", 2, "cannot be combined");
  expect("run.toml --vary engine.threads=1,2", 2, "the ensemble's choice");
  expect("run.toml --vary integrator.temperature=100,200 --set integrator.temperature=150", 2,
         "--vary integrator.temperature and --set integrator.temperature=150 cannot be combined");
  expect("run.toml --vary system.random-seed=1,2 --seed 3", 2,
         "--vary system.random-seed and --seed 3 cannot be combined");
  expect("run.toml --vary system.structure=start.drop,missing.drop", 3, "missing.drop: no such file");
  expect("run.toml --vary system.structure=start.drop,missing.drop --dry-run", 3, "missing.drop: no such file");
  EXPECT_EQ(ensemble("--resume nowhere").status, 3);
  const Outcome odd_name = ensemble("run.toml --replicas 2 -o caf\xE9");
  EXPECT_EQ(odd_name.status, 3);
  EXPECT_THAT(odd_name.err, HasSubstr("is not UTF-8"));
  EXPECT_FALSE(folder().has("caf\xE9"));
}

/// A key that the run file needs may be one that varies.
TEST_F(EnsembleRuns, TheRunFileMayLackWhatVaries) {
  Settings settings;
  settings.integrator = "form = \"langevin\"\nfriction = 0.002\ntimestep = 2\n";
  write_run_file("bath.toml", settings);
  const Outcome bath = ensemble("bath.toml --vary integrator.temperature=100,200 --steps 10 -o bath");
  EXPECT_EQ(bath.status, 0) << bath.err;
  settings.integrator = "timestep = 2\n";
  write_run_file("verlet.toml", settings);
  const Outcome forms =
      ensemble("verlet.toml --vary integrator.form=langevin,csvr --set integrator.temperature=100 --steps 10 -o forms");
  EXPECT_EQ(forms.status, 0) << forms.err;
}

TEST_F(EnsembleRuns, SeedsThatMakeNoDifferenceAreAWarning) {
  folder().write("still.toml",
                 "units = \"lj\"\n[system]\nstructure = \"inputs/samples/lj-cluster-13.xyz\"\n[lennard-jones]\n"
                 "epsilon = 1\nsigma = 1\n");
  EXPECT_THAT(ensemble("still.toml --replicas 2 --steps 1 -o a").err, HasSubstr("the seeds make no difference"));
  EXPECT_THAT(ensemble("run.toml --replicas 2 --steps 1 -o b").err, Not(HasSubstr("no difference")));
}

TEST_F(EnsembleRuns, ADryRunWritesNothing) {
  const Outcome outcome = ensemble("run.toml --vary integrator.temperature=100,200 --replicas 2 --dry-run -o all");
  EXPECT_EQ(outcome.status, 0) << outcome.err;
  EXPECT_THAT(outcome.out, AllOf(HasSubstr("0003  seed 3  integrator.temperature = 200"), HasSubstr("# atoms:  150")));
  EXPECT_FALSE(folder().has("all"));
}

TEST_F(EnsembleRuns, AFolderIsForOneEnsembleAtATime) {
  ChildProcess child(folder().path(),
                     words_of(DROPMD_BINARY " ensemble -q run.toml --replicas 2 --steps 1000000 -o all"));
  while (child.running() && !folder().has("all/0001/status.json"))
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
  const Outcome outcome = ensemble("--resume all");
  EXPECT_EQ(outcome.status, 6);
  EXPECT_THAT(outcome.err, HasSubstr("is in use"));
}

}  // namespace
}  // namespace dropmd
