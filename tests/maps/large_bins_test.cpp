#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "maps/designs/large_bins.h"
#include "tests/support/maps/map_charges.h"

/// Steps of the CPU's method for large bins.
namespace dropmd {
namespace {

TEST(LargeBinRegions, AreOf24AngstromAndEightPointsAtLeast) {
  const auto size = [](double spacing, std::int32_t points) {
    return large_bin_regions({{}, {spacing, spacing, spacing}, {points, points, points}}).size.x;
  };
  EXPECT_EQ(size(0.5, 100), 48);
  EXPECT_EQ(size(0.5, 20), 20);
  EXPECT_EQ(size(100, 20), 8);
  EXPECT_EQ(size(100, 3), 3);
}

/// The box of 24 Å, widened by 12 Å on each side; 6.5% of it is within a cutoff, as in the Illinois lecture
/// (docs/maps.md).
TEST(RegionCharges, AreThoseOfTheWiderBox) {
  const Charges charges = random_charges(4000, 30, 3);
  const SortedCharges sorted({}, charges.view(), 6);
  const SpaceBox box{{-12, -10, -12}, {12, 14, 12}};
  const std::vector<BinAtom> found = region_charges(sorted, box, 12);
  std::size_t n = 0;
  double charge = 0, found_charge = 0;
  for (std::size_t i = 0; i < charges.charge.size(); ++i) {
    const Vec3<double>& p = charges.position[i];
    if (std::abs(p.x) >= 24 || std::abs(p.y - 2) >= 24 || std::abs(p.z) >= 24) continue;
    ++n;
    charge += charges.charge[i];
  }
  ASSERT_EQ(found.size(), n);
  for (const BinAtom& atom : found) {
    found_charge += atom.charge;
    EXPECT_LE(std::max({std::abs(atom.x), std::abs(atom.y), std::abs(atom.z)}), 24);
  }
  EXPECT_NEAR(found_charge, charge, 1e-4) << "some thousand roundings of 6e-8";
}

TEST(RegionCharges, NoneWhereNoneAre) {
  const SortedCharges none({}, MapCharges{}, 6);
  EXPECT_TRUE(region_charges(none, {{0, 0, 0}, {1, 1, 1}}, 5).empty());
  const Charges far = random_charges(10, 1, 3, {100, 0, 0});
  EXPECT_TRUE(region_charges(SortedCharges({}, far.view(), 6), {{0, 0, 0}, {1, 1, 1}}, 5).empty());
}

}  // namespace
}  // namespace dropmd
