#include "engine/device/ordering/reorder_interval.h"

#include <gtest/gtest.h>

#include <functional>
#include <limits>
#include <vector>

namespace dropmd {
namespace {

constexpr SortBounds kWide{100, 10'000};

/// The intervals that follow from a known locality loss as a function of the number of steps.
std::vector<std::int64_t> intervals(const std::function<double(double)>& locality_loss, int sortings,
                                    const SortBounds& bounds = kWide, std::int64_t first = 1000) {
  ReorderInterval reordering;
  reordering.interval = first;
  reordering.begin(0, bounds);
  std::vector<std::int64_t> made;
  for (int k = 0; k < sortings; ++k) {
    reordering.sorted(locality_loss(static_cast<double>(reordering.next - reordering.last)), bounds);
    made.push_back(reordering.interval);
  }
  EXPECT_EQ(reordering.sortings, sortings);
  return made;
}

TEST(ReorderInterval, BeginsAtAThousandStepsFromAnyStepAndSortsAtHundreds) {
  ReorderInterval reordering;
  reordering.begin(0, kWide);
  EXPECT_EQ(reordering.next, 1000);
  reordering.begin(1234, kWide);
  EXPECT_EQ(reordering.next, 2300);
  EXPECT_EQ(reordering.last, 1234);
  EXPECT_EQ(reordering.sortings, 0);
}

TEST(ReorderInterval, KeepsAnIntervalThatIsRightAfterANewBeginning) {
  ReorderInterval reordering;
  reordering.begin(0, kWide);
  reordering.sorted(kWantedLocalityLoss / 9, kWide);
  EXPECT_EQ(reordering, (ReorderInterval{.last = 1000, .interval = 3000, .next = 4000, .sortings = 1}));
  reordering.begin(2050, kWide);
  EXPECT_EQ(reordering, (ReorderInterval{.last = 2050, .interval = 3000, .next = 5100, .sortings = 1}));
  reordering.begin(2050, {100, 2000});  // bounds of another method
  EXPECT_EQ(reordering.next, 4100);
}

/// The locality loss of diffusing atoms grows with the number of steps, that of free atoms with its square.
TEST(ReorderInterval, ComesToTheWantedLocalityLossOfAtomsThatDiffuseOrFly) {
  for (const double wanted : {300.0, 1000.0, 5000.0})
    for (const std::int64_t first : {100, 1000, 10'000}) {
      const auto diffuse = [&](double steps) { return std::min(1.0, kWantedLocalityLoss * steps / wanted); };
      const auto fly = [&](double steps) {
        return std::min(1.0, kWantedLocalityLoss * steps * steps / wanted / wanted);
      };
      // Half a unit of 100 steps for rounding, and the part of it that a root leaves.
      EXPECT_NEAR(static_cast<double>(intervals(diffuse, 10, kWide, first).back()), wanted, 100) << first;
      EXPECT_NEAR(static_cast<double>(intervals(fly, 10, kWide, first).back()), wanted, 100) << first;
    }
}

TEST(ReorderInterval, SortsASolidRarelyAndAVapourOften) {
  const double swing = 0.2 * 0.2;  // (displacement / spacing)² between two moments near the melting point
  EXPECT_EQ(intervals([&](double) { return swing; }, 20).back(), 10'000);
  EXPECT_EQ(intervals([](double) { return 0.0; }, 3), (std::vector<std::int64_t>{4000, 10'000, 10'000}));
  EXPECT_EQ(intervals([](double) { return 1.0; }, 3), (std::vector<std::int64_t>{300, 100, 100}));
}

TEST(ReorderInterval, StaysWithinItsBoundsAndOnItsGrid) {
  const SortBounds bounds{700, 10'000};
  std::uint32_t random = 1;
  const auto locality_loss = [&](double) {
    random = random * 1664525U + 1013904223U;
    return static_cast<double>(random >> 8U) / (1U << 24U) / (1U << (random >> 30U) * 2U);
  };
  const std::vector<std::int64_t> made = intervals(locality_loss, 1000, bounds);
  for (const std::int64_t interval : made) {
    EXPECT_GE(interval, 700);
    EXPECT_LE(interval, 10'000);
    EXPECT_EQ(interval % kSortGrid, 0);
  }
  EXPECT_EQ(*std::min_element(made.begin(), made.end()), 700);
  EXPECT_EQ(*std::max_element(made.begin(), made.end()), 10'000);
}

TEST(SortBounds, LetSmallDropletsSortLessOftenAndAllPairsAsAlways) {
  EXPECT_EQ(sort_bounds(2'113, OrderUse::search).least, 700);
  EXPECT_EQ(sort_bounds(32'768, OrderUse::search).least, 300);
  EXPECT_EQ(sort_bounds(262'144, OrderUse::search).least, 200);
  EXPECT_EQ(sort_bounds(1'048'576, OrderUse::search).least, 100);
  for (const std::size_t n : {1U, 2'000U, 1'000'000U}) EXPECT_EQ(sort_bounds(n, OrderUse::all_pairs).least, 1000);
  for (const std::size_t n : {1U, 16'384U}) {
    EXPECT_EQ(sort_bounds(n, OrderUse::wide_tiles).least, 2'000);
    EXPECT_EQ(sort_bounds(n, OrderUse::wide_tiles).most, 10'000);
  }
  EXPECT_EQ(sort_bounds(2'113, OrderUse::blocks).least, 700);
  EXPECT_EQ(sort_bounds(2'113, OrderUse::blocks).most, 1'000);
  for (const std::size_t n : {1U, 1'000'000'000U}) {
    EXPECT_GE(sort_bounds(n, OrderUse::search).least, 100);
    EXPECT_EQ(sort_bounds(n, OrderUse::search).most, 10'000);
  }
}

TEST(LocalityLossOfAtom, IsTheSquareUpToOneNeighbour) {
  EXPECT_EQ(locality_loss_of_atom({0, 0, 0}), 0U);
  EXPECT_EQ(locality_loss_of_atom({0, -0.5F, 0}), kWholeLocalityLoss / 4);
  EXPECT_EQ(locality_loss_of_atom({0.25F, 0.25F, -0.25F}), kWholeLocalityLoss / 16 * 3);
  EXPECT_EQ(locality_loss_of_atom({1, 0, 0}), kWholeLocalityLoss);
  EXPECT_EQ(locality_loss_of_atom({3, 4, 5e30F}), kWholeLocalityLoss);
  EXPECT_EQ(locality_loss_of_atom({0, std::numeric_limits<float>::quiet_NaN(), 0}), kWholeLocalityLoss);
}

TEST(RankOf, IsThatOfASortedCopyWithNaNAsInfinity) {
  constexpr float kFloatNan = std::numeric_limits<float>::quiet_NaN(), kInf = std::numeric_limits<float>::infinity();
  const std::vector<float> values{3, -1, kFloatNan, 3, kInf, -kInf, kFloatNan, 0};
  std::vector<std::uint32_t> ranks;
  for (std::uint32_t k = 0; k < values.size(); ++k) ranks.push_back(rank_of(values.data(), 8, k));
  EXPECT_EQ(ranks, (std::vector<std::uint32_t>{3, 1, 5, 4, 6, 0, 7, 2}));
}

/// The drift as it is taken from a sample: the median of its displacements.
float middle_of(const std::vector<float>& values) {
  const auto n = static_cast<std::uint32_t>(values.size());
  for (std::uint32_t k = 0; k < n; ++k)
    if (rank_of(values.data(), n, k) == n / 2) return values[k];
  return std::numeric_limits<float>::quiet_NaN();
}

TEST(RankOf, GivesADriftThatLostAtomsDoNotChange) {
  std::vector<float> moved;
  for (std::uint32_t i = 0; i < kDriftSample; ++i) moved.push_back(1000 + 0.001F * static_cast<float>(i * 97 % 255));
  const float drift = middle_of(moved);
  EXPECT_NEAR(drift, 1000 + 0.001 * 127, 1e-3);
  for (const float lost :
       {1e6F, -1e30F, std::numeric_limits<float>::infinity(), std::numeric_limits<float>::quiet_NaN()}) {
    std::vector<float> with_lost = moved;
    for (std::size_t i = 0; i < 5; ++i) with_lost[40 * i] = lost;
    EXPECT_NEAR(middle_of(with_lost), drift, 0.0051F) << lost;
  }
  EXPECT_EQ(middle_of({7}), 7);
}

}  // namespace
}  // namespace dropmd
