#include "outputs/energy_csv.h"

#include <gtest/gtest.h>

#include <cstdlib>
#include <sstream>

#include "core/version.h"
#include "tests/outputs/file_size_limit.h"
#include "tests/outputs/output_files.h"
#include "tests/support/system/temp_folder.h"

namespace dropmd {
namespace {

namespace fs = std::filesystem;

const std::vector<std::string_view> kColumns{"vdw", "coulomb", "wall"};

/// Values that need all 17 digits, and extremes.
EnergyRow awkward_row() {
  return {.step = 123456789012,
          .time = 0.1,
          .energies = Energies({{"vdw", -1.0 / 3.0}, {"coulomb", 1e300 / 7.0}, {"wall", 5e-324}}, 0.1 + 0.2),
          .temperature = 2.0 / 3.0};
}

std::vector<double> parse_row(const std::string& row) {
  std::vector<double> values;
  std::istringstream in(row);
  for (std::string word; std::getline(in, word, ',');) values.push_back(std::strtod(word.c_str(), nullptr));
  return values;
}

TEST(EnergyCsv, HeaderNamesVersionUnitsAndColumns) {
  const TempFolder folder;
  EnergyCsv({folder.path() / "real.csv", false}, kRealUnits, kColumns, false).close();
  EnergyCsv({folder.path() / "lj.csv", false}, kLjUnits, kColumns, false).close();
  const std::string version(kVersion);
  const std::string columns = "step,time,potential,vdw,coulomb,wall,kinetic,total,temperature\n";
  EXPECT_EQ(read_text(folder.path() / "real.csv"),
            "# dropmd " + version + ", units: real (length A, energy kcal/mol, time fs, temperature K)\n" + columns);
  EXPECT_EQ(read_text(folder.path() / "lj.csv"),
            "# dropmd " + version + ", units: lj (length sigma, energy epsilon, time tau, temperature epsilon/k_B)\n" +
                columns);
}

TEST(EnergyCsv, RowParsesBackToTheSameBits) {
  const TempFolder folder;
  const fs::path path = folder.path() / "energy.csv";
  const EnergyRow row = awkward_row();
  EnergyCsv csv({path, false}, kRealUnits, kColumns, false);
  csv.append(row);

  const std::vector<std::string> lines = lines_of(read_text(path));  // not closed: the row must already be there
  ASSERT_EQ(lines.size(), 3U);
  const Energies& e = row.energies;
  const std::vector<double> expected{123456789012.0, row.time,  e.potential(), e.of("vdw"),    e.of("coulomb"),
                                     e.of("wall"),   e.kinetic, e.total(),     row.temperature};
  EXPECT_EQ(parse_row(lines[2]), expected);
}

TEST(EnergyCsv, OneThatResumesHasItsHeaderAlready) {
  const TempFolder folder;
  const fs::path path = folder.path() / "energy.csv";
  EnergyCsv csv({path, false}, kRealUnits, kColumns, false);
  csv.append(awkward_row());
  const FileMark mark = csv.flushed_mark();
  const std::string before = read_text(path);
  csv.append(awkward_row());
  const std::string whole = read_text(path);
  csv.close();
  EnergyCsv next({path, mark}, kRealUnits, kColumns, false);
  EXPECT_EQ(read_text(path), before) << "cut back";
  next.append(awkward_row());
  next.close();
  EXPECT_EQ(read_text(path), whole);
}

TEST(EnergyCsv, FullDiskLeavesCompleteRowsOnly) {
  const TempFolder folder;
  const fs::path path = folder.path() / "energy.csv";
  EnergyCsv csv({path, false}, kRealUnits, kColumns, false);
  csv.append(awkward_row());
  const std::string before = read_text(path);
  const FileSizeLimit limit(before.size() + 20);  // shorter than a row
  EXPECT_NE(output_error_of([&] { csv.append(awkward_row()); }), "");
  EXPECT_EQ(read_text(path), before);
}

}  // namespace
}  // namespace dropmd
