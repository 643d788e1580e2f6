#include "outputs/forces_csv.h"

#include <gtest/gtest.h>

#include <cstdlib>
#include <vector>

#include "tests/outputs/output_files.h"
#include "tests/support/system/temp_folder.h"

namespace dropmd {
namespace {

TEST(ForcesCsv, AtomsFromOneAndTheSameBits) {
  const TempFolder folder;
  const auto path = folder.path() / "forces.csv";
  const std::vector<Vec3<double>> forces{{1.0 / 3.0, -0.1, 1e-310}, {0, 1e300 / 3, -2}};
  write_forces_csv(path, forces, false);

  const std::vector<std::string> lines = lines_of(read_text(path));
  ASSERT_EQ(lines.size(), 3U);
  EXPECT_EQ(lines[0], "atom,fx,fy,fz");
  for (std::size_t i = 0; i < forces.size(); ++i) {
    char* next = nullptr;
    EXPECT_EQ(std::strtoul(lines[i + 1].c_str(), &next, 10), i + 1);
    Vec3<double> parsed;
    for (double* component : {&parsed.x, &parsed.y, &parsed.z}) {
      ASSERT_EQ(*next, ',');
      *component = std::strtod(next + 1, &next);
    }
    EXPECT_EQ(*next, '\0');
    EXPECT_EQ(parsed, forces[i]);
  }
}

TEST(ForcesCsv, ExistingFileIsRefused) {
  const TempFolder folder;
  const auto path = folder.write("forces.csv", "old");
  EXPECT_NE(output_error_of([&] { write_forces_csv(path, {}, false); }).find("use --force"), std::string::npos);
  EXPECT_EQ(read_text(path), "old");
}

}  // namespace
}  // namespace dropmd
