#include "outputs/ledger_csv.h"

#include <fmt/core.h>

#include <string>
#include <utility>

#include "outputs/csv_header.h"

namespace dropmd {

LedgerCsv::LedgerCsv(FileWriter writer, const Units& units, const CauseSet& causes) : writer_(std::move(writer)) {
  std::string names = "step,time,total,conserved";
  for (std::size_t k = 0; k < kCauses; ++k) {
    if (!causes.has(static_cast<Cause>(k))) continue;
    columns_.push_back(static_cast<Cause>(k));
    names.append(",").append(kCauseNames[k]);
  }
  if (writer_.mark().bytes > 0) return;
  writer_.write(csv_header(units) + names + '\n');
  writer_.flush();
}

void LedgerCsv::append(const EnergyRow& row) {
  const double total = row.energies.total();
  std::string line =
      fmt::format("{},{:.17g},{:.17g},{:.17g}", row.step, row.time, total, row.conserved().value_or(total));
  for (const Cause cause : columns_) line += fmt::format(",{:.17g}", row.ledger.of(cause));
  writer_.write(line + '\n');
  writer_.flush();
}

void LedgerCsv::close() {
  writer_.sync();
  writer_.close();
}

}  // namespace dropmd
