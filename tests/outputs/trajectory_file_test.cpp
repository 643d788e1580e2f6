#include "outputs/trajectories/trajectory_file.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <memory>

#include "inputs/structures/extended_xyz.h"
#include "tests/outputs/output_files.h"
#include "tests/support/system/temp_folder.h"

namespace dropmd {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
namespace fs = std::filesystem;

Particles two_atoms(double x) {
  Particles particles;
  particles.position = {{x, -1.0 / 3.0, 1e-300}, {1.5, 2.0, -3.0}};
  particles.velocity = {{0.25, 0.0, -1.0 / 7.0}, {0.0, 1e22, 0.0}};
  particles.mass = {22.99, 35.45};
  particles.charge = {1.0, -1.0};
  particles.species = {1, 0};
  particles.species_names = {"Cl", "Na"};
  return particles;
}

std::unique_ptr<TrajectoryWriter> opened(const TrajectoryTarget& target) {
  return trajectory_format(target.path).open(target, {.units = kRealUnits, .title = "two atoms"});
}

TEST(TrajectoryFile, NamesDecideOnTheFormat) {
  EXPECT_THAT(trajectory_extensions(), ElementsAre(".xyz"));
  for (const std::string_view extension : trajectory_extensions()) {
    const TrajectoryFormat& format = trajectory_format("out/frames" + std::string(extension));
    EXPECT_EQ(format.extension, extension);
    EXPECT_GT(format.frame_bytes(100), 0U);
  }
  for (const char* const name : {"out/frames.tng", "out/frames", "out/.xyz"})
    EXPECT_EQ(output_error_of([&] { trajectory_format(name); }),
              std::string(name) + ": no trajectory format for this name (it must end in .xyz)");
}

TEST(TrajectoryFile, ExtendedXyzReadsBackTheSame) {
  const TempFolder folder;
  const fs::path path = folder.path() / "a.xyz";
  const auto writer = opened({.path = path});
  writer->append({0, 0, two_atoms(7)});
  const Particles last = two_atoms(0.1);
  writer->append({20, 10.5, last});
  writer->close();
  EXPECT_THAT(read_text(path), HasSubstr("Time=10.5 step=20 units=real\n"));
  const Structure read = read_extended_xyz(path);
  EXPECT_EQ(read.position, last.position);
  EXPECT_EQ(read.velocity, last.velocity);
  EXPECT_EQ(read.charge, last.charge);
  EXPECT_EQ(read.mass, last.mass);
  EXPECT_EQ(read.time, 10.5);
}

TEST(TrajectoryFile, AFileIsContinuedAfterItsMark) {
  const TempFolder folder;
  const fs::path whole = folder.path() / "whole.xyz", cut = folder.path() / "cut.xyz";
  const auto append = [](TrajectoryWriter& writer, std::int64_t step) {
    writer.append({step, static_cast<double>(step), two_atoms(static_cast<double>(step))});
  };
  const auto all = opened({.path = whole});
  for (const std::int64_t step : {0, 1, 2}) append(*all, step);
  const FileMark open = all->synced_mark();
  all->close();
  EXPECT_EQ(all->synced_mark(), open) << "also of a file that is closed";

  FileMark mark;
  {
    const auto writer = opened({.path = cut});
    append(*writer, 0);
    mark = writer->synced_mark();
    append(*writer, 77);  // behind the checkpoint
  }
  const TrajectoryFormat& format = trajectory_format(cut);
  EXPECT_EQ(output_error_of([&] { format.require_mark(cut, mark); }), "");
  const auto writer = opened({.path = cut, .after = mark});
  for (const std::int64_t step : {1, 2}) append(*writer, step);
  writer->close();
  EXPECT_EQ(read_text(cut), read_text(whole));
  EXPECT_THAT(output_error_of([&] { format.require_mark(cut, {.bytes = mark.bytes, .crc = mark.crc + 1}); }),
              HasSubstr("was changed"));
}

TEST(TrajectoryFile, AnExistingFileIsReplacedOnlyOnRequest) {
  const TempFolder folder;
  const fs::path path = folder.write("a.xyz", "precious");
  EXPECT_THAT(output_error_of([&] { opened({.path = path}); }), HasSubstr("a.xyz exists"));
  EXPECT_EQ(read_text(path), "precious");
  opened({.path = path, .overwrite = true})->close();
  EXPECT_EQ(read_text(path), "");
}

}  // namespace
}  // namespace dropmd
