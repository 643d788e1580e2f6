#pragma once

#include <algorithm>
#include <cmath>
#include <random>
#include <vector>

#include "core/symmetric_eigen.h"

/// Symmetric matrices with known eigenvalues.
namespace dropmd {

struct KnownMatrix {
  SymmetricMatrix matrix;
  double value[3];  ///< ascending
};

/// Q diag(value) Qᵀ, computed in long double and rounded once. Q is the rotation of a quaternion [4] of any length.
inline KnownMatrix turned(const double (&value)[3], const long double (&quaternion)[4]) {
  const long double a = quaternion[0], b = quaternion[1], c = quaternion[2], d = quaternion[3];
  const long double n = a * a + b * b + c * c + d * d;
  const long double q[3][3] = {{1 - 2 * (c * c + d * d) / n, 2 * (b * c - a * d) / n, 2 * (b * d + a * c) / n},
                               {2 * (b * c + a * d) / n, 1 - 2 * (b * b + d * d) / n, 2 * (c * d - a * b) / n},
                               {2 * (b * d - a * c) / n, 2 * (c * d + a * b) / n, 1 - 2 * (b * b + c * c) / n}};
  const auto element = [&](int i, int j) {
    long double sum = 0;
    for (int k = 0; k < 3; ++k) sum += value[k] * q[i][k] * q[j][k];
    return static_cast<double>(sum);
  };
  KnownMatrix known{{element(0, 0), element(0, 1), element(0, 2), element(1, 1), element(1, 2), element(2, 2)},
                    {value[0], value[1], value[2]}};
  std::sort(known.value, known.value + 3);
  return known;
}

/// Distinct, repeated, nearly repeated, zero and negative eigenvalues, with ratios up to 1e12, from 1e-200 to 1e200.
/// The matrices are rotated at random: by any angle, and by angles down to 1e-9, which leave them diagonal except for
/// rounding.
inline std::vector<KnownMatrix> known_matrices() {
  constexpr double kValues[][3] = {
      {1, 2, 3},         {1, 1, 2},          {1, 2, 2},         {1, 1, 1},    {0, 1, 2},
      {0, 1, 1},         {0, 0, 1},          {0, 0, 0},         {-1, 0, 1},   {-3, 1, 3},
      {1e-12, 1, 1},     {1e-12, 1e-6, 1},   {1e-12, 1e-12, 1}, {1e-8, 1, 2}, {1, 1 + 1e-14, 1 + 1e-8},
      {1, 1 + 1e-12, 1}, {-1, -1e-12, 1e-12}};
  std::mt19937 random(11);
  std::normal_distribution<double> normal;
  std::uniform_real_distribution<double> magnitude(-9, 0);
  std::vector<KnownMatrix> known;
  for (const auto& value : kValues)
    for (const double scale : {1e-200, 1.0, 1e200})
      for (int turn = 0; turn < 100; ++turn) {
        const double small = turn % 4 == 3 ? std::pow(10.0, magnitude(random)) : 1.0;
        known.push_back(
            turned({scale * value[0], scale * value[1], scale * value[2]},
                   {normal(random), small * normal(random), small * normal(random), small * normal(random)}));
      }
  return known;
}

}  // namespace dropmd
