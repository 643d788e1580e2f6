#include <gtest/gtest.h>
#include <cstdint>
#include <limits>

#include "engine/device/ordering/spatial_sort.cuh"

namespace dropmd {
namespace {

/// Atoms that are farther along any axis come behind all others, in the order of the curve among themselves.
TEST(CurveGrid, PutsFarAtomsLast) {
  const Vec3<double> anchor{5, -3, 2};
  const CurveGrid near{anchor, 2.0, 10.0}, all{anchor, 2.0};
  constexpr std::uint64_t kFar = 1ULL << 63U;
  for (const double x : {0.0, 0.3, 9.99, -9.99})
    for (const Vec3<double>& d : {Vec3<double>{x, 0, 0}, Vec3<double>{0, x, 9}, Vec3<double>{9, -9, x}})
      EXPECT_EQ(near.key(anchor + d), all.key(anchor + d)) << x;
  for (const double x : {10.01, -10.01, 1e4, -1e12, std::numeric_limits<double>::infinity()})
    for (const Vec3<double>& d : {Vec3<double>{x, 0, 0}, Vec3<double>{0, x, 1}, Vec3<double>{3, -3, x}}) {
      EXPECT_EQ(near.key(anchor + d), all.key(anchor + d) | kFar) << x;
      EXPECT_LT(all.key(anchor + d), kFar) << x;
    }
}

}  // namespace
}  // namespace dropmd
