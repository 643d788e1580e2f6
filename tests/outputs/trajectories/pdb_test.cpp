#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

#include "tests/outputs/output_files.h"
#include "tests/outputs/trajectories/frames.h"
#include "tests/support/system/temp_folder.h"

namespace dropmd {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
namespace fs = std::filesystem;

class PdbTrajectory : public testing::Test {
 protected:
  fs::path path() const { return folder_.path() / "a.pdb"; }
  TempFolder folder_;
};

/// Columns as in the description of the format, version 3.3.
TEST_F(PdbTrajectory, AtomsHaveTheirColumns) {
  Particles atoms = some_atoms(3, 5);
  atoms.position = {{1.25, -999.999, 9999.999}, {0, 0.0004, -0.0006}, {-3, 2, 1}};
  atoms.species = {0, 1, 2};
  atoms.species_names = {"O", "Na", "X"};
  TrajectoryContents contents = contents_of(atoms);
  contents.names =
      std::make_shared<const AtomNames>(AtomNames{{"OW", "NA", "MW"}, {"SOL", "NA+", "WAT4"}, {1, 10'002, 3}});
  const auto writer = trajectory_format(path()).open({.path = path()}, contents);
  append_step(*writer, 500, atoms);
  EXPECT_THAT(
      lines_of(read_text(path())),
      ElementsAre("TITLE     some atoms t= 1.00000 step= 500",  //
                  "MODEL        1", "ATOM      1  OW  SOL     1       1.250-999.9999999.999  1.00  0.00           O",
                  "ATOM      2 NA   NA+     2       0.000   0.000  -0.001  1.00  0.00          NA",
                  "ATOM      3  MW  WAT4    3      -3.000   2.000   1.000  1.00  0.00            ", "ENDMDL"));
}

TEST_F(PdbTrajectory, WithoutNamesAtomsHaveThoseOfTheirSpecies) {
  Particles atoms = without(some_atoms(100'003, 5), {1});
  atoms.species_names = {"O", "argon-40"};
  const auto writer = open_trajectory({.path = path()}, atoms, kLjUnits);
  append_step(*writer, 0, atoms);
  const std::vector<std::string> lines = lines_of(read_text(path()));
  EXPECT_EQ(lines[2].substr(0, 30), "ATOM      2 argo argo    2    ");
  EXPECT_EQ(lines[2 + 100'000].substr(0, 30), "ATOM      2 argo argo    2    ") << "the last digits of 100002";
  EXPECT_EQ(lines[4].substr(0, 30), "ATOM      4  O     O     4    ");
}

TEST_F(PdbTrajectory, ModelsAreCountedAlsoAfterAPause) {
  const Particles atoms = some_atoms(3, 5);
  FileMark mark;
  {
    const auto writer = open_trajectory({.path = path()}, atoms);
    for (const std::int64_t step : {0, 10, 20}) {
      append_step(*writer, step, atoms);
      if (step == 10) mark = writer->flushed_mark();
    }
  }
  append_step(*open_trajectory({.path = path(), .after = mark}, atoms), 20, atoms);
  EXPECT_THAT(read_text(path()), HasSubstr("t= 0.04000 step= 20\nMODEL        3\n"));
}

TEST_F(PdbTrajectory, CoordinatesWithoutColumnsNameTheAtom) {
  for (const double far : {-1000.0, 1e4}) {
    Particles atoms = some_atoms(5, 5);
    const auto writer = open_trajectory({.path = path(), .overwrite = true}, atoms);
    append_step(*writer, 0, atoms);
    const std::string before = read_text(path());
    atoms.position[3].z = far;
    EXPECT_THAT(output_error_of([&] { append_step(*writer, 10, atoms); }),
                HasSubstr("a.pdb: step 10: atom 4 is at z = "));
    EXPECT_EQ(read_text(path()), before);
  }
}

TEST_F(PdbTrajectory, TitlesHaveOneLine) {
  const Particles atoms = some_atoms(1, 5);
  TrajectoryContents contents = contents_of(atoms);
  contents.title = "two\nlines, and " + std::string(100, 'x');
  const auto writer = trajectory_format(path()).open({.path = path()}, contents);
  append_step(*writer, 0, atoms);
  EXPECT_EQ(lines_of(read_text(path())).size(), 4U);
}

}  // namespace
}  // namespace dropmd
