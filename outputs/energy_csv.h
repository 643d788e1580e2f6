#pragma once

#include <span>
#include <string_view>
#include <vector>

#include "core/run/energies.h"
#include "core/units.h"
#include "outputs/files/file_writer.h"

namespace dropmd {

/// energy.csv: a comment line with version and units, the column names, then one row per step with 17 significant
/// digits, which reproduce the same doubles. Each row is in the file when append() returns.
class EnergyCsv {
 public:
  /// components: the components of the potential energy, one column each. conserved: whether there is a last column for
  /// it, in a run with a ledger. An empty file gets the two header lines; a resumed one has them.
  EnergyCsv(FileWriter writer, const Units& units, std::span<const std::string_view> components, bool conserved);

  void append(const EnergyRow& row);
  /// Syncs and closes the file; throws OutputError if that fails.
  void close();
  FileMark synced_mark() { return writer_.synced_mark(); }

 private:
  FileWriter writer_;
  std::vector<std::string_view> components_;
  bool conserved_;
};

}  // namespace dropmd
