#include <gtest/gtest.h>

#include <cmath>
#include <string>

#include "tests/inputs/trajectories/read_frames.h"
#include "tests/support/system/python_reader.h"

/// Trajectories that other programs write (write_trajectory.py). A program that is not installed is skipped;
/// scripts/check_readers.sh installs all of them.
namespace dropmd {
namespace {

struct Written {
  const char* program;
  const char* file;
  double tolerance;        ///< A, of what the format stores
  bool has_times = false;  ///< frames 2 ps apart
};

constexpr double kGrid = 0.00501, kFloat = 2e-6;

constexpr Written kWritten[] = {
    {"mdanalysis", "a.xtc", kGrid, true},
    {"mdanalysis", "a.dcd", kFloat},
    {"mdanalysis", "a.pdb", 5.1e-4},
    {"mdanalysis", "a.xyz", 1e-5},
    {"mdtraj", "a.xtc", kGrid, true},
    {"mdtraj", "a.dcd", kFloat},
    {"mdtraj", "a.pdb", 5.1e-4},
    {"mdtraj", "a.gro", 0.0051, true},
    {"mdtraj", "a.xyz", 5.1e-4},
    {"ase", "a.extxyz", 1e-8},
    {"ase", "a.xyz", 1e-8},
    {"ase", "a.pdb", 5.1e-4},
    {"gsd", "a.gsd", kFloat},
};

class OtherProgram : public testing::TestWithParam<Written> {};

TEST_P(OtherProgram, WritesWhatIsRead) {
  const Written& written = GetParam();
  const TempFolder folder;
  const auto outcome =
      run_python(folder.path(), "../inputs/trajectories/write_trajectory.py", {written.program, written.file});
  if (!outcome) GTEST_SKIP() << "no Python has " << written.program;
  ASSERT_EQ(outcome->status, 0) << outcome->err;
  const std::vector<InputFrame> frames = frames_in(folder.path() / written.file);
  ASSERT_EQ(frames.size(), 3U);
  for (std::size_t f = 0; f < frames.size(); ++f) {
    const Structure& structure = frames[f].structure;
    ASSERT_EQ(structure.position.size(), 30U);
    for (std::size_t i = 0; i < structure.position.size(); ++i) {
      const auto coordinate = [&](double k) {
        return 9 * std::sin(static_cast<double>(i) + 31 * k) + static_cast<double>(f);
      };
      EXPECT_NEAR(structure.position[i].x, coordinate(0), written.tolerance) << f << ' ' << i;
      EXPECT_NEAR(structure.position[i].y, coordinate(1), written.tolerance) << f << ' ' << i;
      EXPECT_NEAR(structure.position[i].z, coordinate(2), written.tolerance) << f << ' ' << i;
    }
  }
  if (written.has_times) {
    EXPECT_NEAR(frames[2].structure.time.value() - frames[1].structure.time.value(), 2000, 1e-3);
  }
}

INSTANTIATE_TEST_SUITE_P(Table, OtherProgram, testing::ValuesIn(kWritten), [](const auto& test) {
  const std::string file = test.param.file;
  return std::string(test.param.program) + "_" + file.substr(file.find('.') + 1);
});

}  // namespace
}  // namespace dropmd
