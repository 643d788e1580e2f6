#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

#include "inputs/trajectories/trajectory_source.h"
#include "tests/outputs/output_files.h"
#include "tests/outputs/trajectories/frames.h"
#include "tests/support/system/temp_folder.h"

namespace dropmd {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
namespace fs = std::filesystem;

class CifTrajectory : public testing::Test {
 protected:
  fs::path path() const { return folder_.path() / "a.cif"; }
  /// The lines behind the header.
  std::vector<std::string> rows() const {
    const std::string text = read_text(path());
    return lines_of(text.substr(text.find("# step=")));
  }
  std::vector<InputFrame> read_back() const {
    std::vector<InputFrame> frames;
    const auto reader = open_frames(path());
    while (std::optional<InputFrame> frame = reader->next()) frames.push_back(std::move(*frame));
    return frames;
  }
  TempFolder folder_;
};

/// Coordinates and ids of any size; quotes where CIF needs them.
TEST_F(CifTrajectory, FramesAreModelsOfOneLoop) {
  Particles atoms = without(some_atoms(100'004, 5), {});
  atoms = without(atoms, {1});
  atoms.position.resize(3), atoms.id = {2, 3, 100'004}, atoms.species = {0, 1, 2};
  atoms.position = {{1.25, -123456.5, 1e7}, {0, 0.00004, -0.00006}, {-3, 2, 1}};
  atoms.species_names = {"O", "Na", "X"};
  TrajectoryContents contents = contents_of(some_atoms(3, 5));
  contents.title = "it's\n;a title";
  AtomNames names{{}, {}, {}};
  names.atom_name.assign(100'004, "MW"), names.residue_name.assign(100'004, "WAT4");
  names.residue_number.assign(100'004, 33'333);
  names.atom_name[1] = "O5'", names.atom_name[2] = "N A", names.residue_name[2] = "#1";
  contents.names = std::make_shared<const AtomNames>(names);
  const auto writer = trajectory_format(path()).open({.path = path()}, contents);
  append_step(*writer, 500, atoms);
  writer->append({600, std::nullopt, atoms});
  EXPECT_THAT(
      rows(),
      ElementsAre("# step= 500 atoms= 3 t= 1",  //
                  "ATOM 2 O O5' . WAT4 A 1 33333 ? 1.2500 -123456.5000 10000000.0000 1 0 33333 A 1",
                  "ATOM 3 Na 'N A' . '#1' A 1 33333 ? 0.0000 0.0000 -0.0001 1 0 33333 A 1",
                  "ATOM 100004 X MW . WAT4 A 1 33333 ? -3.0000 2.0000 1.0000 1 0 33333 A 1", "# step= 600 atoms= 3",
                  "ATOM 2 O O5' . WAT4 A 1 33333 ? 1.2500 -123456.5000 10000000.0000 1 0 33333 A 2",
                  "ATOM 3 Na 'N A' . '#1' A 1 33333 ? 0.0000 0.0000 -0.0001 1 0 33333 A 2",
                  "ATOM 100004 X MW . WAT4 A 1 33333 ? -3.0000 2.0000 1.0000 1 0 33333 A 2"));
  const std::vector<InputFrame> frames = read_back();
  ASSERT_EQ(frames.size(), 2U);
  EXPECT_EQ(frames[0].step, 500);
  EXPECT_EQ(frames[0].structure.time, 1000.0) << "fs";
  EXPECT_EQ(frames[0].structure.title, "it's ;a title");
  EXPECT_THAT(frames[0].ids, ElementsAre(2, 3, 100'004));
  EXPECT_THAT(frames[0].structure.atom_name, ElementsAre("O5'", "N A", "MW"));
  EXPECT_EQ(frames[1].structure.time, std::nullopt);
  EXPECT_EQ(frames[1].structure.position[0].y, -123456.5);
  EXPECT_EQ(frames[1].structure.place_of_atom(1).line, 33U) << "of the file";
}

TEST_F(CifTrajectory, UnitsAreThoseOfTheRun) {
  const Particles atoms = some_atoms(3, 5);
  append_step(*open_trajectory({.path = path()}, atoms, kLjUnits), 50, atoms);
  const std::vector<InputFrame> frames = read_back();
  ASSERT_EQ(frames.size(), 1U);
  EXPECT_EQ(frames[0].structure.units, UnitSystem::lj);
  EXPECT_EQ(frames[0].structure.time, 100.0);
  EXPECT_TRUE(frames[0].ids.empty()) << "1, 2, 3 say nothing";
}

TEST_F(CifTrajectory, ModelsAreCountedAlsoAfterAPause) {
  const Particles atoms = some_atoms(3, 5);
  FileMark mark;
  {
    const auto writer = open_trajectory({.path = path()}, atoms);
    for (const std::int64_t step : {0, 10, 20}) {
      append_step(*writer, step, atoms);
      if (step == 10) mark = writer->flushed_mark();
    }
  }
  append_step(*open_trajectory({.path = path(), .after = mark}, atoms), 30, atoms);
  EXPECT_TRUE(rows().back().ends_with(" A 3"));
  EXPECT_THAT(read_text(path()), HasSubstr("# step= 30 atoms= 3 t= 0.06\n"));
}

}  // namespace
}  // namespace dropmd
