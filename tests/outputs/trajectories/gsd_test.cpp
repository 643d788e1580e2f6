#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/stat.h>

#include <cstring>
#include <string>

#include "outputs/trajectories/hoomd_frame.h"
#include "tests/outputs/output_files.h"
#include "tests/outputs/trajectories/frames.h"
#include "tests/support/system/temp_folder.h"

#if DROPMD_HAS_GSD

namespace dropmd {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
namespace fs = std::filesystem;

const GsdChunk* find(const GsdFrame& frame, std::string_view name) {
  for (const GsdChunk& chunk : frame)
    if (chunk.name == name) return &chunk;
  return nullptr;
}

template <class Number>
std::vector<Number> numbers(const GsdFrame& frame, std::string_view name) {
  const GsdChunk* const chunk = find(frame, name);
  if (chunk == nullptr) return {};
  std::vector<Number> values(chunk->data.size() / sizeof(Number));
  std::memcpy(values.data(), chunk->data.data(), chunk->data.size());
  return values;
}

class GsdTrajectory : public testing::Test {
 protected:
  fs::path path() const { return folder_.path() / "a.gsd"; }
  GsdFrame frame(std::uint64_t k) const { return GsdFile(path(), GsdFile::Open::read, path()).read(k, kHoomdNames); }
  TempFolder folder_;
};

TEST_F(GsdTrajectory, HasTheSchemaOfHoomd) {
  const Particles atoms = some_atoms(4, 5);
  const auto writer = open_trajectory({.path = path()}, atoms);
  append_step(*writer, 10, atoms);
  writer->close();
  const GsdFrame read = frame(0);
  EXPECT_THAT(numbers<std::uint64_t>(read, "configuration/step"), ElementsAre(10));
  EXPECT_THAT(numbers<double>(read, "log/time"), ElementsAre(20));
  EXPECT_THAT(numbers<float>(read, "configuration/box"), ElementsAre(16, 16, 16, 0, 0, 0));
  EXPECT_THAT(numbers<std::uint32_t>(read, "particles/N"), ElementsAre(4));
  EXPECT_EQ(find(read, "particles/types")->data, std::string("O\0H\0", 4));
  EXPECT_EQ(find(read, "particles/types")->m, 2U);
  EXPECT_THAT(numbers<std::uint32_t>(read, "particles/typeid"), ElementsAre(0, 1, 1, 0));
  EXPECT_THAT(numbers<float>(read, "particles/mass"), ElementsAre(15.9994F, 1.008F, 1.008F, 15.9994F));
  EXPECT_THAT(numbers<float>(read, "particles/charge"), ElementsAre(-0.8F, 0.4F, 0.4F, -0.8F));
  EXPECT_THAT(numbers<std::uint32_t>(read, "log/particles/id"), ElementsAre(1, 2, 3, 4));
  EXPECT_EQ(find(read, "log/units")->data, "real");
  const auto x = numbers<float>(read, "particles/position"), v = numbers<float>(read, "particles/velocity");
  ASSERT_EQ(x.size(), 12U);
  for (std::size_t i = 0; i < 4; ++i) {
    EXPECT_EQ(x[3 * i + 1], static_cast<float>(atoms.position[i].y));
    EXPECT_EQ(v[3 * i + 2], static_cast<float>(atoms.velocity[i].z));
  }
}

TEST_F(GsdTrajectory, TheBoxHasAllAtoms) {
  for (const double spread : {1e-3, 0.6, 7.0, 8.1, 1e5}) {
    Particles atoms = some_atoms(40, 0.5 * spread);
    atoms.position[7].z = -spread;
    const GsdFrame read = hoomd_frame({0, 0, atoms}, false);
    const float edge = numbers<float>(read, "configuration/box")[0];
    EXPECT_GT(edge, 2 * spread);
    EXPECT_LE(edge, std::max(1.0, 4 * spread));
  }
}

/// They are, in frames with as many atoms as the first one; in others, readers would take defaults.
TEST_F(GsdTrajectory, ConstantsAreStoredOnce) {
  const Particles start = some_atoms(30, 8);
  const auto writer = open_trajectory({.path = path()}, start);
  for (const std::int64_t step : {0, 10, 20, 30}) append_step(*writer, step, atoms_of_step(30, step));
  writer->close();
  EXPECT_NE(find(frame(0), "particles/mass"), nullptr);
  for (const char* const name : {"particles/types", "particles/mass", "particles/typeid", "log/particles/id"})
    EXPECT_EQ(find(frame(1), name), nullptr) << name;
  for (const std::uint64_t k : {2U, 3U}) {
    EXPECT_EQ(find(frame(k), "particles/types"), nullptr);
    EXPECT_EQ(find(frame(k), "particles/mass")->n, 28U);
    EXPECT_EQ(numbers<std::uint32_t>(frame(k), "log/particles/id")[1], 3U);
  }
}

/// As other files of a run: what the umask leaves.
TEST_F(GsdTrajectory, HasThePermissionsOfOtherFiles) {
  const Particles atoms = some_atoms(4, 5);
  const mode_t before = ::umask(0002);
  for (const char* const name : {"a.gsd", "a.dcd"}) open_trajectory({.path = folder_.path() / name}, atoms)->close();
  ::umask(before);
  EXPECT_EQ(fs::status(path()).permissions(), fs::status(folder_.path() / "a.dcd").permissions());
}

TEST_F(GsdTrajectory, APipeIsRefused) {
  ASSERT_EQ(::mkfifo(path().c_str(), 0600), 0);
  const Particles atoms = some_atoms(4, 5);
  EXPECT_THAT(output_error_of([&] { open_trajectory({.path = path(), .overwrite = true}, atoms); }),
              HasSubstr("a .gsd file cannot be a pipe or a device"));
}

/// The library maps its index, and the kernel would end a program that reads what is no longer there.
TEST_F(GsdTrajectory, AFileThatAnotherProgramCutsIsAnError) {
  const Particles atoms = some_atoms(4, 5);
  const auto writer = open_trajectory({.path = path()}, atoms);
  append_step(*writer, 0, atoms);
  fs::resize_file(path(), 0);
  EXPECT_THAT(output_error_of([&] { append_step(*writer, 10, atoms); }),
              HasSubstr("another program cut it to 0 bytes"));
}

}  // namespace
}  // namespace dropmd

#endif
