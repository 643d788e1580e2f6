#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <cstring>
#include <string>

#include "outputs/trajectories/xtc_codec.h"
#include "tests/outputs/output_files.h"
#include "tests/outputs/trajectories/frames.h"
#include "tests/support/system/temp_folder.h"

#if DROPMD_HAS_XDR

namespace dropmd {
namespace {

using testing::AllOf;
using testing::HasSubstr;
using testing::StartsWith;
namespace fs = std::filesystem;

template <class Number>
Number big_endian(const std::string& bytes, std::size_t at) {
  std::uint32_t bits = 0;
  for (std::size_t k = at; k < at + 4; ++k) bits = bits << 8U | static_cast<unsigned char>(bytes[k]);
  Number number{};
  std::memcpy(&number, &bits, 4);
  return number;
}

/// Bytes of the frames of a file, found by the lengths that the frames state.
std::vector<std::string> frames_of(const fs::path& path) {
  const std::string bytes = read_text(path);
  std::vector<std::string> frames;
  for (std::size_t at = 0; at < bytes.size();) {
    const auto n = big_endian<std::uint32_t>(bytes, at + 52);
    const std::size_t length = n <= 9 ? 56 + 12 * n : 92 + (big_endian<std::uint32_t>(bytes, at + 88) + 3) / 4 * 4;
    frames.push_back(bytes.substr(at, length));
    at += length;
  }
  return frames;
}

std::vector<float> written(double spread, std::size_t n, const Units& units = kRealUnits) {
  const TempFolder folder;
  const Particles atoms = some_atoms(n, spread);
  const auto writer = open_trajectory({.path = folder.path() / "a.xtc"}, atoms, units);
  append_step(*writer, 0, atoms);
  writer->close();
  return XtcCodec().decode(frames_of(folder.path() / "a.xtc").at(0));
}

/// On the grid of 0.001 nm, as near as numbers of 32 bits can be; plain numbers up to nine atoms.
TEST(XtcTrajectory, PositionsAreRoundedToTheGrid) {
  for (const double spread : {0.001, 1.0, 50.0, 1e4})
    for (const std::size_t n : {1U, 2U, 9U, 10U, 11U, 100U, 3000U}) {
      SCOPED_TRACE(std::to_string(n) + " atoms, " + std::to_string(spread));
      const Particles atoms = some_atoms(n, spread);
      const std::vector<float> read = written(spread, n);
      ASSERT_EQ(read.size(), 3 * n);
      for (std::size_t i = 0; i < n; ++i) {
        const double x[] = {0.1 * atoms.position[i].x, 0.1 * atoms.position[i].y, 0.1 * atoms.position[i].z};
        for (std::size_t k = 0; k < 3; ++k)
          ASSERT_NEAR(read[3 * i + k], x[k], (n > 9 ? 0.000501 : 0) + 3e-7 * std::abs(x[k])) << i;
      }
    }
}

TEST(XtcTrajectory, AnAtomMayBeFarAway) {
  XtcCodec codec;
  for (const float far : {1e3F, 1e4F, 1e5F, 268'434.0F, -268'434.0F}) {
    std::vector<float> positions(60, 0.5F);
    positions[48] = positions[50] = far;
    const std::vector<float> read = codec.decode(codec.encode(0, 0, positions));
    for (std::size_t k = 0; k < 60; ++k) EXPECT_NEAR(read[k], positions[k], 0.0011 + 2e-7 * std::abs(positions[k]));
  }
}

TEST(XtcTrajectory, HasTheNumbersOfGromacs) {
  const TempFolder folder;
  const fs::path path = folder.path() / "a.xtc";
  const Particles atoms = some_atoms(12, 5);
  const auto writer = open_trajectory({.path = path}, atoms);
  writer->append({3, 1500, atoms});
  writer->append({(std::int64_t{1} << 32U) + 7, 2500, atoms});
  writer->close();
  const std::vector<std::string> frames = frames_of(path);
  ASSERT_EQ(frames.size(), 2U);
  EXPECT_EQ(big_endian<std::int32_t>(frames[0], 0), 1995);
  EXPECT_EQ(big_endian<std::int32_t>(frames[0], 4), 12);
  EXPECT_EQ(big_endian<std::int32_t>(frames[0], 8), 3);
  EXPECT_EQ(big_endian<float>(frames[0], 12), 1.5F) << "ps";
  for (std::size_t k = 0; k < 9; ++k) EXPECT_EQ(big_endian<float>(frames[0], 16 + 4 * k), 0.0F) << "no box";
  EXPECT_EQ(big_endian<std::int32_t>(frames[0], 52), 12);
  EXPECT_EQ(big_endian<float>(frames[0], 56), 1000.0F);
  EXPECT_EQ(big_endian<std::int32_t>(frames[1], 8), 7) << "the last 32 bits of the step";
}

TEST(XtcTrajectory, UnitsLjAreWrittenAsTheyAre) {
  const std::vector<float> real = written(5, 20), reduced = written(5, 20, kLjUnits);
  for (std::size_t k = 0; k < real.size(); ++k) EXPECT_NEAR(reduced[k], 10 * real[k], 0.0056);
}

TEST(XtcTrajectory, AtomsThatLeftStayWhereTheyWere) {
  const TempFolder folder;
  const fs::path path = folder.path() / "a.xtc";
  const Particles start = some_atoms(30, 8);
  const auto writer = open_trajectory({.path = path}, start);
  for (const std::int64_t step : {0, 10, 20, 30, 40}) append_step(*writer, step, atoms_of_step(30, step));
  writer->close();
  std::vector<std::vector<float>> read;
  for (const std::string& frame : frames_of(path)) read.push_back(XtcCodec().decode(frame));
  ASSERT_EQ(read.size(), 5U);
  for (std::size_t k = 0; k < 3; ++k) {
    for (const std::size_t atom : {2U, 5U})
      for (const std::size_t frame : {2U, 3U, 4U})
        EXPECT_EQ(read[frame][3 * (atom - 1) + k], read[1][3 * (atom - 1) + k]);
    EXPECT_EQ(read[4][33 + k], read[3][33 + k]) << "atom 12";
    EXPECT_NE(read[2][33 + k], read[1][33 + k]) << "it was still there";
    EXPECT_NE(read[2][k], read[1][k]) << "atom 1";
  }
}

TEST(XtcTrajectory, CoordinatesBeyondTheCodecNameTheAtom) {
  const TempFolder folder;
  for (const double far : {2.7e6, -1e30}) {
    const fs::path path = folder.path() / "a.xtc";
    const Particles start = some_atoms(20, 5);
    Particles atoms = without(start, {3});
    const auto writer = open_trajectory({.path = path, .overwrite = true}, start);
    append_step(*writer, 0, start);
    const std::string before = read_text(path);
    atoms.position[15].y = far;
    EXPECT_THAT(
        output_error_of([&] { append_step(*writer, 10, atoms); }),
        AllOf(StartsWith(path.string() + ": step 10: atom 17 is at y = "), HasSubstr("ends in .cif, .gsd or .xyz")));
    EXPECT_TRUE(read_text(path) == before) << "the file keeps its frames";
  }
}

/// The codec's table of differences ends there.
TEST(XtcTrajectory, AtomsThatAreAllFarApartAreAnError) {
  const TempFolder folder;
  Particles atoms = some_atoms(10, 1);
  for (std::size_t i = 0; i < 10; ++i) atoms.position[i].x = 1e5 * static_cast<double>(i);
  const auto writer = open_trajectory({.path = folder.path() / "a.xtc"}, atoms);
  EXPECT_THAT(output_error_of([&] { append_step(*writer, 0, atoms); }), HasSubstr("every atom is farther than 2600 "));
  for (std::size_t i = 0; i < 10; ++i) atoms.position[i].x = 2.5e4 * static_cast<double>(i);
  EXPECT_EQ(output_error_of([&] { append_step(*writer, 0, atoms); }), "");
}

TEST(XtcTrajectory, RunsThatItCannotHoldAreRefused) {
  const TempFolder folder;
  const Particles atoms = some_atoms(20, 5), fewer = without(atoms, {7, 8});
  for (const char* const name : {"a.xtc", "a.dcd"}) {
    const fs::path path = folder.path() / name;
    TrajectoryContents contents = contents_of(atoms);
    contents.may_add = true;
    EXPECT_THAT(
        output_error_of([&] { trajectory_format(path).open({.path = path}, contents); }),
        AllOf(HasSubstr(": atoms may be added to the run, but all frames of a ." + path.extension().string().substr(1)),
              HasSubstr("ends in .cif, .gsd, .pdb or .xyz")));
    EXPECT_THAT(output_error_of([&] { open_trajectory({.path = path}, fewer); }),
                HasSubstr(": atoms have left the run before this file begins"));
    EXPECT_FALSE(fs::exists(path)) << "before anything is written";
    const auto writer = open_trajectory({.path = path}, atoms);
    EXPECT_THAT(output_error_of([&] { append_step(*writer, 0, some_atoms(21, 5)); }),
                HasSubstr(": atom 21 was added to the run"));
  }
}

}  // namespace
}  // namespace dropmd

#endif
