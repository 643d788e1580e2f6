#include <gtest/gtest.h>

#include <random>

#include "tests/support/maps/brute_force_map.h"
#include "tests/support/maps/map_charges.h"
#include "tests/support/maps/map_ways.h"

namespace dropmd {
namespace {

std::vector<MapModel> all_models(double cutoff) {
  std::vector<MapModel> models;
  for (const FormChoice& form :
       {FormChoice{"exact", {}}, FormChoice{"cut", {{"cutoff", cutoff}}}, FormChoice{"shift", {{"cutoff", cutoff}}},
        FormChoice{"smoothed", {{"cutoff", cutoff}}},
        FormChoice{"reaction-field", {{"cutoff", cutoff}, {"dielectric", 78.0}}},
        FormChoice{"reaction-field", {{"cutoff", cutoff}, {"dielectric", INFINITY}}}})
    for (const bool field : {false, true}) models.push_back({form, 332.06, 0.1, field});
  return models;
}

class MapSumTest : public OnMapWays {
 protected:
  /// The contract of docs/physics.md: 1e-6 in mixed precision and 1e-13 in double, of k_e Σ |q|/r. For the field it is
  /// the same: two more factors are rounded, but the field's own sum is smaller in all but the last digits, so the
  /// bound is twice as large.
  static void expect_as_brute_force(const MapModel& model, const MapGrid& grid, const Charges& charges,
                                    const MapValues& map) {
    const bool mixed = is_mixed(GetParam());
    const long double bound = mixed ? 1e-6L : 1e-13L;
    ASSERT_EQ(map.potential.size(), grid.n_points());
    ASSERT_EQ(map.field.size(), model.field ? grid.n_points() : 0U);
    std::uint64_t near_points = 0;
    long double worst = 0, worst_field = 0;
    for (std::int32_t k = 0; k < grid.points.z; ++k)
      for (std::int32_t j = 0; j < grid.points.y; ++j)
        for (std::int32_t i = 0; i < grid.points.x; ++i) {
          const BruteForcePoint answer = brute_force_point(model, charges.view(), grid.at(i, j, k));
          const std::size_t p = grid.number(i, j, k);
          const long double edge = mixed ? answer.edge : 1e-300L;
          const long double error = std::abs(map.potential[p] - answer.potential) - edge;
          if (!(error <= 0)) worst = std::max(worst, std::isfinite(map.potential[p]) ? error / answer.scale : 1e9L);
          near_points += answer.is_near ? 1 : 0;
          if (!model.field) continue;
          const Vec3<double>& f = map.field[p];
          const Vec3<long double> d{f.x - answer.field.x, f.y - answer.field.y, f.z - answer.field.z};
          const long double off = std::sqrt(dot(d, d)) - edge / model.coulomb.value_or("cutoff", 1);
          if (!(off <= 0)) worst_field = std::max(worst_field, is_finite(f) ? off / answer.field_scale : 1e9L);
        }
    EXPECT_LE(worst, bound) << "potential";
    EXPECT_LE(worst_field, 2 * bound) << "field";
    EXPECT_EQ(map.near_points, near_points);
  }

