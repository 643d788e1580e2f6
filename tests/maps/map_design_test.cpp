#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>

#include "core/errors.h"
#include "device/device_info.h"
#include "maps/designs/map_design.h"
#include "tests/support/maps/brute_force_map.h"
#include "tests/support/maps/map_charges.h"

/// The published designs compared with brute force in long double.
namespace dropmd {
namespace {

std::vector<MapModel> models_of(const MapDesign& design, double cutoff) {
  if (!design.has_cutoff) return {{{"exact", {}}, 332.06}};
  return {{{"cut", {{"cutoff", cutoff}}}, 332.06},
          {{"shift", {{"cutoff", cutoff}}}, 332.06},
          {{"smoothed", {{"cutoff", cutoff}}}, 332.06},
          {{"reaction-field", {{"cutoff", cutoff}, {"dielectric", 78.0}}}, 332.06}};
}

/// The error that plain fp32 may have at a point. Sums and terms contribute 3e-6 of k_e Σ|q|/r, which is 50 roundings
/// of 2⁻²⁴ in the same direction. Atom and point are rounded relative to a near origin, no farther away than the middle
/// of the grid or the span of a block and a bin. That changes r by some 2⁻²³ of the offsets along three axes, and 1/r,
/// or a form with twice its slope, by 2⁻²² of them over r².
long double tolerance(const MapModel& model, const MapGrid& grid, const Charges& charges, const Vec3<double>& point) {
  const Vec3<double> middle =
      0.5 * (grid.at(0, 0, 0) + grid.at(grid.points.x - 1, grid.points.y - 1, grid.points.z - 1));
  const double local = 8 * (grid.spacing.x + grid.spacing.y + grid.spacing.z) + 8;
  long double sum = 0;
  for (std::size_t i = 0; i < charges.charge.size(); ++i) {
    const long double distance = norm(point - charges.position[i]);
    if (distance > model.coulomb.value_or("cutoff", INFINITY) + 1e-4) continue;
    const long double r = std::max<long double>(distance, model.nearest);
    const long double size = norm(point - middle) + norm(charges.position[i] - middle) + local;
    sum += model.coulomb_constant * std::abs(charges.charge[i]) / r * (3e-6L + 0x1p-22L * size / r);
  }
  return sum;
}

class MapDesignTest : public testing::TestWithParam<MapDesign> {
 protected:
  void SetUp() override {
    if (const std::string reason = query_devices().reason; !reason.empty()) GTEST_SKIP() << reason;
  }

