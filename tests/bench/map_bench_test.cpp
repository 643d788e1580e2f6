#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <numbers>
#include <random>

#include "bench/maps.h"
#include "bench/pairs_within_cutoff.h"
#include "core/errors.h"
#include "device/device_info.h"

/// Counts and rows of `dropmd bench map`.
namespace dropmd {
namespace {

struct RandomCharges {
  std::vector<Vec3<double>> position;
  std::vector<double> charge;
  MapCharges view() const { return {position, charge}; }

  explicit RandomCharges(std::size_t n) {
    std::mt19937 random(5);
    std::uniform_real_distribution<double> place(-6, 6);
    for (std::size_t i = 0; i < n; ++i) {
      const double x = place(random), y = place(random), z = place(random);
      position.push_back({x, y, z});
      charge.push_back(i % 7 == 0 ? 0 : 1);
    }
  }
};

TEST(MapPairsWithinCutoff, AreThoseOfASearchThroughAll) {
  const RandomCharges atoms(300);
  const MapGrid grid{{-3.5, -4.0, -2.0}, {0.5, 0.7, 0.9}, {15, 9, 6}};
  for (const double cutoff : {0.2, 1.0, 2.5, 30.0}) {
    double expected = 0;
    for (std::size_t a = 0; a < atoms.charge.size(); ++a)
      for (std::int32_t k = 0; k < grid.points.z; ++k)
        for (std::int32_t j = 0; j < grid.points.y; ++j)
          for (std::int32_t i = 0; i < grid.points.x; ++i) {
            const Vec3<double> d = grid.at(i, j, k) - atoms.position[a];
            expected += atoms.charge[a] != 0 && dot(d, d) < cutoff * cutoff ? 1 : 0;
          }
    EXPECT_EQ(map_pairs_within_cutoff(Cpu{2}, grid, atoms.view(), cutoff), expected) << cutoff;
  }
}

TEST(MapPairsWithinCutoff, PointsAtTheCutoffDoNotCount) {
  const std::vector<Vec3<double>> position{{0, 0, 0}};
  const std::vector<double> charge{1.0};
  EXPECT_EQ(map_pairs_within_cutoff(Cpu{1}, {{-2, 0, 0}, {0.5, 1, 1}, {9, 1, 1}}, {position, charge}, 2), 7);
  EXPECT_EQ(map_pairs_within_cutoff(Cpu{1}, {{0, 0, -2}, {1, 1, 1}, {1, 1, 5}}, {position, charge}, 2), 3);
  EXPECT_EQ(map_pairs_within_cutoff(Cpu{1}, {{5, 0, 0}, {1, 1, 1}, {4, 4, 4}}, {position, charge}, 2), 0);
}

/// Atoms far from every face see 4/3 π r³/h³ points each on average, with a spread of about the grid cells at the
/// surface.
TEST(MapPairsWithinCutoff, ASampleIsScaled) {
  const RandomCharges atoms(7000);
  const MapGrid grid{{-9, -9, -9}, {0.5, 0.5, 0.5}, {37, 37, 37}};
  const double all = map_pairs_within_cutoff(Cpu{2}, grid, atoms.view(), 3);
  EXPECT_NEAR(map_pairs_within_cutoff(Cpu{2}, grid, atoms.view(), 3, 500) / all, 1, 0.01);
  EXPECT_NEAR(all / (6000 * 4.0 / 3 * std::numbers::pi * 27 / 0.125), 1, 0.01);
  EXPECT_EQ(map_pairs_within_cutoff(Cpu{2}, grid, {}, 3), 0);
}

MapBenchChoices small_choices() { return {.backend = Backend::cpu, .threads = 2, .spacing = 1.5}; }

TEST(MapBench, TimesTheCpu) {
  const std::size_t sizes[] = {200, 300};
  std::size_t n_shown = 0;
  const auto rows = bench_maps(small_choices(), sizes, [&](const MapBenchRow&) { ++n_shown; });
  ASSERT_EQ(rows.size(), 8U) << "two sizes, two forms, two precisions";
  EXPECT_EQ(n_shown, rows.size());
  for (const MapBenchRow& row : rows) {
    EXPECT_EQ(row.design, "dropmd");
    EXPECT_GT(row.time_us, 0);
    EXPECT_FALSE(row.kernel_us);
    EXPECT_EQ(row.cutoff.has_value(), row.form == "shift");
    EXPECT_LE(row.within_cutoff, row.evaluations);
    const auto all = static_cast<double>(row.n_atoms * row.n_points);
    EXPECT_TRUE(row.form == "exact" ? row.within_cutoff == all : row.within_cutoff < all);
  }
}

TEST(MapBench, LeavesOutWhatTakesTooLong) {
  MapBenchChoices choices = small_choices();
  choices.forms = {"exact"};
  choices.spacing = 0.05;
  choices.points = 400;
  const std::size_t sizes[] = {1000};
  EXPECT_TRUE(bench_maps(choices, sizes, [](const MapBenchRow&) {}).empty());
}

TEST(MapBench, RefusesWhatCannotBe) {
  const std::size_t sizes[] = {100};
  const auto refusal = [&](const auto& change) {
    MapBenchChoices choices = small_choices();
    change(choices);
    try {
      bench_maps(choices, sizes, [](const MapBenchRow&) {});
    } catch (const InputError& error) {
      return std::string(error.what());
    }
    return std::string();
  };
  EXPECT_THAT(refusal([](auto& c) { c.cutoff = 0.05; }), testing::HasSubstr("below its cutoff"));
  EXPECT_THAT(refusal([](auto& c) { c.spacing = 1e-3; }), testing::HasSubstr("points along an axis"));
  EXPECT_THAT(refusal([](auto& c) { c.forms = {"dsf"}; }), testing::HasSubstr("no form 'dsf'"));
}

TEST(MapBench, TimesTheGpu) {
  if (const DeviceReport report = query_devices(); report.devices.empty()) GTEST_SKIP() << report.reason;
  MapBenchChoices choices = small_choices();
  choices.backend = Backend::cuda;
  const std::size_t sizes[] = {300};
  const auto rows = bench_maps(choices, sizes, [](const MapBenchRow&) {});
  EXPECT_GE(rows.size(), 4U);
  for (const MapBenchRow& row : rows) {
    EXPECT_GT(row.kernel_us.value_or(0), 0) << row.design;
    EXPECT_GT(row.within_cutoff, 0) << row.design;
    EXPECT_LE(row.within_cutoff, row.evaluations) << row.design;
  }
}

}  // namespace
}  // namespace dropmd
