#pragma once

#include <vector>

#include "core/run/energies.h"
#include "core/run/ledger.h"
#include "core/units.h"
#include "outputs/files/file_writer.h"

namespace dropmd {

/// ledger.csv: the energy that a run received from outside since its start, by cause. A comment line and the column
/// names, then one row per step with 17 significant digits, as in energy.csv.
class LedgerCsv {
 public:
  /// causes: one column each. An empty file gets the two header lines; a resumed one has them.
  LedgerCsv(FileWriter writer, const Units& units, const CauseSet& causes);

  /// Appends a row of a run with these causes.
  void append(const EnergyRow& row);
  /// Syncs and closes the file; throws OutputError if that fails.
  void close();
  FileMark synced_mark() { return writer_.synced_mark(); }

 private:
  FileWriter writer_;
  std::vector<Cause> columns_;
};

}  // namespace dropmd
