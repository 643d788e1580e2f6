#include <gtest/gtest.h>

#include <cmath>
#include <cstdint>
#include <limits>

#include "device/device_info.h"
#include "forces/mesh/cuda/device_region_use.cuh"
#include "tests/forces/mesh/device_mesh_charges.cuh"

/// How charges lie in a region, found on a GPU, against the same on the host.
namespace dropmd {
namespace {

constexpr int kOrder = 6;

class DeviceRegionUseTest : public testing::TestWithParam<std::uint32_t> {
 protected:
  void SetUp() override {
    if (const std::string reason = query_devices().reason; !reason.empty()) GTEST_SKIP() << reason;
  }
};

/// Charges in a cube of 40 Å, of which the fine mesh has about a quarter and the coarse one about two thirds.
MeshRegion region(bool coarse) {
  MeshRegion region;
  region.box = MeshBox::around({-12, -12, -12}, {12, 12, 12}, 1.5, kOrder);
  if (coarse) region.coarse = {4, MeshBox::around({-17, -17, -17}, {17, 17, 17}, 6, kOrder), 0, 0, 1};
  return region;
}

void expect_equal(const Cuboid& a, const Cuboid& b) {
  ASSERT_EQ(a.empty, b.empty);
  if (a.empty) return;
  EXPECT_EQ(a.low, b.low);
  EXPECT_EQ(a.high, b.high);
}

TEST_P(DeviceRegionUseTest, IsThatOfTheHost) {
  const Stream stream(0);
  const Cuda cuda{stream};
  Charges all = random_charges(GetParam(), {40, 40, 40}, 17 + GetParam());
  if (all.n() > 2) all.position[1].y = std::nan(""), all.position[2].z = std::numeric_limits<double>::infinity();
  const OnDevice<float> atoms(stream, all, in_order(all.n()));
  const DeviceRegionUse use_of(cuda, all.n());
  for (const bool coarse : {false, true}) {
    SCOPED_TRACE(coarse);
    RegionUse expected;
    for (std::size_t i = 0; i < all.n(); ++i)
      if (all.charge[i] != 0) expected.add(region(coarse), kOrder, all.position[i]);
    const RegionUse use = use_of(cuda, atoms.d_position.data(), atoms.d_charge.data(), region(coarse), kOrder);
    EXPECT_EQ(use.outside, expected.outside);
    EXPECT_EQ(use.far, expected.far);
    if (all.n() > 2) EXPECT_EQ(use.far > 0, coarse);
    expect_equal(use.fine, expected.fine);
    expect_equal(use.coarse, expected.coarse);
  }
}

INSTANTIATE_TEST_SUITE_P(Sizes, DeviceRegionUseTest,
                         testing::Values(0, 1, 2, 31, 32, 33, 127, 128, 129, 255, 256, 257, 1000, 100'003));

}  // namespace
}  // namespace dropmd
