#pragma once

#include <filesystem>

#include "core/energies.h"
#include "core/units.h"
#include "outputs/file_writer.h"

namespace dropmd {

/// energy.csv: a comment line with version and units, the column names, then one row a step with 17 significant digits,
/// which is enough to get the same doubles back. Each row is in the file when append() returns.
class EnergyCsv {
 public:
  EnergyCsv(const std::filesystem::path& path, const Units& units, bool overwrite);

  void append(const EnergyRow& row);
  /// Syncs and closes, checked.
  void close();

 private:
  FileWriter writer_;
};

}  // namespace dropmd
