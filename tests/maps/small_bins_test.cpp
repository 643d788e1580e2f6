#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <numbers>
#include <set>

#include "core/errors.h"
#include "maps/designs/small_bins.h"
#include "tests/support/maps/map_charges.h"

/// Steps of the CPU's method for small bins: offsets, positions of atoms, overflow, and joining of blocks.
namespace dropmd {
namespace {

/// The Illinois lecture's picture (docs/maps.md) of a "supercircle" in two dimensions shows the bins that a circle
/// around any point of the middle bin can reach. With a radius between one edge and the diagonal of a bin, these are a
/// square of 5 × 5 bins without its four corners, 21. Here it is the plane z = 0 of bins of 4 Å around a block as large
/// as its bin.
TEST(NeighborOffsets, ASquareWithoutItsCorners) {
  const std::array<BlockInBin, 3> block{{{0, 0, 4}, {0, 0, 4}, {0, 0, 4}}};
  std::vector<Vec3<std::int32_t>> plane;
  for (const auto& o : neighbor_offsets(block, 4, 5))
    if (o.z == 0) plane.push_back(o);
  ASSERT_EQ(plane.size(), 21U);
  for (const auto& o : plane) {
    EXPECT_LE(std::max(std::abs(o.x), std::abs(o.y)), 2);
    EXPECT_FALSE(std::abs(o.x) == 2 && std::abs(o.y) == 2);
  }
}

/// A cutoff of 12 Å with bins of 4 Å. The Illinois lecture says that 34% of the pairs of a point and an atom of the
/// neighbourhood are within the cutoff. Without the bins that only touch the sphere, 311 are left, and 36%.
TEST(NeighborOffsets, AThirdOfTheNeighborhoodIsWithinTheCutoff) {
  const std::array<BlockInBin, 3> block{{{0, 0, 4}, {0, 0, 4}, {0, 0, 4}}};
  const auto offsets = neighbor_offsets(block, 4, 12);
  const double sphere = 4.0 / 3 * std::numbers::pi * 12 * 12 * 12;
  EXPECT_EQ(offsets.size(), 311U);
  EXPECT_NEAR(sphere / (64.0 * static_cast<double>(offsets.size())), 0.34, 0.03);
}

TEST(NeighborOffsets, BlocksThatLieDifferentlyInTheirBins) {
  const std::array<BlockInBin, 3> block{{{1, 3, 2}, {0, 0, 0}, {0, 0, 0}}};
  std::set<std::int32_t> along_x;
  for (const auto& o : neighbor_offsets(block, 4, 1.5)) along_x.insert(o.x);
  EXPECT_EQ(along_x, (std::set<std::int32_t>{-1, 0, 1})) << "from 1 - 1.5 to 3 + 2 + 1.5";
}

struct RandomCase {
  MapGrid grid;
  double cutoff;
};

RandomCase random_case(std::mt19937& random) {
  const auto uniform = [&](double low, double high) {
    return std::uniform_real_distribution<double>(low, high)(random);
  };
  const auto spacing = [&] { return std::exp(uniform(std::log(0.05), std::log(4.0))); };
  const auto points = [&] { return static_cast<std::int32_t>(1 + random() % 30); };
  return {{{uniform(-9, 9), uniform(-9, 9), uniform(-9, 9)},
           {spacing(), spacing(), spacing()},
           {points(), points(), points()}},
          std::exp(uniform(std::log(0.5), std::log(20.0)))};
}

/// No atom within the cutoff of a point of a block is outside the neighbourhood of the block.
TEST(SmallBinsPlan, NeighborhoodsHoldAllInReach) {
  std::mt19937 random(3);
  for (int trial = 0; trial < 60; ++trial) {
    const auto [grid, cutoff] = random_case(random);
    const SmallBinsPlan plan = plan_small_bins(grid, cutoff);
    const auto index = [&](const Vec3<double>& p) {
      const Vec3<double> d = p - plan.bins.origin;
      return Vec3<std::int32_t>{bin_of(d.x, plan.bins.edge), bin_of(d.y, plan.bins.edge), bin_of(d.z, plan.bins.edge)};
    };
    std::set<std::array<std::int32_t, 3>> offsets;
    for (const auto& o : plan.offsets) offsets.insert({o.x, o.y, o.z});
    EXPECT_EQ(offsets.size(), plan.offsets.size());
    for (int pair = 0; pair < 500; ++pair) {
      const PointBlock block = plan.blocks[random() % static_cast<std::uint64_t>(plan.blocks.n_blocks())];
      const auto within = [&](std::int32_t low, std::int32_t high) {
        return low + static_cast<std::int32_t>(random() % static_cast<std::uint32_t>(high - low));
      };
      const Vec3<double> point = grid.at(within(block.low.x, block.high.x), within(block.low.y, block.high.y),
                                         within(block.low.z, block.high.z));
      std::uniform_real_distribution<double> offset(-cutoff, cutoff);
      const double x = offset(random), y = offset(random), z = offset(random);
      if (!(x * x + y * y + z * z < cutoff * cutoff)) continue;
      const auto atom = index(point + Vec3<double>{x, y, z});
      const auto bin = [&](std::int32_t low, double spacing) {
        return plan.padding + bin_of(low * spacing, plan.bins.edge);
      };
      const std::array<std::int32_t, 3> from{atom.x - bin(block.low.x, grid.spacing.x),
                                             atom.y - bin(block.low.y, grid.spacing.y),
                                             atom.z - bin(block.low.z, grid.spacing.z)};
      EXPECT_TRUE(offsets.contains(from)) << from[0] << ' ' << from[1] << ' ' << from[2];
      EXPECT_TRUE(atom.x >= 0 && atom.x < plan.bins.n.x && atom.y >= 0 && atom.y < plan.bins.n.y && atom.z >= 0 &&
                  atom.z < plan.bins.n.z);
    }
    for (std::int64_t b = 0; b < plan.blocks.n_blocks(); ++b)
      for (const auto& o : plan.offsets) {
        const PointBlock block = plan.blocks[b];
        const auto in_bins = [&](std::int32_t low, double spacing, std::int32_t offset, std::int32_t n) {
          const std::int32_t bin = plan.padding + bin_of(low * spacing, plan.bins.edge) + offset;
          return bin >= 0 && bin < n;
        };
        ASSERT_TRUE(in_bins(block.low.x, grid.spacing.x, o.x, plan.bins.n.x) &&
                    in_bins(block.low.y, grid.spacing.y, o.y, plan.bins.n.y) &&
                    in_bins(block.low.z, grid.spacing.z, o.z, plan.bins.n.z));
      }
  }
}

TEST(SmallBinsPlan, EdgesGrowWhereBinsOrOffsetsAreTooMany) {
  const Vec3<double> half{0.5, 0.5, 0.5};
  EXPECT_EQ(plan_small_bins({{}, half, {50, 50, 50}}, 12).bins.edge, 4);
  const SmallBinsPlan coarse = plan_small_bins({{}, {100, 100, 100}, {40, 9, 3}}, 12);
  EXPECT_GT(coarse.bins.edge, 4);
  EXPECT_LE(coarse.offsets.size(), SmallBinsPlan::kMostOffsets);
  const SmallBinsPlan large = plan_small_bins({{}, {3, 3, 3}, {2000, 2000, 2000}}, 12);
  EXPECT_GT(large.bins.edge, 4);
  EXPECT_LE(static_cast<double>(large.bins.size()), SmallBinsPlan::kMostBins);
  EXPECT_LE(plan_small_bins({{}, half, {50, 50, 50}}, 100).offsets.size(), SmallBinsPlan::kMostOffsets);
}

/// 6 × 6 × 6 bins of 2 Å, starting at -6 Å.
BinGrid some_bins() { return {{-6, -6, -6}, 2, {6, 6, 6}}; }

/// Every atom is in its bin, in the order of the file, or left over. Each position is correct to fp32.
TEST(FillBins, EveryAtomOnce) {
  const BinGrid bins = some_bins();
  const Charges charges = random_charges(1500, 6.5, 4);
  for (const int capacity : {0, 1, 8, 40}) {
    const BinnedCharges binned = fill_bins(bins, charges.view(), capacity);
    EXPECT_EQ(binned.capacity, capacity);
    ASSERT_EQ(binned.slots.size(), bins.size() * static_cast<std::size_t>(capacity));
    const auto room = static_cast<std::size_t>(capacity);
    std::vector<std::size_t> n_in(bins.size());
    std::size_t n_left = 0, n_inside = 0;
    for (std::size_t i = 0; i < charges.charge.size(); ++i) {
      const Vec3<double> d = charges.position[i] - bins.origin;
      if (std::min({d.x, d.y, d.z}) < 0 || std::max({d.x, d.y, d.z}) >= 12) continue;
      ++n_inside;
      const auto x = static_cast<std::size_t>(d.x / 2), y = static_cast<std::size_t>(d.y / 2),
                 z = static_cast<std::size_t>(d.z / 2);
      const std::size_t bin = (z * 6 + y) * 6 + x;
      if (n_in[bin] == room) {
        ASSERT_LT(n_left, binned.overflow_charge.size());
        EXPECT_EQ(binned.overflow_charge[n_left], charges.charge[i]);
        EXPECT_EQ(binned.overflow_position[n_left++], charges.position[i]);
        continue;
      }
      const BinAtom& atom = binned.slots[bin * room + n_in[bin]++];
      EXPECT_EQ(atom.charge, static_cast<float>(charges.charge[i]));
      EXPECT_NEAR(atom.x, d.x - 2 * static_cast<double>(x), 2e-7) << "half a unit of fp32 up to 2 is 1.2e-7";
      EXPECT_NEAR(atom.y, d.y - 2 * static_cast<double>(y), 2e-7);
      EXPECT_NEAR(atom.z, d.z - 2 * static_cast<double>(z), 2e-7);
    }
    EXPECT_EQ(n_left, binned.overflow_charge.size());
    EXPECT_EQ(n_inside, binned.n_charges);
    for (std::size_t bin = 0; bin < bins.size(); ++bin)
      for (std::size_t slot = n_in[bin]; slot < room; ++slot) EXPECT_EQ(binned.slots[bin * room + slot], BinAtom{});
  }
}

TEST(FillBins, FacesBelongToTheBinAbove) {
  Charges charges;
  charges.add({-6, -6, -6}, 1);
  charges.add({-4, -6, -6}, 2);
  charges.add({6, 0, 0}, 3);
  charges.add({5.999, 0, 0}, 4);
  charges.add({0, 0, 1e300}, 5);
  charges.add({0, 0, 0}, 0);
  const BinnedCharges binned = fill_bins(some_bins(), charges.view(), 1);
  EXPECT_EQ(binned.n_charges, 3U);
  EXPECT_EQ(binned.slots[0].charge, 1);
  EXPECT_EQ(binned.slots[1].charge, 2);
  EXPECT_EQ(binned.slots[(3 * 6 + 3) * 6 + 5].charge, 4);
  EXPECT_TRUE(binned.overflow_charge.empty());
}

/// A charge that is 0 in fp32 would mark the end of the bin and hide the atoms after it.
TEST(FillBins, ChargesTooSmallForFp32AreLeftOver) {
  Charges charges;
  charges.add({0, 0, 0}, 1e-60);
  charges.add({0, 0, 0}, 1);
  const BinnedCharges binned = fill_bins(some_bins(), charges.view(), 8);
  EXPECT_EQ(binned.overflow_charge, std::vector<double>{1e-60});
}

TEST(FillBins, TheCapacityCovers95Percent) {
  for (const std::size_t n : {0U, 100U, 1000U, 3000U, 5000U}) {
    const Charges charges = random_charges(n, 6, 8);
    const BinnedCharges binned = fill_bins(some_bins(), charges.view(), {});
    EXPECT_EQ(binned.capacity % 8, 0);
    EXPECT_LE(static_cast<double>(binned.overflow_charge.size()), 0.05 * static_cast<double>(n));
    if (binned.capacity == 8) continue;
    const BinnedCharges smaller = fill_bins(some_bins(), charges.view(), binned.capacity - 8);
    EXPECT_GT(static_cast<double>(smaller.overflow_charge.size()), 0.05 * static_cast<double>(n));
  }
  const Charges crowd = random_charges(3000, 0.4, 3);
  EXPECT_EQ(fill_bins(some_bins(), crowd.view(), {}).capacity, 64) << "crowds are the CPU's";
}

TEST(FillBins, MoreThanMemoryHoldsIsRefused) {
  EXPECT_THROW(fill_bins({{}, 1, {256, 256, 256}}, {}, 700), InputError);
  EXPECT_THROW(fill_bins(some_bins(), {}, 769), InputError);
  EXPECT_NO_THROW(fill_bins(some_bins(), {}, 768));
}

TEST(JoinBlocks, EveryPointFromItsPlace) {
  const PointBlocks blocks{{11, 8, 17}, {8, 8, 8}};
  std::vector<float> padded(static_cast<std::size_t>(blocks.n_blocks()) * 512);
  for (std::int64_t b = 0; b < blocks.n_blocks(); ++b)
    for (std::int32_t p = 0; p < 512; ++p) {
      const PointBlock block = blocks[b];
      const std::int32_t i = block.low.x + p % 8, j = block.low.y + p / 8 % 8, k = block.low.z + p / 64;
      padded[static_cast<std::size_t>(b * 512 + p)] = static_cast<float>(i + 100 * j + 10000 * k);
    }
  std::vector<double> potential(std::size_t{11} * 8 * 17, 0.5);
  join_blocks(Cpu{2}, blocks, padded.data(), 2, potential);
  for (std::size_t p = 0; p < potential.size(); ++p) {
    const std::size_t i = p % 11, j = p / 11 % 8, k = p / 88;
    EXPECT_EQ(potential[p], 0.5 + 2.0 * static_cast<double>(i + 100 * j + 10000 * k));
  }
}

}  // namespace
}  // namespace dropmd
