#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "tests/support/system/app_folder.h"

/// `dropmd run --self-check N`.
namespace dropmd {
namespace {

using OrderedJson = nlohmann::ordered_json;
using testing::AllOf;
using testing::HasSubstr;

constexpr const char* kSampleOnCpu = " --backend cpu inputs/samples/droplet-4139.toml ";

TEST(SelfCheckOption, SaysWhatItFound) {
  const AppFolder folder;
  const Outcome outcome = folder.run(std::string("dropmd run --steps 25 --self-check 10 -o out") + kSampleOnCpu);
  EXPECT_EQ(outcome.status, 0) << outcome.err;
  EXPECT_THAT(outcome.out, AllOf(HasSubstr("self-check of 100 atoms every 10 steps, 3 times: forces within "),
                                 HasSubstr(" RMS (step "), HasSubstr("; bound 5e-06), "), HasSubstr(" worst (atom "),
                                 HasSubstr("; bound 0.0003)\n")));
}

TEST(SelfCheckOption, Json) {
  const AppFolder folder;
  const Outcome outcome =
      folder.run(std::string("dropmd run --json --precision double --steps 25 --self-check 5 -o out") + kSampleOnCpu);
  EXPECT_EQ(outcome.status, 0) << outcome.err;
  const OrderedJson check = OrderedJson::parse(outcome.out)["self_check"];
  std::vector<std::string> names;
  for (const auto& [name, value] : check.items()) names.push_back(name);
  EXPECT_EQ(names, (std::vector<std::string>{"every", "checks", "atoms", "rms_force_error", "rms_step",
                                             "worst_force_error", "worst_step", "worst_atom", "ok"}));
  EXPECT_EQ(check["every"], 5);
  EXPECT_EQ(check["checks"], 6);
  EXPECT_EQ(check["atoms"], 100);
  EXPECT_EQ(check["ok"], true);
  EXPECT_GT(check["worst_force_error"].get<double>(), 0);
  EXPECT_LE(check["worst_force_error"].get<double>(), 1e-12);
  EXPECT_EQ(check["rms_step"].get<int>() % 5, 0);
}

TEST(SelfCheckOption, ChangesNoByteOfTheOutputsWhateverTheThreads) {
  const AppFolder folder;
  for (const char* name : {"plain", "checked --self-check 3", "threads --self-check 7 --threads 3"})
    ASSERT_EQ(
        folder.run(std::string("dropmd run -q --neighbor pair-list --steps 30") + kSampleOnCpu + "-o " + name).status,
        0);
  for (const char* name : {"energy.csv", "trajectory.xyz", "final.xyz"}) {
    const std::string plain = folder.text(std::string("plain/") + name);
    EXPECT_FALSE(plain.empty());
    EXPECT_TRUE(plain == folder.text(std::string("checked/") + name)) << name;
    EXPECT_TRUE(plain == folder.text(std::string("threads/") + name)) << name;
  }
}

}  // namespace
}  // namespace dropmd
