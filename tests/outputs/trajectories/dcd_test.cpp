#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstring>
#include <string>

#include "tests/outputs/output_files.h"
#include "tests/outputs/trajectories/frames.h"
#include "tests/support/system/temp_folder.h"

namespace dropmd {
namespace {

using testing::HasSubstr;
using testing::StartsWith;
namespace fs = std::filesystem;

constexpr std::size_t kHeader = 276;  // 84, 164 and 4 bytes in records, each with its length before and behind it

template <class Number>
Number at(const std::string& bytes, std::size_t byte) {
  Number number{};
  std::memcpy(&number, bytes.data() + byte, sizeof number);
  return number;
}

/// A number of the first record, by its index in CHARMM's array ICNTRL.
template <class Number = std::int32_t>
Number control(const std::string& bytes, std::size_t index) {
  return at<Number>(bytes, 4 + 4 + 4 * index);
}

class DcdTrajectory : public testing::Test {
 protected:
  fs::path path() const { return folder_.path() / "a.dcd"; }
  std::string bytes() const { return read_text(path()); }
  TempFolder folder_;
};

TEST_F(DcdTrajectory, TheHeaderIsThatOfCharmm) {
  const Particles atoms = some_atoms(7, 5);
  const auto writer = open_trajectory({.path = path()}, atoms);
  const std::string header = bytes();
  ASSERT_EQ(header.size(), kHeader);
  EXPECT_EQ(at<std::int32_t>(header, 0), 84);
  EXPECT_EQ(header.substr(4, 4), "CORD");
  EXPECT_EQ(control(header, 0), 0) << "no frames yet";
  EXPECT_EQ(control(header, 2), 10) << "steps between frames";
  EXPECT_FLOAT_EQ(control<float>(header, 9), 0.04090966F) << "2 fs in units of 48.888 fs";
  for (const std::size_t index : {4, 5, 6, 7, 8, 10, 11, 12, 18}) EXPECT_EQ(control(header, index), 0) << index;
  EXPECT_EQ(control(header, 19), 24) << "CHARMM";
  EXPECT_EQ(at<std::int32_t>(header, 88), 84);
  EXPECT_EQ(at<std::int32_t>(header, 92), 164);
  EXPECT_EQ(at<std::int32_t>(header, 96), 2) << "lines of the title";
  EXPECT_THAT(header.substr(100, 80), StartsWith("REMARKS dropmd "));
  EXPECT_EQ(header.substr(180, 80), "some atoms" + std::string(70, ' '));
  EXPECT_EQ(at<std::int32_t>(header, 268), 7);
}

/// Readers believe the header.
TEST_F(DcdTrajectory, TheHeaderCountsTheFramesAfterEachOfThem) {
  const Particles atoms = some_atoms(7, 5);
  FileMark mark;
  {
    const auto writer = open_trajectory({.path = path()}, atoms);
    for (const std::int32_t k : {0, 1, 2}) {
      append_step(*writer, 30 + 10 * k, atoms);
      if (k == 1) mark = writer->flushed_mark();
      EXPECT_EQ(control(bytes(), 0), k + 1);
      EXPECT_EQ(control(bytes(), 1), 30);
      EXPECT_EQ(control(bytes(), 3), 30 + 10 * k);
      EXPECT_EQ(bytes().size(), kHeader + static_cast<std::size_t>(k + 1) * 3 * (8 + 28));
    }
  }
  const auto writer = open_trajectory({.path = path(), .after = mark}, atoms);
  EXPECT_EQ(control(bytes(), 0), 2);
  EXPECT_EQ(control(bytes(), 1), 30);
  EXPECT_EQ(control(bytes(), 3), 40);
  EXPECT_EQ(bytes().size(), kHeader + std::size_t{2} * 3 * (8 + 28));
}

TEST_F(DcdTrajectory, PositionsAreThoseOfTheRun) {
  const Particles atoms = some_atoms(7, 5e6);
  for (const Units& units : {kRealUnits, kLjUnits}) {
    const auto writer = open_trajectory({.path = path(), .overwrite = true}, atoms, units);
    append_step(*writer, 0, atoms);
    for (std::size_t i = 0; i < 7; ++i) {
      EXPECT_EQ(at<float>(bytes(), kHeader + 4 + 4 * i), static_cast<float>(atoms.position[i].x));
      EXPECT_EQ(at<float>(bytes(), kHeader + 40 + 4 * i), static_cast<float>(atoms.position[i].y));
      EXPECT_EQ(at<float>(bytes(), kHeader + 76 + 4 * i), static_cast<float>(atoms.position[i].z));
    }
    EXPECT_EQ(at<std::int32_t>(bytes(), kHeader), 28);
    EXPECT_EQ(at<std::int32_t>(bytes(), kHeader + 32), 28);
    EXPECT_FLOAT_EQ(control<float>(bytes(), 9), units.system == UnitSystem::lj ? 2 : 0.04090966F);
  }
}

TEST_F(DcdTrajectory, AtomsThatLeftStayWhereTheyWere) {
  const Particles start = some_atoms(30, 8);
  const auto writer = open_trajectory({.path = path()}, start);
  for (const std::int64_t step : {0, 10, 20, 30, 40}) append_step(*writer, step, atoms_of_step(30, step));
  const auto x = [&](std::size_t frame, std::size_t atom) {
    return at<float>(bytes(), kHeader + frame * 3 * 128 + 4 + 4 * (atom - 1));
  };
  const Particles second = atoms_of_step(30, 10), fourth = atoms_of_step(30, 30), last = atoms_of_step(30, 40);
  for (const std::size_t frame : {1U, 2U, 3U, 4U}) EXPECT_EQ(x(frame, 5), static_cast<float>(second.position[4].x));
  EXPECT_EQ(x(4, 12), static_cast<float>(fourth.position[9].x));
  EXPECT_EQ(x(4, 13), static_cast<float>(last.position[9].x));
  EXPECT_EQ(x(4, 30), static_cast<float>(last.position[26].x));
}

/// A header has one interval.
TEST_F(DcdTrajectory, AnotherIntervalIsRefused) {
  const Particles atoms = some_atoms(7, 5);
  const auto writer = open_trajectory({.path = path()}, atoms);
  append_step(*writer, 0, atoms);
  const FileMark mark = writer->flushed_mark();
  writer->close();
  TrajectoryContents contents = contents_of(atoms);
  contents.every = 20;
  const TrajectoryFormat& format = trajectory_format(path());
  const std::string before = bytes();
  EXPECT_THAT(
      output_error_of([&] { format.require_fits({.path = path(), .after = mark}, contents); }),
      HasSubstr(
          "a.dcd has a frame every 10 steps, but a .dcd file has only one interval (set trajectory-every = 10, "));
  EXPECT_NE(output_error_of([&] { format.open({.path = path(), .after = mark}, contents); }), "");
  EXPECT_EQ(bytes(), before);
}

TEST_F(DcdTrajectory, TitlesAreCutToTheirLine) {
  const Particles atoms = some_atoms(1, 5);
  TrajectoryContents contents = contents_of(atoms);
  contents.title = std::string(200, 'x').append("\nsecond");
  trajectory_format(path()).open({.path = path()}, contents)->close();
  EXPECT_EQ(bytes().size(), kHeader);
  EXPECT_EQ(bytes().substr(180, 80), std::string(80, 'x'));
}

}  // namespace
}  // namespace dropmd