  static void expect_right(const MapModel& model, const MapGrid& grid, const Charges& charges) {
    expect_as_brute_force(model, grid, charges, make_map_sum(GetParam(), model)->compute(grid, charges.view()));
  }
};

TEST_P(MapSumTest, AnyNumberOfAtomsAndPoints) {
  std::uint32_t seed = 1;
  const Vec3<std::int32_t> sizes[] = {{1, 1, 1}, {2, 3, 5}, {17, 9, 4}, {33, 1, 2}, {1, 1, 19}, {15, 17, 8}, {8, 4, 9}};
  for (const MapModel& model : all_models(4.0)) {
    const auto sum = make_map_sum(GetParam(), model);
    for (const std::size_t n : {0U, 1U, 2U, 31U, 32U, 33U, 127U, 128U, 129U, 255U, 256U, 257U, 1000U}) {
      const Vec3<std::int32_t> points = sizes[seed % std::size(sizes)];
      SCOPED_TRACE(testing::Message() << model.coulomb.form << ' ' << n << " atoms, points " << points.x << ' '
                                      << points.y << ' ' << points.z << ", seed " << seed);
      const Charges charges = random_charges(n, 4.0, seed++);
      const MapGrid grid{{-3.3, -2.9, -2.1}, {0.31, 0.5, 0.37}, points};
      expect_as_brute_force(model, grid, charges, sum->compute(grid, charges.view()));
    }
  }
}

TEST_P(MapSumTest, FarFromTheOrigin) {
  const Vec3<double> far{5e5, -3e5, 1e5};
  for (const MapModel& model : all_models(6.0)) {
    SCOPED_TRACE(model.coulomb.form);
    expect_right(model, {far + Vec3<double>{-2, -3, -4}, {0.5, 0.5, 0.5}, {11, 12, 9}}, random_charges(300, 5, 7, far));
  }
}

/// Where few atoms are much nearer to a point than to the middle of a block, fp32 offsets alone are not accurate
/// enough.
TEST_P(MapSumTest, OneAtomNearOnePoint) {
  for (const double distance : {0.0, 1e-9, 0.05, 0.1, 0.11, 0.3, 0.7, 1.5, 3.1})
    for (const double spacing : {0.01, 0.5, 3.0, 100.0})
      for (const MapModel& model : all_models(50.0)) {
        SCOPED_TRACE(testing::Message() << model.coulomb.form << ' ' << distance << ' ' << spacing);
        const MapGrid grid{{1.7, -2.2, 0.1}, {spacing, spacing, spacing}, {16, 8, 8}};
        Charges one;
        one.add(grid.at(15, 0, 3) + Vec3<double>{0.6 * distance, -0.8 * distance, 0}, 1.5);
        expect_right(model, grid, one);
      }
}

/// Where fp32 offsets from the middle of a block are just accurate enough; the error of one atom may have any
/// direction.
TEST_P(MapSumTest, OneAtomRoundTheCornersOfBlocks) {
  std::mt19937 random(20);
  const auto in = [&](double from, double to) { return std::uniform_real_distribution<double>(from, to)(random); };
  const auto one_of = [&](std::initializer_list<std::int32_t> list) {
    return *(list.begin() + random() % list.size());
  };
  for (int trial = 0; trial < 300; ++trial) {
    const double h = std::exp2(in(-3, 4));
    const MapGrid grid{
        {in(-9, 9), in(-9, 9), in(-9, 9)}, {h * in(0.9, 1), h * in(0.4, 1), h * in(0.4, 2)}, {18, 17, 10}};
    const Vec3<double> corner =
        grid.at(one_of({0, 7, 8, 15, 16, 17}), one_of({0, 3, 4, 7, 8, 15, 16}), one_of({0, 3, 4, 7, 8, 9}));
    Vec3<double> way{in(-1, 1), in(-1, 1), in(-1, 1)};
    way = (std::exp2(in(-6, 0)) * 8 * h / std::sqrt(dot(way, way))) * way;
    Charges one;
    one.add(corner + way, 1);
    for (const FormChoice& form : {FormChoice{"exact", {}}, FormChoice{"cut", {{"cutoff", 40 * h}}}}) {
      SCOPED_TRACE(testing::Message() << form.form << ", trial " << trial);
      expect_right({form}, grid, one);
    }
  }
}

/// With equal terms, every addition is rounded the same way, so that errors of a long fp32 sum do not cancel.
TEST_P(MapSumTest, EqualChargesOnASphere) {
  for (const std::size_t n : {128U, 256U, 600U})
    for (int trial = 0; trial < 40; ++trial) {
      const double radius = 3.3 * std::pow(2.0, trial / 40.0);
      Charges shell;
      for (std::size_t i = 0; i < n; ++i) {
        const double z = 1 - (2 * static_cast<double>(i) + 1) / static_cast<double>(n);
        // The golden angle of the Fibonacci sphere.
        const double turn = 2.399963229728653 * static_cast<double>(i), ring = std::sqrt(1 - z * z);
        shell.add({radius * ring * std::cos(turn), radius * ring * std::sin(turn), radius * z}, 1);
      }
      for (const FormChoice& form : {FormChoice{"exact", {}}, FormChoice{"cut", {{"cutoff", 12.0}}}}) {
        SCOPED_TRACE(testing::Message() << form.form << ' ' << n << " charges at " << radius);
        expect_right({form}, {{-0.25, -0.25, -1}, {0.25, 0.25, 0.25}, {2, 2, 9}}, shell);
      }
    }
}

/// Atoms lie on one lattice, and points on another.
TEST_P(MapSumTest, AtomsOnPointsAndOnFaces) {
  Charges charges;
  for (int i = -4; i <= 4; ++i)
    for (int j = -4; j <= 4; ++j)
      for (int k = -4; k <= 4; ++k) charges.add({1.0 * i, 1.0 * j, 1.0 * k}, (i + j + k) % 2 == 0 ? 1.0 : -1.0);
  for (MapModel model : all_models(3.0)) {
    model.coulomb_constant = 1;
    SCOPED_TRACE(model.coulomb.form);
    expect_right(model, {{-4, -4, -4}, {0.5, 0.5, 0.5}, {17, 17, 17}}, charges);
  }
}

TEST_P(MapSumTest, ThousandsInOnePlaceAndNoneElsewhere) {
  Charges charges = random_charges(3000, 0.4, 3);
  const Charges few = random_charges(20, 40, 4);
  for (std::size_t i = 0; i < few.charge.size(); ++i) charges.add(few.position[i], few.charge[i]);
  for (const MapModel& model : all_models(5.0)) {
    SCOPED_TRACE(model.coulomb.form);
    expect_right(model, {{-6, -1, -1}, {0.7, 0.4, 0.4}, {20, 6, 6}}, charges);
  }
}

TEST_P(MapSumTest, AtomsFarOutsideTheGrid) {
  Charges charges = random_charges(40, 3, 5);
  for (const double far : {1e3, 1e6, 1e12}) charges.add({far, -far, 0.5 * far}, 2.0);
  for (const MapModel& model : all_models(5.0)) {
    SCOPED_TRACE(model.coulomb.form);
    expect_right(model, {{-6, -6, -6}, {1.3, 1.3, 1.3}, {9, 9, 9}}, charges);
    expect_right(model, {{100, 100, 100}, {1, 1, 1}, {3, 3, 3}}, charges);
    expect_right(model, {{1e12, -1e12, 5e11}, {1, 1, 1}, {3, 3, 3}}, charges);
  }
}

/// With distant atoms only, so that errors are relative to their terms.
TEST_P(MapSumTest, NoAtomsButFarOnes) {
  for (const double far : {1e9, 1e11, 1e13, 1e14, 9e14, 1e17}) {
    Charges charges;
    charges.add({far, 0.3 * far, -far}, 1.5);
    for (const bool field : {false, true}) {
      SCOPED_TRACE(testing::Message() << far << (field ? " with field" : ""));
      expect_right({{"exact"}, 332.06, 0.1, field}, {{-6, -6, -6}, {1.3, 1.3, 1.3}, {9, 9, 9}}, charges);
      expect_right({{"exact"}, 332.06, 0.1, field}, {{far, 0, 0}, {1, 1, 1}, {1, 1, 1}}, charges);
    }
  }
}

/// The smallest distance d_min is far below the spacing, near it, and far above it.
TEST_P(MapSumTest, AnySmallestDistance) {
  const Charges charges = random_charges(200, 3, 6);
  for (const double nearest : {1e-6, 0.5, 2.0})
    for (MapModel model : all_models(2.5)) {
      model.nearest = nearest;
      SCOPED_TRACE(testing::Message() << model.coulomb.form << ' ' << nearest);
      expect_right(model, {{-2, -2, -2}, {0.4, 0.4, 0.4}, {11, 10, 9}}, charges);
    }
}

/// Random cutoffs on random grids: from a spacing finer than the atoms to one coarser than the cutoff.
TEST_P(MapSumTest, RandomGridsAndCutoffs) {
  std::mt19937 random(11);
  const auto uniform = [&](double low, double high) {
    return std::uniform_real_distribution<double>(low, high)(random);
  };
  for (std::uint32_t trial = 0; trial < 40; ++trial) {
    const double cutoff = std::exp(uniform(std::log(0.5), std::log(30.0)));
    const std::vector<MapModel> models = all_models(cutoff);
    const MapModel& model = models[random() % models.size()];
    const double size = uniform(1, 20);
    const Charges charges = random_charges(1 + random() % 700, size, 100 + trial);
    const auto spacing = [&] { return std::exp(uniform(std::log(0.05), std::log(3.0))); };
    const auto points = [&] { return static_cast<std::int32_t>(1 + random() % 24); };
    const MapGrid grid{{uniform(-size, size), uniform(-size, size), uniform(-size, size)},
                       {spacing(), spacing(), spacing()},
                       {points(), points(), points()}};
    SCOPED_TRACE(testing::Message() << "trial " << trial << ' ' << model.coulomb.form << ' ' << cutoff);
    expect_right(model, grid, charges);
  }
}

/// More points than a device handles at once (2²³), in planes that do not divide into slabs.
TEST_P(MapSumTest, GridsOfSeveralSlabs) {
  // A CPU has no slabs, so it gets fewer planes.
  const MapGrid grid{{-5, -5, -5}, {0.05, 0.05, 0.05}, {209, 211, is_on_gpu(GetParam()) ? 401 : 13}};
  if (is_on_gpu(GetParam())) {
    ASSERT_GT(grid.n_points(), std::size_t{1} << 24U);
  }
  const Charges charges = random_charges(40, 5, 21);
  for (const FormChoice& form : {FormChoice{"exact", {}}, FormChoice{"shift", {{"cutoff", 3.0}}}}) {
    const MapModel model{form};
    const MapValues map = make_map_sum(GetParam(), model)->compute(grid, charges.view());
    for (std::size_t p = 0; p < grid.n_points(); p += 9973) {
      const std::size_t nx = 209, ny = 211;
      const BruteForcePoint answer = brute_force_point(
          model, charges.view(),
          grid.at(static_cast<int>(p % nx), static_cast<int>(p / nx % ny), static_cast<int>(p / nx / ny)));
      const double bound = is_mixed(GetParam()) ? 1e-6 : 1e-13;
      ASSERT_NEAR(
          map.potential[p], static_cast<double>(answer.potential),
          bound * static_cast<double>(answer.scale) + (is_mixed(GetParam()) ? static_cast<double>(answer.edge) : 0))
          << form.form << ' ' << p;
    }
  }
}

TEST_P(MapSumTest, TheSameBytesForAnyThreads) {
  const Charges charges = random_charges(500, 8, 9);
  const MapGrid grid{{-9, -9, -9}, {0.6, 0.7, 0.8}, {31, 29, 23}};
  for (const MapModel& model : all_models(5.0)) {
    const MapValues one = make_map_sum(GetParam(), model, 1)->compute(grid, charges.view());
    const MapValues three = make_map_sum(GetParam(), model, 3)->compute(grid, charges.view());
    EXPECT_EQ(one.potential, three.potential) << model.coulomb.form;
    EXPECT_EQ(one.field, three.field) << model.coulomb.form;
    EXPECT_GE(one.evaluations, 1U);
  }
}

TEST_P(MapSumTest, NeutralAtomsCountForNothing) {
  Charges charges = random_charges(100, 3, 12);
  const MapGrid grid{{-3, -3, -3}, {0.5, 0.5, 0.5}, {13, 13, 13}};
  for (const MapModel& model : all_models(4.0)) {
    const auto sum = make_map_sum(GetParam(), model);
    const MapValues without = sum->compute(grid, charges.view());
    Charges with = charges;
    with.add(grid.at(1, 2, 3), 0.0);
    EXPECT_EQ(sum->compute(grid, with.view()).potential, without.potential);
  }
}

TEST_P(MapSumTest, ProgressGoesToTheEndAndCanStop) {
  const Charges charges = random_charges(10, 3, 13);
  const MapGrid grid{{-3, -3, -3}, {0.1, 0.1, 0.1}, {90, 80, 70}};
  const auto sum = make_map_sum(GetParam(), {});
  std::size_t last = 0;
  sum->compute(grid, charges.view(), [&](std::size_t done, std::size_t of) {
    EXPECT_GE(done, last);
    EXPECT_EQ(of, grid.n_points());
    last = done;
    return true;
  });
  EXPECT_EQ(last, grid.n_points());
  EXPECT_THROW(sum->compute(grid, charges.view(), [](std::size_t, std::size_t) { return false; }), MapStopped);
  EXPECT_EQ(sum->compute(grid, charges.view()).potential.size(), grid.n_points()) << "it can be used again";
}

INSTANTIATE_TEST_SUITE_P(Ways, MapSumTest, all_map_ways(), name_of_map_way);

TEST(MapModelTest, WhatCannotBeIsRefused) {
  const auto refusal = [](const MapModel& model) {
    try {
      require_map_model(model);
    } catch (const InputError& error) {
      return std::string(error.what());
    }
    return std::string{};
  };
  EXPECT_EQ(refusal({}), "");
  EXPECT_NE(refusal({.coulomb = {"dsf", {{"cutoff", 3.0}, {"damping", 0.2}}}}).find("cut, shift, smoothed"),
            std::string::npos);
  EXPECT_NE(refusal({.nearest = 0}).find("not positive"), std::string::npos);
  EXPECT_NE(refusal({.nearest = NAN}).find("not positive"), std::string::npos);
  EXPECT_NE(refusal({.nearest = 1e-16}).find("below 1e-15"), std::string::npos);
  EXPECT_NE(refusal({.coulomb = {"cut", {{"cutoff", 3.0}}}, .nearest = 3}).find("not below its cutoff"),
            std::string::npos);
}

}  // namespace
}  // namespace dropmd
