#include "forces/force_scale.h"

#include <gtest/gtest.h>

#include <cmath>
#include <vector>

#include "tests/support/pair_models.h"

namespace dropmd {
namespace {

constexpr ForceScaleRange kRange{-20, 6};

/// The scale found for forces of a known mean square, starting from the scale `begin`.
int found_scale(double force, int begin) {
  int scale = begin;
  for (int look = 0; look < 16; ++look) {
    const double relative = std::ldexp(force, -scale);
    // As counted on a GPU: nothing below 2^-16, and no more than 2^6.
    const double counted = relative < 0x1p-16 ? 0 : std::min(relative, 0x1p6);
    const int fitting = fitting_scale(scale, counted * counted, kRange);
    if (fitting == scale) return scale;
    scale = fitting;
  }
  ADD_FAILURE() << "no scale fits " << force;
  return scale;
}

TEST(ForceScale, IsThePowerOfTwoAtTheForces) {
  for (const double force : {1e-5, 3e-4, 0.01, 0.37, 1.0, 12.0, 63.0})
    for (const int begin : {kRange.coarsest, kRange.finest}) {
      const double over = std::ldexp(1.0, found_scale(force, begin)) / force;
      EXPECT_GT(over, 0.5) << force;
      EXPECT_LE(over, 2) << force;
    }
}

TEST(ForceScale, StaysWithinTheModelsRange) {
  for (const int begin : {kRange.coarsest, 0, kRange.finest}) {
    EXPECT_EQ(found_scale(0, begin), kRange.finest);
    EXPECT_EQ(found_scale(1e-9, begin), kRange.finest);
    EXPECT_EQ(found_scale(1e9, begin), kRange.coarsest);
    EXPECT_EQ(found_scale(INFINITY, begin), kRange.coarsest);
  }
}

/// Forces that swing by less than a factor of two leave the scale where it is.
TEST(ForceScale, DoesNotFollowSmallSwings) {
  int scale = found_scale(1.0, kRange.coarsest), changes = 0;
  for (int k = 0; k < 100; ++k) {
    const double force = k % 2 == 0 ? 0.8 : 1.3;
    const int fitting = fitting_scale(scale, std::pow(std::ldexp(force, -scale), 2), kRange);
    changes += fitting != scale ? 1 : 0;
    scale = fitting;
  }
  EXPECT_LE(changes, 1);
}

TEST(ForceScale, OfAModelIsThatOfContacts) {
  PairModel model = simple_model(FormChoice{"none"}, FormChoice{"exact"});
  const std::vector<double> neutral(10), weak(10, 0.1);
  EXPECT_DOUBLE_EQ(typical_contact_force(model, neutral), 24);  // ε = σ = 1
  EXPECT_DOUBLE_EQ(largest_contact_force(model, weak), 24);
  model.coulomb_constant = 332;
  const double contact = std::pow(2, 1.0 / 6);
  EXPECT_NEAR(largest_contact_force(model, std::vector<double>(10, 1.0)), 332 / (contact * contact), 1e-9);
  std::vector<double> one_ion(1000);
  one_ion[7] = 30;
  EXPECT_NEAR(largest_contact_force(model, one_ion), 332 * 900 / (contact * contact), 1e-6);
  EXPECT_NEAR(typical_contact_force(model, one_ion), 332 * 0.9 / (contact * contact), 1e-9);
  model.lj.reset();
  EXPECT_NEAR(largest_contact_force(model, weak), 3.32, 1e-12) << "at a distance of one";
}

TEST(ForceScale, AModelsRangeIsInOrder) {
  std::vector<double> one_ion(100'000);
  one_ion[7] = 1000;
  for (const NamedModel& named : all_models(2)) {
    const ForceScaleRange range = ForceScaleRange::of(named.model, one_ion);
    EXPECT_LE(range.finest, range.coarsest) << named.name;
    EXPECT_TRUE(range.contains(range.coarsest));
    EXPECT_FALSE(range.contains(range.coarsest + 1));
  }
}

}  // namespace
}  // namespace dropmd
