#pragma once

#include <vector>

#include "core/run/energies.h"
#include "core/run/ledger.h"
#include "outputs/run_table.h"

namespace dropmd {

/// ledger.csv: the energy that a run received from outside since its start, by cause, with 17 significant digits, as in
/// energy.csv. Runs from which atoms are removed also have columns for the mass, charge and momenta that left with
/// them.
class LedgerCsv : public RunTable {
 public:
  /// causes: one column each.
  LedgerCsv(FileWriter writer, const Units& units, const CauseSet& causes);

  /// Appends a row of a run with these causes.
  void append(const EnergyRow& row);

 private:
  std::vector<Cause> columns_;
};

}  // namespace dropmd
