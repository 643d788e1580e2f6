#pragma once

#include <span>
#include <string_view>
#include <vector>

#include "core/run/energies.h"
#include "outputs/run_table.h"

namespace dropmd {

/// energy.csv: a row per step with 17 significant digits, which reproduce the same doubles.
class EnergyCsv : public RunTable {
 public:
  /// components: the components of the potential energy, one column each. conserved: whether the last column is the
  /// conserved energy, as in a run with a ledger.
  EnergyCsv(FileWriter writer, const Units& units, std::span<const std::string_view> components, bool conserved);

  void append(const EnergyRow& row);

 private:
  std::vector<std::string_view> components_;
  bool conserved_;
};

}  // namespace dropmd