  static void expect_right(const MapModel& model, const MapGrid& grid, const Charges& charges,
                           std::optional<int> capacity = {}) {
    const auto sum = make_map_design(GetParam().name, 0, Cpu{2}, model, capacity);
    for (int turn = 0; turn < 2; ++turn) {  // it can be used twice
      const MapValues map = sum->compute(grid, charges.view());
      ASSERT_EQ(map.potential.size(), grid.n_points());
      long double worst = 0;
      for (std::int32_t k = 0; k < grid.points.z; ++k)
        for (std::int32_t j = 0; j < grid.points.y; ++j)
          for (std::int32_t i = 0; i < grid.points.x; ++i) {
            const BruteForcePoint answer = brute_force_point(model, charges.view(), grid.at(i, j, k));
            const double found = map.potential[grid.number(i, j, k)];
            const long double error = std::abs(found - answer.potential) - answer.edge;
            if (!(error <= 0))
              worst = std::max(worst,
                               std::isfinite(found) ? error / tolerance(model, grid, charges, grid.at(i, j, k)) : 1e9L);
          }
      EXPECT_LE(worst, 1) << model.coulomb.form << ", as a share of the tolerance";
    }
  }
};

TEST_P(MapDesignTest, AnyNumberOfAtomsAndPoints) {
  std::uint32_t seed = 1;
  const Vec3<std::int32_t> sizes[] = {{1, 1, 1},  {2, 3, 5},   {17, 9, 4}, {33, 1, 2},
                                      {1, 1, 19}, {15, 17, 8}, {130, 5, 3}};
  for (const MapModel& model : models_of(GetParam(), 4.0))
    for (const std::size_t n : {0U, 1U, 31U, 33U, 257U, 1000U}) {
      const MapGrid grid{{-3.3, -2.9, -2.1}, {0.31, 0.5, 0.37}, sizes[seed % std::size(sizes)]};
      SCOPED_TRACE(testing::Message() << n << " atoms, seed " << seed);
      expect_right(model, grid, random_charges(n, 4.0, seed++));
    }
}

TEST_P(MapDesignTest, FarFromTheOrigin) {
  const Vec3<double> far{5e5, -3e5, 1e5};
  for (const MapModel& model : models_of(GetParam(), 6.0))
    expect_right(model, {far + Vec3<double>{-2, -3, -4}, {0.5, 0.5, 0.5}, {11, 12, 9}}, random_charges(300, 5, 7, far));
}

/// Bins of 4 Å have faces on atoms and points here.
TEST_P(MapDesignTest, AtomsOnPointsAndOnFaces) {
  Charges charges;
  for (int i = -4; i <= 4; ++i)
    for (int j = -4; j <= 4; ++j)
      for (int k = -4; k <= 4; ++k) charges.add({1.0 * i, 1.0 * j, 1.0 * k}, (i + j + k) % 2 == 0 ? 1.0 : -1.0);
  for (const MapModel& model : models_of(GetParam(), 3.0))
    expect_right(model, {{-4, -4, -4}, {0.5, 0.5, 0.5}, {17, 17, 17}}, charges);
}

TEST_P(MapDesignTest, ThousandsInOnePlaceAndNoneElsewhere) {
  Charges charges = random_charges(3000, 0.4, 3);
  const Charges few = random_charges(20, 40, 4);
  for (std::size_t i = 0; i < few.charge.size(); ++i) charges.add(few.position[i], few.charge[i]);
  for (const MapModel& model : models_of(GetParam(), 5.0))
    expect_right(model, {{-6, -1, -1}, {0.7, 0.4, 0.4}, {20, 6, 6}}, charges);
}

TEST_P(MapDesignTest, AtomsFarOutsideTheGrid) {
  Charges charges = random_charges(40, 3, 5);
  for (const double far : {1e3, 1e6, 1e12}) charges.add({far, -far, 0.5 * far}, 2.0);
  for (const MapModel& model : models_of(GetParam(), 5.0)) {
    expect_right(model, {{-6, -6, -6}, {1.3, 1.3, 1.3}, {9, 9, 9}}, charges);
    expect_right(model, {{100, 100, 100}, {1, 1, 1}, {3, 3, 3}}, charges);
  }
}

TEST_P(MapDesignTest, AnySmallestDistance) {
  const Charges charges = random_charges(200, 3, 6);
  for (const double nearest : {1e-3, 0.5, 2.0})
    for (MapModel model : models_of(GetParam(), 2.5)) {
      model.nearest = nearest;
      expect_right(model, {{-2, -2, -2}, {0.4, 0.4, 0.4}, {11, 10, 9}}, charges);
    }
}

/// More atoms than constant memory holds in one chunk.
TEST_P(MapDesignTest, ManyAtoms) {
  for (const MapModel& model : models_of(GetParam(), 7.0))
    expect_right(model, {{-9, -8, -7}, {2.3, 2.1, 1.9}, {9, 8, 7}}, random_charges(9000, 12, 21));
}

TEST_P(MapDesignTest, RandomGridsAndCutoffs) {
  std::mt19937 random(11);
  const auto uniform = [&](double low, double high) {
    return std::uniform_real_distribution<double>(low, high)(random);
  };
  for (std::uint32_t trial = 0; trial < 40; ++trial) {
    const double cutoff = std::exp(uniform(std::log(0.5), std::log(20.0)));
    const std::vector<MapModel> models = models_of(GetParam(), cutoff);
    const double size = uniform(1, 15);
    const Charges charges = random_charges(1 + random() % 700, size, 100 + trial);
    const auto spacing = [&] { return std::exp(uniform(std::log(0.05), std::log(3.0))); };
    const auto points = [&] { return static_cast<std::int32_t>(1 + random() % 24); };
    const MapGrid grid{{uniform(-size, size), uniform(-size, size), uniform(-size, size)},
                       {spacing(), spacing(), spacing()},
                       {points(), points(), points()}};
    SCOPED_TRACE(testing::Message() << "trial " << trial << ", cutoff " << cutoff);
    expect_right(models[random() % models.size()], grid, charges);
  }
}

TEST_P(MapDesignTest, CountsWhatItComputes) {
  const Charges charges = random_charges(400, 5, 15);
  // No thread is idle: a warp shares rows of 128 points.
  const MapGrid grid{{-4, -4, -4}, {0.0625, 0.5, 0.5}, {128, 16, 16}};
  const MapModel model = models_of(GetParam(), 4.0)[0];
  const auto sum = make_map_design(GetParam().name, 0, Cpu{2}, model);
  const double n = static_cast<double>(sum->compute(grid, charges.view()).evaluations);
  const double all = 400.0 * 128 * 16 * 16;
  if (GetParam().has_cutoff) {
    EXPECT_TRUE(n > 0.1 * all && n <= 1.5 * all) << n / all;  // idle lanes of the CPU's blocks count, too
  } else {
    EXPECT_EQ(n, all);
  }
  EXPECT_GT(sum->device_seconds(), 0);
}

TEST_P(MapDesignTest, ProgressCanStop) {
  const auto sum = make_map_design(GetParam().name, 0, Cpu{2}, models_of(GetParam(), 4.0)[0]);
  const Charges charges = random_charges(10, 3, 13);
  EXPECT_THROW(sum->compute({{}, {1, 1, 1}, {9, 9, 9}}, charges.view(), [](std::size_t, std::size_t) { return false; }),
               MapStopped);
}

INSTANTIATE_TEST_SUITE_P(Designs, MapDesignTest, testing::ValuesIn(map_designs()), [](const auto& design) {
  std::string name(design.param.name);
  for (char& letter : name)
    if (letter == '-') letter = '_';
  return name;
});

class SmallBinsMapTest : public MapDesignTest {};

TEST_P(SmallBinsMapTest, AnyCapacity) {
  const Charges charges = random_charges(2000, 9, 31);
  const MapGrid grid{{-7, -6, -5}, {0.6, 0.5, 0.7}, {20, 21, 13}};
  for (const int capacity : {0, 1, 7, 8, 64})
    for (const MapModel& model : models_of(GetParam(), 5.0)) {
      SCOPED_TRACE(capacity);
      expect_right(model, grid, charges, capacity);
    }
}

TEST_P(SmallBinsMapTest, SaysWhatOverflowed) {
  const MapModel model = models_of(GetParam(), 5.0)[0];
  const Charges charges = random_charges(2000, 9, 31);
  const MapGrid grid{{-7, -6, -5}, {0.6, 0.5, 0.7}, {20, 21, 13}};
  const auto overflow_of = [&](std::optional<int> capacity) {
    const auto sum = make_map_design(GetParam().name, 0, Cpu{2}, model, capacity);
    sum->compute(grid, charges.view());
    return sum->overflow().value();
  };
  const MapOverflow all = overflow_of(0), none = overflow_of(64), usual = overflow_of({});
  EXPECT_EQ(all.share, 1);
  EXPECT_GT(all.host_seconds, 0);
  EXPECT_EQ(none.n_atoms, 0U);
  EXPECT_EQ(none.share, 0);
  EXPECT_LE(usual.share, 0.05);
  for (const MapOverflow& overflow : {all, none, usual})
    EXPECT_TRUE(overflow.hidden_share >= 0 && overflow.hidden_share <= 1) << overflow.hidden_share;
}

INSTANTIATE_TEST_SUITE_P(Designs, SmallBinsMapTest,
                         testing::Values(require_map_design("small-bins", {{"cut", {{"cutoff", 9.0}}}})),
                         [](const auto&) { return "small_bins"; });

TEST(MapDesigns, WhatTheyDoNotTakeIsRefused) {
  const auto refusal = [](std::string_view name, const MapModel& model) {
    try {
      require_map_design(name, model);
    } catch (const InputError& error) {
      return std::string(error.what());
    }
    return std::string();
  };
  const FormChoice cut{"cut", {{"cutoff", 9.0}}};
  EXPECT_EQ(refusal("small-bins", {cut}), "");
  EXPECT_THAT(refusal("small-bins", {}), testing::HasSubstr("for forms with a cutoff"));
  EXPECT_THAT(refusal("bins", {cut}), testing::HasSubstr("no design 'bins'"));
  EXPECT_THAT(refusal("small-bins", {.coulomb = cut, .field = true}), testing::HasSubstr("does not compute the field"));
}

TEST(MapDesigns, NeedAGpu) {
  if (!query_devices().devices.empty()) GTEST_SKIP() << "there is a GPU";
  EXPECT_THROW(make_map_design("small-bins", 0, Cpu{1}, {{"cut", {{"cutoff", 9.0}}}}), DeviceError);
}

}  // namespace
}  // namespace dropmd
