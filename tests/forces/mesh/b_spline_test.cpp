#include "forces/mesh/b_spline.h"

#include <gtest/gtest.h>

#include <cmath>

namespace dropmd {
namespace {

/// M_P by its closed form, Σⱼ (−1)ʲ C(P, j) max(x − j, 0)^(P−1) / (P−1)!.
double cardinal_spline(int order, double x) {
  double sum = 0, binomial = 1, factorial = 1;
  for (int j = 0; j <= order; ++j) {
    sum += (j % 2 == 0 ? 1 : -1) * binomial * std::pow(std::max(x - j, 0.0), order - 1);
    binomial = binomial * (order - j) / (j + 1);
  }
  for (int k = 2; k < order; ++k) factorial *= k;
  return sum / factorial;
}

template <int P>
void expect_splines() {
  for (const double place : {20.0, 20.25, 20.5, 20.999, 21.0 - 1e-15, -7.3}) {
    const BSplineWeights<P, double> spline(place);
    double sum = 0, slopes = 0, centre = 0;
    for (int k = 0; k < P; ++k) {
      const double distance = place - (spline.first + k);
      // The alternating sum loses digits: 8⁷ 70/7! roundings.
      EXPECT_NEAR(spline.weight[k], cardinal_spline(P, distance + 0.5 * P), 1e-11);
      const double slope = cardinal_spline(P - 1, distance + 0.5 * P) - cardinal_spline(P - 1, distance + 0.5 * P - 1);
      EXPECT_NEAR(spline.derivative[k], slope, 1e-11);
      EXPECT_GE(spline.weight[k], 0);
      sum += spline.weight[k], slopes += spline.derivative[k], centre += spline.weight[k] * (spline.first + k);
    }
    EXPECT_NEAR(sum, 1, 4e-16 * P);
    EXPECT_NEAR(slopes, 0, 4e-16 * P);
    EXPECT_NEAR(centre, place, 1e-14);
  }
}

TEST(BSpline, HasTheWeightsAndDerivativesOfTheClosedForm) {
  expect_splines<4>(), expect_splines<5>(), expect_splines<6>(), expect_splines<7>(), expect_splines<8>();
}

TEST(BSpline, IsCompiledForEveryOrder) {
  for (int order = kLeastSplineOrder; order <= kMostSplineOrder; ++order)
    with_spline_order(order, [&]<int P>() { EXPECT_EQ(P, order); });
}

}  // namespace
}  // namespace dropmd
