#include "core/lanes/lanes.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <random>

#include "core/lanes/simd_lanes.h"

namespace dropmd {
namespace {

template <class Real>
class Lanes : public ::testing::Test {
 protected:
  static constexpr int kWidth = LaneTraits<Pack<Real>>::kWidth;

  Pack<Real> random_pack(double low, double high) {
    std::uniform_real_distribution<double> distribution(low, high);
    return Pack<Real>([&](auto) { return static_cast<Real>(distribution(random_)); });
  }
  std::mt19937 random_{1};
};

using Reals = ::testing::Types<float, double>;
TYPED_TEST_SUITE(Lanes, Reals);

TYPED_TEST(Lanes, FmaIsThatOfOneLane) {
  for (int k = 0; k < 100; ++k) {
    const auto a = this->random_pack(-9, 9), b = this->random_pack(-9, 9), c = this->random_pack(-9, 9);
    const auto pack = lane_fma(a, b, c);
    for (int l = 0; l < this->kWidth; ++l)
      EXPECT_EQ(static_cast<TypeParam>(pack[l]),
                lane_fma(static_cast<TypeParam>(a[l]), static_cast<TypeParam>(b[l]), static_cast<TypeParam>(c[l])));
  }
}

/// double has a correctly rounded division and root, with an error of 2⁻⁵² at most; float has an estimate and one
/// Newton step, 2⁻²².
TYPED_TEST(Lanes, ReciprocalRoot) {
  const double bound = sizeof(TypeParam) == 4 ? 0x1p-22 : 0x1p-52;
  for (int k = 0; k < 1000; ++k) {
    const auto x = this->random_pack(1e-3, 1e4);
    const auto pack = lane_rsqrt(x);
    for (int l = 0; l < this->kWidth; ++l) {
      const auto value = static_cast<TypeParam>(x[l]);
      const long double exact = 1.0L / std::sqrt(static_cast<long double>(value));
      EXPECT_LE(std::abs(static_cast<double>(static_cast<TypeParam>(pack[l]) / exact - 1)), bound);
      EXPECT_LE(std::abs(static_cast<double>(lane_rsqrt(value) / exact - 1)), bound);
    }
  }
}

/// The distances of an atom that has left, up to 1e15 length units, do not disturb a pair term.
TYPED_TEST(Lanes, ReciprocalRootOfLargeNumbersIsSmallAndFinite) {
  using Lane = Pack<TypeParam>;
  for (const double x : {1e12, 1e24, 1e30}) {
    const auto y = static_cast<double>(static_cast<TypeParam>(lane_rsqrt(Lane(static_cast<TypeParam>(x)))[0]));
    EXPECT_NEAR(y * std::sqrt(x), 1.0, 1e-6);
  }
}

TYPED_TEST(Lanes, Select) {
  using Lane = Pack<TypeParam>;
  const Lane number([](auto l) { return static_cast<TypeParam>(static_cast<int>(l)); });
  const auto mask = number < Lane(2);
  const Lane chosen = lane_select(mask, Lane(5), Lane(7));
  for (int l = 0; l < this->kWidth; ++l) EXPECT_EQ(static_cast<TypeParam>(chosen[l]), l < 2 ? 5 : 7);
  EXPECT_EQ(lane_select(true, 1.0, 2.0), 1.0);
  EXPECT_EQ(lane_select(false, 1.0, 2.0), 2.0);
}

/// A lane that is not selected may hold anything.
TYPED_TEST(Lanes, SelectKeepsNanOut) {
  using Lane = Pack<TypeParam>;
  const Lane nan(std::numeric_limits<TypeParam>::quiet_NaN());
  const Lane chosen = lane_select(Lane(1) < Lane(0), nan, Lane(3));
  for (int l = 0; l < this->kWidth; ++l) EXPECT_EQ(static_cast<TypeParam>(chosen[l]), 3);
}

/// libstdc++ calls the scalar functions for each lane, which are accurate to one or two units in the last place.
TYPED_TEST(Lanes, ExpAndErfc) {
  const double bound = 4 * static_cast<double>(std::numeric_limits<TypeParam>::epsilon());
  for (int k = 0; k < 100; ++k) {
    const auto x = this->random_pack(-3, 3);
    const auto e = lane_exp(x), c = lane_erfc(x);
    for (int l = 0; l < this->kWidth; ++l) {
      const auto value = static_cast<double>(static_cast<TypeParam>(x[l]));
      EXPECT_NEAR(static_cast<double>(static_cast<TypeParam>(e[l])) / std::exp(value), 1, bound);
      EXPECT_NEAR(static_cast<double>(static_cast<TypeParam>(c[l])) / std::erfc(value), 1, bound);
    }
  }
}

}  // namespace
}  // namespace dropmd
