#include "outputs/status_file.h"

#include <gtest/gtest.h>
#include <sys/stat.h>

#include <limits>
#include <nlohmann/json.hpp>

#include "tests/outputs/output_files.h"
#include "tests/support/system/temp_folder.h"

namespace dropmd {
namespace {

namespace fs = std::filesystem;
using Json = nlohmann::json;

/// A run from step 100 to 1,100 with a clock that stands still until it is set.
class StatusFileTest : public testing::Test {
 protected:
  std::unique_ptr<StatusFile> make() {
    return std::make_unique<StatusFile>(path_, StatusFile::Options{.first_step = 100, .last_step = 1100},
                                        [this] { return now_; });
  }
  Json status() const { return Json::parse(read_text(path_)); }

  const TempFolder folder_;
  const fs::path path_ = folder_.path() / "status.json";
  double now_ = 3000;
};

const EnergyRow kRowOfStatus{.step = 150, .time = 300, .energies = Energies({{"vdw", -40}}, 10), .temperature = 98.76};

TEST_F(StatusFileTest, SaysHowTheRunGetsOn) {
  const auto file = make();
  file->update(100, 200);
  EXPECT_EQ(status(), Json::parse(R"({"step": 100, "steps": 1100, "time": 200.0, "energy": null, "temperature": null,
      "steps_per_second": null, "eta_seconds": null, "state": "running", "checkpoint_step": null})"));
  file->set_energies(kRowOfStatus);
  file->set_checkpoint(200);
  now_ += 10;
  file->update(300, 600);
  EXPECT_EQ(status(), Json::parse(R"({"step": 300, "steps": 1100, "time": 600.0, "energy": -30.0, "temperature": 98.76,
      "steps_per_second": 20.0, "eta_seconds": 40.0, "state": "running", "checkpoint_step": 200})"));
  file->end("finished");
  EXPECT_EQ(status()["state"], "finished");
  EXPECT_EQ(count_entries(folder_.path()), 1U) << "nothing else is left";
}

TEST_F(StatusFileTest, IsWrittenEveryFiveSecondsAtMost) {
  const auto file = make();
  for (std::int64_t step = 100; step < 200; ++step, now_ += 0.125) file->update(step, 0);
  EXPECT_EQ(status()["step"], 180) << "at 0, 5 and 10 of 12.4 seconds";
}

TEST_F(StatusFileTest, ARunWithoutAnEndHasFailed) {
  make()->update(100, 0);
  EXPECT_EQ(status()["state"], "failed");
}

TEST_F(StatusFileTest, NumbersThatJsonDoesNotHaveAreNull) {
  const double inf = std::numeric_limits<double>::infinity();
  const Json json = Json::parse(status_text({.energy = inf, .temperature = -inf * 0, .state = "running"}));
  EXPECT_TRUE(json["energy"].is_null());
  EXPECT_TRUE(json["temperature"].is_null());
}

TEST_F(StatusFileTest, ReplacesThatOfARunAndNoOtherFile) {
  folder_.write("status.json", "{\"mine\": true}");
  make()->update(100, 0);
  EXPECT_EQ(read_text(path_), "{\"mine\": true}");
  fs::remove(path_);
  make()->update(100, 0);
  const std::string of_a_run = read_text(path_);
  make()->update(101, 0);
  EXPECT_NE(read_text(path_), of_a_run);
}

TEST_F(StatusFileTest, WhatKeepsItFromBeingWrittenIsPassedOver) {
  fs::create_directory(path_);
  EXPECT_NO_THROW(make()->update(100, 0));
  fs::remove(path_);
  ASSERT_EQ(::mkfifo(path_.c_str(), 0600), 0);
  EXPECT_NO_THROW(make()->update(100, 0)) << "nor does it wait for a reader";
  StatusFile lost(folder_.path() / "none" / "status.json", {});
  EXPECT_NO_THROW(lost.end("finished"));
}

}  // namespace
}  // namespace dropmd
