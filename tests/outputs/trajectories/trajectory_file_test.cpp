#include "outputs/trajectories/trajectory_file.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <memory>

#include "core/run/missing_library.h"
#include "inputs/structures/extended_xyz.h"
#include "tests/outputs/output_files.h"
#include "tests/support/system/temp_folder.h"

namespace dropmd {
namespace {

using testing::AllOf;
using testing::HasSubstr;
using testing::StartsWith;
using testing::UnorderedElementsAreArray;
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
  std::vector<std::string_view> expected{".xyz", ".dcd", ".pdb", ".cif"};
  if (missing_library(".xtc").empty()) expected.emplace_back(".xtc");
  if (missing_library(".gsd").empty()) expected.emplace_back(".gsd");
  EXPECT_THAT(trajectory_extensions(), UnorderedElementsAreArray(expected));
  EXPECT_EQ(trajectory_extensions().front(), ".xyz");
  for (const std::string_view extension : trajectory_extensions()) {
    const TrajectoryFormat& format = trajectory_format("out/frames" + std::string(extension));
    EXPECT_EQ(format.extension, extension);
    EXPECT_GT(format.frame_bytes(100), 0U);
  }
  for (const char* const name : {"out/frames.tng", "out/frames", "out/.xyz"})
    EXPECT_THAT(output_error_of([&] { trajectory_format(name); }),
                StartsWith(std::string(name) + ": no trajectory format for this name (it must end in .xyz, "));
}

/// A build without the libraries says so.
TEST(TrajectoryFile, WhatABuildLacksIsNamed) {
  for (const char* const extension : {".xtc", ".gsd"}) {
    if (missing_library(extension).empty()) continue;
    EXPECT_THAT(output_error_of([&] { trajectory_format("a" + std::string(extension)); }),
                AllOf(StartsWith("a" + std::string(extension) + ": this build of dropmd does not support "),
                      HasSubstr("-DFETCHCONTENT_SOURCE_DIR_")));
  }
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

}  // namespace
}  // namespace dropmd
