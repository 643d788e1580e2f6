#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

#include "core/errors.h"
#include "engine/jobs/run_job.h"
#include "engine/model/form_catalog.h"
#include "inputs/run_file/run_file.h"
#include "tests/support/system/temp_folder.h"

/// Runs to which a program adds atoms, with a trajectory that has the same atoms in all frames.
namespace dropmd {
namespace {

namespace fs = std::filesystem;
using testing::HasSubstr;

class ConstantTrajectory : public testing::Test {
 protected:
  RunConfig config(const std::string& trajectory) const {
    folder_.write("start.xyz", "2\n\nAr 0 0 0\nAr 1.2 0 0\n");
    const fs::path path =
        folder_.write("run.toml",
                      "units = \"lj\"\n[system]\nstructure = \"start.xyz\"\nmass = 1\ntemperature = 0.1\n"
                      "[lennard-jones]\nepsilon = 1\nsigma = 1\ncutoff = 2.5\n[engine]\nbackend = \"cpu\"\n"
                      "[integrator]\ntimestep = 0.001\n[run]\nsteps = 20\n[output]\ntrajectory = \"" +
                          trajectory + "\"\ntrajectory-every = 5\n");
    RunConfig config = read_run_file(path, form_catalog());
    config.output_directory = folder_.path() / "out";
    return config;
  }
  static RunHooks adding() {
    RunHooks hooks;
    hooks.actions = {{10, [](const System&) {
                        PopulationChange change;
                        change.added.push_back({.position = {-1.2, 0, 0}, .species = "Ar"});
                        return change;
                      }}};
    return hooks;
  }
  TempFolder folder_;
};

TEST_F(ConstantTrajectory, ARunThatMayAddAtomsIsRefusedBeforeAnythingIsWritten) {
  const RunConfig run = config("a.dcd");
  try {
    run_job(run, adding());
    ADD_FAILURE() << "it ran";
  } catch (const OutputError& error) {
    EXPECT_THAT(error.what(), HasSubstr("out/a.dcd: atoms may be added to the run"));
    EXPECT_THAT(error.what(), HasSubstr("ends in .cif, .gsd, .pdb or .xyz"));
  }
  EXPECT_FALSE(fs::exists(run.output_directory));
}

TEST_F(ConstantTrajectory, OtherFormatsTakeIt) {
  for (const char* const name : {"a.pdb", "a.xyz"}) {
    EXPECT_NO_THROW(run_job(config(name), adding())) << name;
    fs::remove_all(folder_.path() / "out");
  }
}

}  // namespace
}  // namespace dropmd
