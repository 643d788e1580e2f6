#include <algorithm>
#include <nlohmann/json.hpp>

#include "outputs/checkpoint/checkpoint_file.h"
#include "outputs/files/file_writer.h"
#include "tests/support/system/run_folder.h"

/// The files of a run that energy enters or leaves: ledger.csv, and the column of energy.csv.
namespace dropmd {
namespace {

namespace fs = std::filesystem;
using testing::HasSubstr;
using testing::Not;

class LedgerFiles : public RunFolderTest {};

std::string last_field(const std::string& row) { return row.substr(row.rfind(',') + 1); }

TEST_F(LedgerFiles, SayWhatCameInByCause) {
  const Outcome outcome = run("dropmd run -q run.toml --steps 40 --json");
  ASSERT_EQ(outcome.status, 0) << outcome.err;
  const std::vector<std::string> energies = lines_of(text("out/energy.csv")), ledger = lines_of(text("out/ledger.csv"));
  ASSERT_EQ(energies.size(), 2U + 9U);
  ASSERT_EQ(ledger.size(), energies.size());
  EXPECT_EQ(ledger[0], energies[0]);
  EXPECT_THAT(energies[1], testing::EndsWith(",total,temperature,conserved"));
  EXPECT_EQ(ledger[1], "step,time,total,conserved,bath,recentring,momentum");
  EXPECT_THAT(ledger[2], testing::EndsWith(",0,0,0"));
  EXPECT_THAT(ledger.back(), Not(HasSubstr(",0,"))) << "every cause gave something";
  EXPECT_THAT(ledger.back(), HasSubstr("," + last_field(energies.back()) + ","));
  const auto json = nlohmann::json::parse(outcome.out);
  EXPECT_EQ(json.at("conserved").get<double>(), std::stod(last_field(energies.back())));
  EXPECT_EQ(nlohmann::json::parse(text("out/status.json")).at("conserved"), json.at("conserved"));
  EXPECT_THAT(run("dropmd run run.toml --steps 5 -o again").out, HasSubstr(", conserved "));
}

TEST_F(LedgerFiles, AreNotThereWhereNothingComesIn) {
  write_run_file("run.toml", {.integrator = "form = \"velocity-verlet\"\ntimestep = 2\n"});
  const Outcome outcome =
      run("dropmd run -q run.toml --steps 10 --json --set run.recenter=\"none\" --set run.remove-momentum=\"none\"");
  ASSERT_EQ(outcome.status, 0) << outcome.err;
  EXPECT_FALSE(fs::exists(folder().path() / "out/ledger.csv"));
  EXPECT_THAT(outcome.out + text("out/energy.csv") + text("out/status.json"), Not(HasSubstr("conserved")));
}

/// The energy.csv of such a run has no column for conserved energy, since that version did not book it.
TEST_F(LedgerFiles, OfARunOfAVersionWithoutALedgerBeginWhereItIsResumed) {
  expect_success("dropmd run -q run.toml --steps 20");
  const fs::path energy = folder().path() / "out/energy.csv", path = folder().path() / "out/checkpoint.h5";
  std::string without;
  for (const std::string& line : lines_of(text("out/energy.csv")))
    without += (line.starts_with('#') ? line : line.substr(0, line.rfind(','))) + '\n';
  FileWriter writer(energy, /*overwrite=*/true);
  writer.write(without);
  Checkpoint checkpoint = read_checkpoint(path);
  checkpoint.state.booked = {};
  checkpoint.outputs = {{"energy.csv", writer.flushed_mark()}};
  writer.close();
  for (const char* const name : {"out/ledger.csv", "out/trajectory.xyz"}) fs::remove(folder().path() / name);
  write_checkpoint(path, checkpoint);
  expect_success(std::string(kResume) + "40");
  const std::vector<std::string> rows = lines_of(text("out/energy.csv")), ledger = lines_of(text("out/ledger.csv"));
  ASSERT_EQ(rows.size(), 2U + 9U);
  for (std::size_t k = 1; k < rows.size(); ++k)
    EXPECT_EQ(std::ranges::count(rows[k], ','), std::ranges::count(rows[1], ',')) << rows[k];
  ASSERT_EQ(ledger.size(), 2U + 4U);
  EXPECT_THAT(ledger[2], testing::StartsWith("25,"));
}

}  // namespace
}  // namespace dropmd
