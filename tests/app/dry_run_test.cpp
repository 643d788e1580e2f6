#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>
#include <string>

#include "tests/support/system/app_folder.h"

/// What a dry run says of a mesh.
namespace dropmd {
namespace {

using testing::HasSubstr;

TEST(DryRun, FitsTheMeshAndSaysItsError) {
  const AppFolder folder;
  ASSERT_EQ(folder.run("dropmd generate droplet --atoms 1500 --disorder 0.05 -o mesh.drop -q").status, 0);
  folder.write("mesh.toml",
               "units = \"real\"\n[system]\nstructure = \"mesh.drop\"\nmass = 20\n[lennard-jones]\nepsilon = 0.2\n"
               "r-min = 2.5\ncutoff = 8\n[coulomb]\nform = \"exact\"\nmethod = \"mesh\"\naccuracy = 1e-3\n");
  const Outcome text = folder.run("dropmd run mesh.toml --dry-run --backend cpu");
  ASSERT_EQ(text.status, 0) << text.err;
  EXPECT_THAT(text.out, HasSubstr("\n# mesh: pairs within "));
  EXPECT_THAT(text.out, HasSubstr("\n# mesh: measured error "));

  const Outcome outcome = folder.run("dropmd run mesh.toml --dry-run --backend cpu --json");
  const nlohmann::json said = nlohmann::json::parse(outcome.out)["estimate"]["mesh"];
  ASSERT_GE(said.size(), 2U);
  EXPECT_THAT(said.front().get<std::string>(), HasSubstr("mesh: pairs within "));
  EXPECT_THAT(said.back().get<std::string>(), HasSubstr("mesh: measured error"));
  const Outcome run = folder.run("dropmd run mesh.toml --steps 0 --backend cpu -o out");
  for (const auto& line : said) EXPECT_THAT(run.out + run.err, HasSubstr("step 0: " + line.get<std::string>()));
}

}  // namespace
}  // namespace dropmd
