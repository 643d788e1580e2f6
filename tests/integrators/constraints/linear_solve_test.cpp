#include "integrators/constraints/linear_solve.h"

#include <gtest/gtest.h>

#include <random>

namespace dropmd {
namespace {

template <class Real, int n>
void solves_random_systems_in(double bound) {
  std::mt19937_64 random(n);
  std::uniform_real_distribution<double> uniform(-1, 1);
  for (int repeat = 0; repeat < 200; ++repeat) {
    Real a[n][n], lu[n][n], x[n], b[n];
    for (int i = 0; i < n; ++i) {
      x[i] = static_cast<Real>(uniform(random));
      for (int j = 0; j < n; ++j)
        lu[i][j] = a[i][j] = static_cast<Real>(uniform(random) + (i == (j + repeat) % n ? 3 : 0));
    }
    for (int i = 0; i < n; ++i) {
      b[i] = 0;
      for (int j = 0; j < n; ++j) b[i] += a[i][j] * x[j];
    }
    ASSERT_TRUE(solve_linear<Pivots::any>(lu, b));
    for (int i = 0; i < n; ++i) EXPECT_NEAR(b[i], x[i], bound) << n;
  }
}

template <class Real, int n>
void solves_definite_systems_in(double bound) {
  std::mt19937_64 random(n);
  std::uniform_real_distribution<double> uniform(-1, 1);
  for (int repeat = 0; repeat < 200; ++repeat) {
    double root[n][n];
    Real a[n][n], lu[n][n], x[n], b[n];
    for (auto& row : root)
      for (double& element : row) element = uniform(random);
    for (int i = 0; i < n; ++i) {
      x[i] = static_cast<Real>(uniform(random));
      for (int j = 0; j < n; ++j) {
        double sum = i == j ? 0.5 : 0;
        for (int k = 0; k < n; ++k) sum += root[i][k] * root[j][k];
        lu[i][j] = a[i][j] = static_cast<Real>(sum);
      }
    }
    for (int i = 0; i < n; ++i) {
      b[i] = 0;
      for (int j = 0; j < n; ++j) b[i] += a[i][j] * x[j];
    }
    ASSERT_TRUE(solve_linear<Pivots::on_diagonal>(lu, b));
    for (int i = 0; i < n; ++i) EXPECT_NEAR(b[i], x[i], bound) << n;
  }
}

/// The bounds are some 5,000 units in the last place of 1, for matrices with condition numbers of up to some 100.
template <int n>
void solves_random_systems() {
  solves_random_systems_in<double, n>(1e-12);
  solves_random_systems_in<float, n>(5e-4);
  solves_definite_systems_in<double, n>(1e-12);
  solves_definite_systems_in<float, n>(5e-4);
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
  ASSERT_TRUE(solve_linear<Pivots::any>(a, b));
  EXPECT_EQ(b[0], 5);
  EXPECT_EQ(b[1], 1);
  EXPECT_EQ(b[2], 3);
}

TEST(LinearSolve, SingularMatricesAndNumbersThatAreNoneAreReported) {
  double zero[1][1] = {{0}}, one[1] = {1};
  EXPECT_FALSE(solve_linear<Pivots::any>(zero, one));
  double rank_one[2][2] = {{1, 2}, {2, 4}}, b[2] = {1, 2};
  EXPECT_FALSE(solve_linear<Pivots::any>(rank_one, b));
  double singular[2][2] = {{1, 2}, {2, 4}};
  EXPECT_FALSE(solve_linear<Pivots::on_diagonal>(singular, b));
  double nearly[2][2] = {{1, 2}, {2, 4 + 1e-10}}, c[2] = {1, 2};
  EXPECT_FALSE(solve_linear<Pivots::any>(nearly, c));
  float nearly_in_single[2][2] = {{1, 2}, {2, 4 + 1e-6F}}, e[2] = {1, 2};
  EXPECT_FALSE(solve_linear<Pivots::any>(nearly_in_single, e));
  for (int i = 0; i < 3; ++i)
    for (int j = 0; j < 3; ++j) {
      double a[3][3] = {{4, 1, 0}, {1, 4, 1}, {0, 1, 4}}, d[3] = {1, 1, 1}, f[3] = {1, 1, 1};
      double same[3][3] = {{4, 1, 0}, {1, 4, 1}, {0, 1, 4}};
      a[i][j] = same[i][j] = std::nan("");
      EXPECT_FALSE(solve_linear<Pivots::any>(a, d)) << i << j;
      EXPECT_FALSE(solve_linear<Pivots::on_diagonal>(same, f)) << i << j;
    }
}

}  // namespace
}  // namespace dropmd
