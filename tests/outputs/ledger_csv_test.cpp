#include "outputs/ledger_csv.h"

#include <gtest/gtest.h>

#include "core/version.h"
#include "outputs/energy_csv.h"
#include "tests/outputs/output_files.h"
#include "tests/support/system/temp_folder.h"

namespace dropmd {
namespace {

CauseSet bath_and_momentum() {
  CauseSet causes;
  causes.insert(Cause::momentum);
  causes.insert(Cause::bath);
  return causes;
}

EnergyRow row_of(std::int64_t step) {
  return {.step = step,
          .time = 0.5 * static_cast<double>(step),
          .energies = Energies({{"vdw", -3}}, 1),
          .temperature = 7,
          .ledger = {.causes = bath_and_momentum(), .booked = {0.25, 0, 0, -0.125}}};
}

std::string header() {
  return "# dropmd " + std::string(kVersion) +
         ", units: lj (length sigma, energy epsilon, time tau, temperature epsilon/k_B)\n";
}

TEST(LedgerCsv, HasAColumnForEachCauseOfTheRun) {
  const TempFolder folder;
  const auto path = folder.path() / "ledger.csv";
  LedgerCsv csv({path, false}, kLjUnits, bath_and_momentum());
  csv.append(row_of(4));
  EXPECT_EQ(read_text(path), header() + "step,time,total,conserved,bath,momentum\n4,2,-2,-2.125,0.25,-0.125\n")
      << "not closed: the row must be there already";
}

TEST(LedgerCsv, OneThatResumesIsCutBackAndHasItsHeaderAlready) {
  const TempFolder folder;
  const auto path = folder.path() / "ledger.csv";
  LedgerCsv csv({path, false}, kLjUnits, bath_and_momentum());
  csv.append(row_of(0));
  const FileMark mark = csv.flushed_mark();
  csv.append(row_of(1));
  csv.close();
  const std::string whole = read_text(path);
  LedgerCsv next({path, mark}, kLjUnits, bath_and_momentum());
  next.append(row_of(1));
  next.close();
  EXPECT_EQ(read_text(path), whole);
}

TEST(EnergyCsvWithALedger, EndsWithTheConservedEnergy) {
  const TempFolder folder;
  const auto path = folder.path() / "energy.csv";
  const std::vector<std::string_view> components{"vdw"};
  EnergyCsv csv({path, false}, kLjUnits, components, true);
  csv.append(row_of(2));
  csv.close();
  EXPECT_EQ(read_text(path),
            header() + "step,time,potential,vdw,kinetic,total,temperature,conserved\n2,1,-3,-3,1,-2,7,-2.125\n");
  EXPECT_EQ(row_of(2).conserved(), -2.125);
  EXPECT_EQ(EnergyRow{}.conserved(), std::nullopt) << "a run without a ledger conserves the total energy";
}

}  // namespace
}  // namespace dropmd
