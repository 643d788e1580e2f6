#pragma once

#include <vector>

#include "core/run/energies.h"
#include "core/run/ledger.h"
#include "core/units.h"
#include "outputs/files/file_writer.h"

namespace dropmd {

/// ledger.csv: what came into a run from outside since its start, by cause. A comment line and the column names, then
/// one row per step with 17 significant digits, as energy.csv has them.
class LedgerCsv {
 public:
  /// causes: a column each. An empty file begins with the two lines; one that is resumed has them.
  LedgerCsv(FileWriter writer, const Units& units, const CauseSet& causes);

  /// Of a run with these causes.
  void append(const EnergyRow& row);
  /// Syncs and closes, checked.
  void close();
  FileMark synced_mark() { return writer_.synced_mark(); }

 private:
  FileWriter writer_;
  std::vector<Cause> columns_;
};

}  // namespace dropmd
