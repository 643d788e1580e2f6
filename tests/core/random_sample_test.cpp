#include "core/random_sample.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <functional>

namespace dropmd {
namespace {

constexpr RandomKey kKeyOfSample{.seed = 5, .purpose = RandomPurpose::self_check};

TEST(RandomSample, HasDifferentNumbersInOrder) {
  for (const std::uint32_t n : {1U, 99U, 100U, 101U, 200U, 4'000'000'000U})
    for (std::uint64_t index = 0; index < 50; ++index) {
      const auto sample = random_sample(kKeyOfSample, index, n, 100);
      ASSERT_EQ(sample.size(), std::min(n, 100U));
      EXPECT_TRUE(std::is_sorted(sample.begin(), sample.end(), std::less_equal<>{})) << "a number is there twice";
      EXPECT_LT(sample.back(), n);
    }
  EXPECT_TRUE(random_sample(kKeyOfSample, 0, 0, 100).empty());
}

TEST(RandomSample, IsAFunctionOfSeedAndIndex) {
  const auto sample = random_sample(kKeyOfSample, 7, 10'000, 100);
  EXPECT_EQ(sample, random_sample(kKeyOfSample, 7, 10'000, 100));
  EXPECT_NE(sample, random_sample(kKeyOfSample, 8, 10'000, 100));
  EXPECT_NE(sample, random_sample({.seed = 6, .purpose = kKeyOfSample.purpose}, 7, 10'000, 100));
}

/// Each number is in a quarter of the samples: 1,000 of 4,000, with a standard deviation of 27. Each pair of numbers is
/// in 5·4/(20·19) of them: 211, with a standard deviation of 14. The test allows five standard deviations.
TEST(RandomSample, DrawsEveryNumberAndPairEquallyOften) {
  std::array<int, 20> count{};
  std::array<std::array<int, 20>, 20> together{};
  for (std::uint64_t index = 0; index < 4000; ++index) {
    const auto sample = random_sample(kKeyOfSample, index, 20, 5);
    for (const auto a : sample) {
      ++count[a];
      for (const auto b : sample) ++together[a][b];
    }
  }
  for (std::size_t a = 0; a < 20; ++a) {
    EXPECT_NEAR(count[a], 1000, 135) << a;
    for (std::size_t b = 0; b < a; ++b) EXPECT_NEAR(together[a][b], 211, 70) << a << ", " << b;
  }
}

}  // namespace
}  // namespace dropmd
