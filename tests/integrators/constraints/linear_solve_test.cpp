#include "integrators/constraints/linear_solve.h"

#include <gtest/gtest.h>

#include <random>

namespace dropmd {
namespace {

template <int n>
void solves_random_systems() {
  std::mt19937_64 random(n);
  std::uniform_real_distribution<double> uniform(-1, 1);
  for (int repeat = 0; repeat < 200; ++repeat) {
    double a[n][n], lu[n][n], x[n], b[n];
    for (int i = 0; i < n; ++i) {
      x[i] = uniform(random);
      for (int j = 0; j < n; ++j) lu[i][j] = a[i][j] = uniform(random) + (i == (j + repeat) % n ? 3 : 0);
    }
    for (int i = 0; i < n; ++i) {
      b[i] = 0;
      for (int j = 0; j < n; ++j) b[i] += a[i][j] * x[j];
    }
    ASSERT_TRUE(solve_linear(lu, b));
    for (int i = 0; i < n; ++i) EXPECT_NEAR(b[i], x[i], 1e-12) << n;
  }
}

TEST(LinearSolve, SolvesSystemsOfEverySize) {
  solves_random_systems<1>();
  solves_random_systems<2>();
  solves_random_systems<3>();
  solves_random_systems<4>();
  solves_random_systems<5>();
  solves_random_systems<6>();
}

TEST(LinearSolve, ExchangesRowsWithAZeroOnTheDiagonal) {
  double a[3][3] = {{0, 2, 0}, {0, 0, 4}, {5, 0, 0}}, b[3] = {2, 12, 25};
  ASSERT_TRUE(solve_linear(a, b));
  EXPECT_EQ(b[0], 5);
  EXPECT_EQ(b[1], 1);
  EXPECT_EQ(b[2], 3);
}

TEST(LinearSolve, SingularMatricesAndNumbersThatAreNoneAreReported) {
  double zero[1][1] = {{0}}, one[1] = {1};
  EXPECT_FALSE(solve_linear(zero, one));
  double rank_one[2][2] = {{1, 2}, {2, 4}}, b[2] = {1, 2};
  EXPECT_FALSE(solve_linear(rank_one, b));
  double nearly[2][2] = {{1, 2}, {2, 4 + 1e-10}}, c[2] = {1, 2};
  EXPECT_FALSE(solve_linear(nearly, c));
  for (int i = 0; i < 3; ++i)
    for (int j = 0; j < 3; ++j) {
      double a[3][3] = {{4, 1, 0}, {1, 4, 1}, {0, 1, 4}}, d[3] = {1, 1, 1};
      a[i][j] = std::nan("");
      EXPECT_FALSE(solve_linear(a, d)) << i << j;
    }
}

}  // namespace
}  // namespace dropmd
