#include <fmt/core.h>
#include <sys/stat.h>

#include <chrono>
#include <map>
#include <nlohmann/json.hpp>

#include "outputs/checkpoint/checkpoint_file.h"
#include "tests/support/system/run_folder.h"

/// status.json and timings.csv of runs, and runs with a time limit.
namespace dropmd {
namespace {

using PlainJson = nlohmann::json;
using testing::AllOf;
using testing::HasSubstr;

class StatusOfRuns : public RunFolderTest {
 protected:
  PlainJson status() const { return PlainJson::parse(text("out/status.json")); }
};

class TimingsOfRuns : public StatusOfRuns {
 protected:
  /// The seconds of each part, all of whose rows must be of the same steps: "0-60" and "60-90".
  std::map<std::string, double> parts() const {
    std::map<std::string, double> seconds;
    const std::vector<std::string> lines = lines_of(text("out/timings.csv"));
    for (std::size_t k = 2; k < lines.size(); ++k) {
      std::int64_t part = 0, first = 0, last = 0;
      double of_phase = -1;
      EXPECT_EQ(std::sscanf(lines[k].c_str(), "%ld,%ld,%ld,%*[a-z -],%lf", &part, &first, &last, &of_phase), 4)
          << lines[k];
      EXPECT_GE(of_phase, 0);
      seconds[fmt::format("{}: {}-{}", part, first, last)] += of_phase;
    }
    return seconds;
  }
};

class TimeLimitOfRuns : public StatusOfRuns {};

TEST_F(StatusOfRuns, IsThatOfTheLastRow) {
  cut(60);
  const PlainJson json = status();
  EXPECT_EQ(json["state"], "finished");
  EXPECT_EQ(json["step"], 60);
  EXPECT_EQ(json["steps"], 60);
  EXPECT_EQ(json["checkpoint_step"], 60);
  EXPECT_EQ(json["eta_seconds"], 0);
  EXPECT_GT(json["steps_per_second"], 0);
  const std::vector<std::string> rows = lines_of(text("out/energy.csv"));
  double time = 0, total = 0, temperature = 0;
  ASSERT_EQ(std::sscanf(rows.back().c_str(), "60,%lf,%*f,%*f,%*f,%*f,%*f,%lf,%lf", &time, &total, &temperature), 3);
  EXPECT_EQ(json["time"], time);
  EXPECT_EQ(json["energy"], total);
  EXPECT_EQ(json["temperature"], temperature);
}

TEST_F(StatusOfRuns, NeedsNoForceAndIsNoFileOfTheRun) {
  folder().write("out/status.json", "{\n  \"step\": 7, of a run before");
  const Outcome outcome = run("dropmd run run.toml --steps 5");
  EXPECT_EQ(outcome.status, 0) << outcome.err;
  EXPECT_THAT(outcome.out, testing::Not(HasSubstr("status.json")));
  EXPECT_EQ(status()["step"], 5);
}

TEST_F(StatusOfRuns, OfARunThatFails) {
  write_run_file("run.toml", {.integrator = "timestep = 1000\n"});
  EXPECT_EQ(run("dropmd run -q run.toml --steps 60").status, 5);
  EXPECT_EQ(status()["state"], "failed");
  write_run_file("run.toml", {.integrator = "form = \"fire\"\nforce-tolerance = 1e-9\n"});
  EXPECT_EQ(run("dropmd run -q run.toml --steps 6 --force").status, 1);
  EXPECT_EQ(status()["state"], "failed");
}

TEST_F(StatusOfRuns, OfARunThatIsStopped) {
  ChildProcess child(folder().path(), words_of(DROPMD_BINARY " run -q run.toml --steps 100000000"));
  while (child.running() && text("out/status.json").empty()) ::usleep(1000);
  EXPECT_EQ(status()["state"], "running");
  child.send(SIGTERM);
  EXPECT_EQ(child.wait().status, 128 + SIGTERM);
  EXPECT_EQ(status()["state"], "stopped");
  EXPECT_EQ(status()["checkpoint_step"], status()["step"]);
}

/// A refused run does not change the status file of the run before it.
TEST_F(StatusOfRuns, OfAnotherRunStays) {
  cut(10);
  const std::string before = text("out/status.json");
  EXPECT_EQ(run("dropmd run -q run.toml --steps 5").status, 6);
  EXPECT_EQ(text("out/status.json"), before);
}

TEST_F(TimingsOfRuns, AddUpOverItsParts) {
  cut(60);
  const std::map<std::string, double> first = parts();
  ASSERT_EQ(first.size(), 1U);
  EXPECT_GT(first.at("1: 0-60"), 0);
  EXPECT_THAT(text("out/timings.csv"), AllOf(HasSubstr("1,0,60,forces,"), HasSubstr("1,0,60,other,")));
  expect_success(kResume + std::string("90"));
  std::map<std::string, double> both = parts();
  EXPECT_GT(both.at("2: 60-90"), 0);
  both.erase("2: 60-90");
  EXPECT_EQ(both, first) << "the part before is unchanged";
  expect_success("dropmd run -q run.toml --steps 20 --force");
  EXPECT_TRUE(parts().contains("1: 0-20")) << "those of another run are replaced";
  expect_success("dropmd run -q --resume out --steps 30 -o other");
  EXPECT_THAT(text("other/timings.csv"), HasSubstr("1,20,30,forces,"));
}

TEST_F(TimingsOfRuns, AreThereInARunInProgressAndOneThatFails) {
  ChildProcess child(folder().path(), words_of(DROPMD_BINARY " run -q run.toml --steps 100000000"));
  while (child.running() && text("out/timings.csv").empty()) ::usleep(1000);
  EXPECT_TRUE(parts().contains("1: 0-0"));
  child.send(SIGKILL);
  child.wait();
  write_run_file("run.toml", {.integrator = "timestep = 1000\n"});
  EXPECT_EQ(run("dropmd run -q run.toml --steps 60 --force").status, 5);
  EXPECT_EQ(parts().size(), 1U);
}

TEST_F(TimingsOfRuns, AFileThatNoRunWroteStays) {
  folder().write("out/timings.csv", "mine\n");
  expect_success("dropmd run -q run.toml --steps 20");
  EXPECT_EQ(text("out/timings.csv"), "mine\n");
}

TEST_F(TimeLimitOfRuns, EndsInTimeAndResumesToTheSameFiles) {
  write_run_file("run.toml", {.checkpoint_every = 0, .checkpoint_minutes = 0});
  make_whole(30'000);
  using std::chrono::steady_clock;
  const auto begin = steady_clock::now();
  const Outcome outcome = run("dropmd run run.toml --steps 30000 --max-hours 0.0002");  // 0.72 s of about 2 s
  const double seconds = std::chrono::duration<double>(steady_clock::now() - begin).count();
  EXPECT_EQ(outcome.status, 0) << outcome.err;
  ASSERT_THAT(outcome.out, AllOf(HasSubstr("out of time after step "),
                                 HasSubstr("  it resumes with: dropmd run --resume out/checkpoint.h5\n")));
  EXPECT_EQ(status()["state"], "stopped");
  EXPECT_LT(status()["step"], 30'000);
  EXPECT_LT(seconds, 10) << "0.72 s, unless the machine is busy";
  for (int k = 0; k < 200 && status()["state"] == "stopped"; ++k)
    expect_success("dropmd run -q --resume out --max-hours 0.0002");
  EXPECT_EQ(status()["state"], "finished");
  for (const char* const name : {"energy.csv", "trajectory.xyz", "final.xyz"})
    EXPECT_TRUE(text(std::string("out/") + name) == text(std::string("whole/") + name)) << name;
}

TEST_F(TimeLimitOfRuns, ARunThatFitsIsNotTouched) {
  make_whole(60);
  cut(60, " --max-hours 1");
  expect_same_files();
  EXPECT_THAT(run("dropmd run run.toml --max-hours 0").err, HasSubstr("--max-hours 0 is out of range"));
}

}  // namespace
}  // namespace dropmd
