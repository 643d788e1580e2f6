#include "core/philox.h"

#include <gtest/gtest.h>

#include <cmath>
#include <cstdint>
#include <set>

namespace dropmd {
namespace {

constexpr RandomKey kKey{7, RandomPurpose::velocities};

/// Philox4x32-10 with counter 0 and key 0, from the known answers of Random123 (kat_vectors).
TEST(Philox, KnownAnswer) {
  const auto words = random_words({0, RandomPurpose{0}}, 0, 0);
  EXPECT_EQ(words[0], 0x6627e8d5U);
  EXPECT_EQ(words[1], 0xe169c58dU);
  EXPECT_EQ(words[2], 0xbc57ac4cU);
  EXPECT_EQ(words[3], 0x9b00dbd8U);
}

/// All bits of counter and key are one: the second known answer. Index, block, purpose and seed reach every bit.
TEST(Philox, KnownAnswerOfAllOnes) {
  const auto words = random_words({~std::uint64_t{0}, RandomPurpose{0xFFFFFFFFU}}, ~std::uint64_t{0}, 0xFFFFFFFFU);
  EXPECT_EQ(words[0], 0x408f276dU);
  EXPECT_EQ(words[1], 0x41c83b0eU);
  EXPECT_EQ(words[2], 0xa20bc7c6U);
  EXPECT_EQ(words[3], 0x6d5451fdU);
}

TEST(Philox, EveryPartOfTheKeyMatters) {
  std::set<std::uint32_t> first;
  first.insert(random_words({1, RandomPurpose::velocities}, 1, 1)[0]);
  first.insert(random_words({2, RandomPurpose::velocities}, 1, 1)[0]);
  first.insert(random_words({1ULL << 40, RandomPurpose::velocities}, 1, 1)[0]);
  first.insert(random_words({1, RandomPurpose::generate}, 1, 1)[0]);
  first.insert(random_words({1, RandomPurpose::velocities}, 2, 1)[0]);
  first.insert(random_words({1, RandomPurpose::velocities}, 1ULL << 40, 1)[0]);
  first.insert(random_words({1, RandomPurpose::velocities}, 1, 2)[0]);
  EXPECT_EQ(first.size(), 7U);
}

TEST(Philox, UniformExcludesBothEnds) {
  EXPECT_GT(uniform_open(0, 0), 0.0);
  EXPECT_LT(uniform_open(0xFFFFFFFFU, 0xFFFFFFFFU), 1.0);
  EXPECT_NEAR(uniform_open(0x80000000U, 0), 0.5, 1e-15);
  EXPECT_LT(uniform_open(5, 0), uniform_open(5, 0x80000000U)) << "the low word does not count";
}

/// The mean of n independent values of variance v has a standard error of √(v/n). Five of them are exceeded once in two
/// million cases.
double standard_errors(double mean, double expected, double variance, double n) {
  return std::abs(mean - expected) / std::sqrt(variance / n);
}

TEST(Philox, MomentsOfUniformNumbers) {
  constexpr int kDraws = 100000;
  double sum = 0, squares = 0;
  for (int k = 0; k < kDraws; ++k) {
    const Vec3<double> u = uniform_vec3(kKey, static_cast<std::uint64_t>(k), 0);
    for (const double x : {u.x, u.y, u.z}) sum += x, squares += x * x;
  }
  const double n = 3.0 * kDraws;
  EXPECT_LT(standard_errors(sum / n, 1.0 / 2, 1.0 / 12, n), 5);
  EXPECT_LT(standard_errors(squares / n, 1.0 / 3, 1.0 / 5 - 1.0 / 9, n), 5);
}

TEST(Philox, MomentsOfNormalNumbers) {
  constexpr int kDraws = 100000;
  double sum = 0, squares = 0, cubes = 0, fourths = 0, products = 0;
  for (int k = 0; k < kDraws; ++k) {
    const Vec3<double> g = normal_vec3(kKey, static_cast<std::uint64_t>(k), 3);
    for (const double x : {g.x, g.y, g.z}) sum += x, squares += x * x, cubes += x * x * x, fourths += x * x * x * x;
    products += g.x * g.y + g.y * g.z + g.z * g.x;
  }
  const double n = 3.0 * kDraws;
  // Moments of the normal distribution: 1, 3, 15, 105 for powers 2, 4, 6, 8.
  EXPECT_LT(standard_errors(sum / n, 0, 1, n), 5);
  EXPECT_LT(standard_errors(squares / n, 1, 3 - 1, n), 5);
  EXPECT_LT(standard_errors(cubes / n, 0, 15, n), 5);
  EXPECT_LT(standard_errors(fourths / n, 3, 105 - 9, n), 5);
  EXPECT_LT(standard_errors(products / n, 0, 1, n), 5) << "components are not independent";
}

}  // namespace
}  // namespace dropmd
