#include "forces/mesh/levels/direct_sums.h"

#include <gtest/gtest.h>

#include <cmath>
#include <numeric>
#include <vector>

#include "forces/mesh/cuboid.h"
#include "forces/mesh/levels/charge_extents.h"
#include "tests/forces/mesh/vapour_systems.h"

namespace dropmd {
namespace {

struct Lists {
  std::vector<std::uint32_t> even, odd, all;

  explicit Lists(std::size_t n) : all(n) {
    std::iota(all.begin(), all.end(), 0U);
    for (const std::uint32_t k : all) (k % 5 == 1 ? odd : even).push_back(k);
  }
};

/// Sums of pairs in a double loop.
double loop_over_pairs(const DirectKernel& kernel, const Particles& p, const std::vector<std::uint32_t>& targets,
                       const std::vector<std::uint32_t>& sources, bool same, std::vector<Vec3<double>>& field) {
  double energy = 0;
  for (const std::uint32_t i : targets)
    for (const std::uint32_t j : sources) {
      if (same && j >= i) continue;
      const Vec3<double> d = p.position[i] - p.position[j];
      const SmoothTerm<double> term = kernel(dot(d, d));
      field[i] += (p.charge[j] * term.force_over_r) * d;
      field[j] -= (p.charge[i] * term.force_over_r) * d;
      energy += p.charge[i] * p.charge[j] * term.energy;
    }
  return energy;
}

TEST(DirectSums, AreThoseOfAllPairs) {
  const CoulombSplit split(9, 12.4);
  const SmoothKernel smooth(split);
  for (const std::size_t n : {1U, 2U, 31U, 33U, 129U, 1003U})
    for (const double ratio : {0.0, 4.0})
      for (const bool same : {false, true}) {
        SCOPED_TRACE(testing::Message() << n << " charges, ratio " << ratio << (same ? ", same" : ""));
        const Particles p = droplet_with_vapour(n - n / 2, n / 2);
        DirectKernel kernel{&smooth};
        if (ratio > 0) kernel.per_ratio = 1 / ratio, kernel.range2 = std::pow(ratio * 9, 2);
        const Lists lists(n);
        const auto& targets = same ? lists.all : lists.even;
        const auto& sources = same ? lists.all : lists.odd;
        std::vector<Vec3<double>> field(n), expected(n);
        const double energy = add_direct_sums({2}, kernel, p.position, p.charge, targets, sources, same, field);
        const double of_loop = loop_over_pairs(kernel, p, targets, sources, same, expected);
        double size = 1e-3;
        for (const Vec3<double>& f : expected) size = std::max(size, norm(f));
        for (std::size_t i = 0; i < n; ++i) EXPECT_LT(norm(field[i] - expected[i]), 1e-12 * size);
        EXPECT_NEAR(energy, of_loop, 1e-11 * (1 + std::abs(of_loop)));
      }
}

/// The number of pairs is estimated by samples; the last quarter of the charges is the vapour.
TEST(ChargeExtents, CountPairsOfTheChargesOutside) {
  const Particles p = droplet_with_vapour(3000, 1000);
  const std::vector<std::uint32_t> order = nearest_to_median(p.position);
  const ChargeExtents charges = ChargeExtents::of(p.position, order);
  ASSERT_EQ(charges.extents.front().outside, 0U);
  for (const ChargeExtents::Extent& extent : charges.extents) {
    if (extent.outside != 64 && extent.outside != 1004) continue;
    Cuboid inside;
    for (std::size_t k = 0; k < order.size() - extent.outside; ++k) inside.add(p.position[order[k]]);
    EXPECT_EQ(extent.cuboid.size(), inside.size());
    for (const double range : {60.0, 150.0, 1e9}) {
      double pairs = 0;
      for (std::size_t k = order.size() - extent.outside; k < order.size(); ++k)
        for (std::size_t i = 0; i < p.size(); ++i)
          pairs += i != order[k] && norm(p.position[i] - p.position[order[k]]) < range ? 1 : 0;
      EXPECT_NEAR(charges.pairs_within(extent, range), pairs, 0.25 * pairs + 50) << extent.outside << ' ' << range;
    }
  }
}

TEST(ChargeExtents, OfFewChargesAreThoseOfEach) {
  EXPECT_TRUE(ChargeExtents::of({}, {}).extents.empty());
  const std::vector<Vec3<double>> x{{0, 0, 0}, {1, 0, 0}, {1e30, 0, 0}};
  const ChargeExtents charges = ChargeExtents::of(x, nearest_to_median(x));
  ASSERT_EQ(charges.extents.size(), 3U);
  EXPECT_EQ(charges.extents[1].cuboid.size(), (Vec3<double>{1, 0, 0}));
  EXPECT_EQ(charges.pairs_within(charges.extents[1], 1e40), 3);
}

}  // namespace
}  // namespace dropmd
