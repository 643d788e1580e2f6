#include "device/communicator/work_share.h"

#include <gtest/gtest.h>

namespace dropmd {
namespace {

/// Every unit belongs to one GPU, in either kind of division, even if there are fewer units than GPUs.
TEST(WorkShare, DividesAllUnits) {
  for (const std::uint32_t size : {1U, 2U, 3U, 8U, 16U})
    for (const std::uint32_t n : {0U, 1U, 2U, 7U, 33U, 4'000'000'000U}) {
      if (n > 1000) {  // whose products exceed 32 bits
        EXPECT_TRUE((WorkShare{size - 1, size}).has(n - 1, n));
        EXPECT_TRUE((WorkShare{0, size}).has(0, n));
        continue;
      }
      for (std::uint32_t unit = 0; unit < n; ++unit) {
        std::uint32_t owners = 0, takers = 0;
        for (std::uint32_t rank = 0; rank < size; ++rank) {
          const WorkShare share{rank, size};
          owners += share.has(unit, n) ? 1 : 0;
          for (std::uint32_t k = 0; k < share.turns(n); ++k) takers += share.turn(k) == unit ? 1 : 0;
        }
        EXPECT_EQ(owners, 1U) << unit << " of " << n << ", " << size << " GPUs";
        EXPECT_EQ(takers, 1U) << unit << " of " << n << ", " << size << " GPUs";
      }
    }
}

TEST(WorkShare, FollowsBounds) {
  constexpr std::uint32_t kWhole = WorkShare::kWhole;
  const std::uint32_t bounds[] = {0, kWhole / 4, kWhole / 4, kWhole};  // the second GPU has nothing
  for (const std::uint32_t n : {0U, 1U, 2U, 7U, 100U, 1001U}) {
    std::uint32_t of_rank[3] = {};
    for (std::uint32_t unit = 0; unit < n; ++unit) {
      std::uint32_t owners = 0;
      for (std::uint32_t rank = 0; rank < 3; ++rank) {
        const bool has = WorkShare{rank, 3, bounds}.has(unit, n);
        of_rank[rank] += has ? 1 : 0;
        owners += has ? 1 : 0;
      }
      EXPECT_EQ(owners, 1U) << unit << " of " << n;
    }
    EXPECT_EQ(of_rank[0], n / 4);
    EXPECT_EQ(of_rank[1], 0U);
  }
  EXPECT_TRUE((WorkShare{2, 3, bounds}).has(3'999'999'999U, 4'000'000'000U)) << "products exceed 32 bits";
}

TEST(WorkShare, IsEven) {
  for (std::uint32_t rank = 0; rank < 3; ++rank) {
    std::uint32_t n = 0;
    for (std::uint32_t unit = 0; unit < 100; ++unit) n += (WorkShare{rank, 3}).has(unit, 100) ? 1 : 0;
    EXPECT_GE(n, 33U);
    EXPECT_LE(n, 34U);
    EXPECT_GE((WorkShare{rank, 3}).turns(100), 33U);
    EXPECT_LE((WorkShare{rank, 3}).turns(100), 34U);
  }
}

}  // namespace
}  // namespace dropmd
