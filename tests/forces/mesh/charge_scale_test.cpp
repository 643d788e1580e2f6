#include "forces/mesh/cuda/charge_scale.h"

#include <gtest/gtest.h>

namespace dropmd {
namespace {

/// Integers of 2^bits per unit hold twice the bound, and not four times it.
TEST(MeshChargeScale, UsesHalfOfTheRange) {
  for (const double bound : {0.01, 0.5, 1.0, 3.7, 4.0, 4.1, 900.0}) {
    SCOPED_TRACE(bound);
    const double largest = std::ldexp(bound, mesh_charge_bits<float>(bound));
    EXPECT_LE(largest, 0x1p30);
    EXPECT_GT(largest, 0x1p29);
  }
  EXPECT_EQ(mesh_charge_bits<float>(8), 27);  // 16 e at most at a point, reported from 8 e on
}

TEST(MeshChargeScale, HasNoMoreDigitsThanCharges) {
  EXPECT_EQ(mesh_charge_bits<double>(8), 59);
  EXPECT_EQ(mesh_charge_bits<double>(0.01), 60);
}

TEST(MeshChargeScale, BoundsWhatAPointHolds) {
  // Water at a spacing of 2 Å: the sum of all |charge| within a cell is 0.0334 · 4 · 0.42 · 8 Å³ = 0.45 e.
  const MeshChargeBound water{0.8476, 0.1};
  EXPECT_GT(water.at_point(2), 0.45);
  EXPECT_LT(water.at_point(2), 4);
  EXPECT_EQ(MeshChargeBound{}.at_point(2), 1);  // without charges
}

}  // namespace
}  // namespace dropmd
