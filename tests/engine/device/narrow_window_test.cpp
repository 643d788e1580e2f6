#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>

#include "core/errors.h"
#include "inputs/run_file/run_config.h"
#include "tests/support/short_run.h"
#include "tests/support/system/app_folder.h"

/// Switching windows that are too narrow for mixed precision.
namespace dropmd {
namespace {

using testing::AllOf;
using testing::HasSubstr;

PairModel switched(double from) {
  return simple_model(FormChoice{"switch", {{"cutoff", 10.0}, {"switch-from", from}}});
}

TEST(NarrowWindow, OfMixedPrecisionIsAnInputError) {
  const RunConfig config = lj_run(verlet(0.001), 1);
  RunConfig exact = config;
  exact.precision = Precision::fp64;
  for (const double from : {9.99, 9.9, 9.51}) {
    EXPECT_THROW(choose_method(config, switched(from), 10), InputError) << from;
    EXPECT_NO_THROW(choose_method(exact, switched(from), 10)) << from;
  }
  for (const double from : {9.5, 8.0, 1.0}) EXPECT_NO_THROW(choose_method(config, switched(from), 10)) << from;
}

TEST(NarrowWindow, LeavesTheMethodsOfDoublePrecision) {
  RunConfig config = lj_run(verlet(0.001), 1);
  config.backend = Backend::cpu;
  const auto is_mixed = [](const Method& method) { return method.precision == Precision::mixed; };
  const std::vector<Method> narrow = available_methods(config, switched(9.9), 10);
  EXPECT_EQ(narrow.size(), 4U);
  EXPECT_TRUE(std::none_of(narrow.begin(), narrow.end(), is_mixed));
  EXPECT_EQ(available_methods(config, switched(9.0), 10).size(), 8U);
  EXPECT_THROW(available_methods(config, switched(9.9), 10, Precision::mixed), InputError);
}

TEST(NarrowWindow, IsNamedWithItsPlace) {
  const AppFolder folder;
  folder.write(
      "narrow.toml",
      "units = \"lj\"\n[system]\nstructure = \"inputs/samples/lj-cluster-13.xyz\"\nmass = 1.0\n"
      "[lennard-jones]\nepsilon = 1.0\nsigma = 1.0\ncutoff = 2.5\nat-cutoff = \"switch\"\nswitch-from = 2.49\n");
  const Outcome refused = folder.run("dropmd energy narrow.toml --backend cpu");
  EXPECT_EQ(refused.status, 3);
  EXPECT_THAT(refused.err,
              AllOf(HasSubstr("narrow.toml:10:15: 'switch-from' in [lennard-jones] leaves a window of 0.4% of the"),
                    HasSubstr("(use at most 2.375, or precision = \"double\")")));
  EXPECT_EQ(folder.run("dropmd energy narrow.toml --backend cpu --precision double").status, 0);
  const Outcome compared = folder.run("dropmd compare narrow.toml --backend cpu --json");
  EXPECT_EQ(compared.status, 0) << compared.err;
  EXPECT_THAT(compared.out, testing::Not(HasSubstr("mixed")));
}

}  // namespace
}  // namespace dropmd
