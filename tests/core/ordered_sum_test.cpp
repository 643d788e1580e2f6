#include "core/ordered_sum.h"

#include <gtest/gtest.h>

#include <atomic>
#include <cmath>
#include <random>

#include "core/vec3.h"

namespace dropmd {
namespace {

/// Numbers of very different size and sign; any other order of addition changes the last bits.
std::vector<double> awkward_numbers(std::size_t n) {
  std::mt19937 random(1);
  std::uniform_real_distribution<double> exponent(-12, 12), sign(-1, 1);
  std::vector<double> numbers(n);
  for (double& x : numbers) x = sign(random) * std::pow(10, exponent(random));
  return numbers;
}

TEST(OrderedSum, DoesNotDependOnThreads) {
  for (const std::size_t n :
       {std::size_t{0}, std::size_t{1}, std::size_t{1023}, std::size_t{1024}, std::size_t{1025}, std::size_t{100003}}) {
    const auto numbers = awkward_numbers(n);
    const auto sum = [&](int threads) {
      return ordered_sum<double>(Cpu{threads}, n, [&](std::size_t i) { return numbers[i]; });
    };
    const double one = sum(1);
    for (const int threads : {2, 3, 5, 8, 64}) EXPECT_EQ(sum(threads), one) << n << " numbers, " << threads;
    long double exact = 0, magnitude = 0;
    for (const double x : numbers) exact += x, magnitude += std::abs(x);
    EXPECT_NEAR(one, static_cast<double>(exact), 1e-13 * static_cast<double>(magnitude));
  }
}

TEST(OrderedSum, SumsAnythingThatAdds) {
  const auto sum = ordered_sum<Vec3<double>>(Cpu{2}, 20000, [](std::size_t i) {
    return Vec3<double>{1, static_cast<double>(i), -1};
  });
  EXPECT_EQ(sum, (Vec3<double>{20000, 20000.0 * 19999 / 2, -20000}));
}

TEST(ForEachIndex, VisitsEachOnce) {
  for (const std::size_t n : {std::size_t{0}, std::size_t{7}, std::size_t{20000}}) {
    std::vector<std::atomic<int>> visits(n);
    for_each_index(Cpu{4}, n, [&](std::size_t i) { ++visits[i]; });
    for (const auto& v : visits) EXPECT_EQ(v, 1);
  }
}

}  // namespace
}  // namespace dropmd
