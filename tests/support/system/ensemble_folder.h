#pragma once

#include <string>

#include "inputs/ensemble_file.h"
#include "tests/support/system/run_folder.h"

namespace dropmd {

/// Reads the table of an ensemble in a folder of a test.
inline EnsembleTable ensemble_table(const AppFolder& folder, const std::string& name) {
  return read_ensemble_file(folder.path() / name / "ensemble.csv").table;
}

/// Ensembles of the run of a RunFolderTest.
class EnsembleFolderTest : public RunFolderTest {
 protected:
  Outcome ensemble(const std::string& options) const { return run("dropmd ensemble " + options); }
  EnsembleTable table(const std::string& name) const { return ensemble_table(folder(), name); }
};

}  // namespace dropmd
