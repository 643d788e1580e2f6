#include "outputs/ensemble_csv.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <limits>

#include "core/errors.h"
#include "inputs/ensemble_file.h"
#include "tests/outputs/output_files.h"
#include "tests/support/system/temp_folder.h"

/// ensemble.csv, written and read.
namespace dropmd {
namespace {

using testing::HasSubstr;

constexpr double kNaN = std::numeric_limits<double>::quiet_NaN();

EnsembleTable table_of_three() {
  EnsembleTable table{{"integrator.temperature", "field.strength"}, 200, {}};
  table.replicas.push_back(
      {{"0.1", "[0, 0, 0.1]"}, 7, {ReplicaState::finished, 1000, 0.1 + 0.2, {{"potential", {-1.0 / 3, 0.25}}}, ""}});
  table.replicas.push_back(
      {{"0.2", "[0, 0, 0.2]"},
       8,
       {ReplicaState::failed, 12, 0.012, {{"temperature", {0.5, kNaN}}}, "atom 3, \"far\"", ExitStatus::physics}});
  table.replicas.push_back({{"0.3", "a"}, std::numeric_limits<std::uint64_t>::max(), {}});
  return table;
}

TEST(EnsembleCsv, IsReadAsItWasWritten) {
  const TempFolder folder;
  const std::filesystem::path file = folder.path() / "ensemble.csv";
  const EnsembleTable table = table_of_three();
  write_ensemble_csv(file, table, kLjUnits);
  EXPECT_THAT(read_text(file),
              HasSubstr("\nreplica,integrator.temperature,field.strength,seed,end,steps,time,potential,"
                        "potential_error,temperature,temperature_error,status,message\n"));
  const ReadEnsemble read = read_ensemble_file(file);
  EXPECT_THAT(read.header, HasSubstr("units: lj "));
  EXPECT_EQ(read.table.keys, table.keys);
  EXPECT_EQ(read.table.means_from, 200);
  ASSERT_EQ(read.table.replicas.size(), 3U);
  for (std::size_t k = 0; k < 3; ++k) {
    const Replica &was = table.replicas[k], &is = read.table.replicas[k];
    EXPECT_EQ(is.values, was.values);
    EXPECT_EQ(is.seed, was.seed);
    EXPECT_EQ(is.result.state, was.result.state);
    EXPECT_EQ(is.result.steps, was.result.steps);
    EXPECT_EQ(is.result.time, was.result.time);
    EXPECT_EQ(is.result.status, was.result.status);
    EXPECT_EQ(is.result.message, was.result.message);
    ASSERT_EQ(is.result.means.size(), was.result.means.size());
  }
  EXPECT_EQ(read.table.replicas[0].result.means[0].value.mean, -1.0 / 3);
  EXPECT_EQ(read.table.replicas[0].result.means[0].value.error, 0.25);
  EXPECT_EQ(read.table.replicas[1].result.means[0].name, "temperature");
  EXPECT_TRUE(std::isnan(read.table.replicas[1].result.means[0].value.error));
}

TEST(EnsembleCsv, RefusesOtherAndDamagedFiles) {
  const TempFolder folder;
  const std::filesystem::path file = folder.path() / "ensemble.csv";
  write_ensemble_csv(file, table_of_three(), kRealUnits);
  const std::string whole = read_text(file);
  const auto expect_refusal = [&](const std::string& text, const std::string& because) {
    folder.write("ensemble.csv", text);
    try {
      read_ensemble_file(file);
      FAIL() << text;
    } catch (const InputError& error) {
      EXPECT_THAT(error.what(), HasSubstr(because));
      EXPECT_THAT(error.what(), HasSubstr("ensemble.csv"));
    }
  };
  const auto replaced = [&](const std::string& what, const std::string& by) {
    return std::string(whole).replace(whole.find(what), what.size(), by);
  };
  expect_refusal("", "not a comment");
  expect_refusal(whole.substr(0, whole.find("replica")), "the names of the columns are missing");
  expect_refusal(replaced(",seed,", ",seeds,"), "no column 'seed'");
  expect_refusal(replaced("potential,", ""), "columns are not those");
  expect_refusal(replaced("finished", "finito"), "'finito' is not a valid value of 'end'");
  expect_refusal(replaced(",1000,", ",many,"), "'many' is not a valid value of 'steps'");
  expect_refusal(replaced(",5,\"atom", ",five,\"atom"), "'five' is not a valid value of 'status'");
  expect_refusal(replaced(",,,,", ",,,"), "rows are damaged");
  expect_refusal(whole.substr(0, whole.find("\n1,") + 1), "rows are damaged");
  expect_refusal(whole.substr(0, whole.size() - 1), "rows are damaged");
  expect_refusal(replaced("\n2,", "\n4,"), "not in the order");
}

}  // namespace
}  // namespace dropmd
