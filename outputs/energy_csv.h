#pragma once

#include "core/run/energies.h"
#include "core/units.h"
#include "outputs/files/file_writer.h"

namespace dropmd {

/// energy.csv: a comment line with version and units, the column names, then one row a step with 17 significant digits,
/// which is enough to get the same doubles back. Each row is in the file when append() returns.
class EnergyCsv {
 public:
  /// In an empty file it begins with the two lines; one that goes on has them.
  EnergyCsv(FileWriter writer, const Units& units);

  void append(const EnergyRow& row);
  /// Syncs and closes, checked.
  void close();
  FileMark synced_mark() { return writer_.synced_mark(); }

 private:
  FileWriter writer_;
};

}  // namespace dropmd
