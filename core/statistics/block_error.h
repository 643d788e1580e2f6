#pragma once

#include <cmath>
#include <cstddef>
#include <limits>
#include <span>
#include <vector>

namespace dropmd {

/// A mean over a correlated series, and its standard error.
struct MeanWithError {
  double mean = std::numeric_limits<double>::quiet_NaN();   ///< NaN: there are no values
  double error = std::numeric_limits<double>::quiet_NaN();  ///< NaN: the series is too short to tell
};

/// Returns the mean of values at equal intervals and its standard error by blocking (H. Flyvbjerg, H. G. Petersen,
/// J. Chem. Phys. 91 (1989) 461): values are averaged in blocks of 1, 2, 4, ..., until the means of blocks are
/// uncorrelated. The block length B is the shortest with B³ > 2 n (e_B / e_1)⁴, where e_B is the error that blocks of
/// that length give (U. Wolff, Comput. Phys. Commun. 156 (2004) 143; R. M. Lee et al., Phys. Rev. E 83 (2011) 066706).
/// Values that are too few to fill another block are left out. There are at least four blocks; otherwise the error is
/// not known.
inline MeanWithError mean_with_error(std::span<const double> values) {
  MeanWithError result;
  const std::size_t n = values.size();
  if (n == 0) return result;
  const auto mean_of = [](std::span<const double> of) {
    double sum = 0;
    for (const double value : of) sum += value;
    return sum / static_cast<double>(of.size());
  };
  result.mean = mean_of(values);
  std::vector<double> block(values.begin(), values.end());
  double first_error = 0;
  constexpr std::size_t kFewest = 4;  // errors of fewer blocks mean little
  for (double length = 1; block.size() >= kFewest; length *= 2) {
    const double mean = mean_of(block), count = static_cast<double>(block.size());
    double squares = 0;
    for (const double value : block) squares += (value - mean) * (value - mean);
    const double error = std::sqrt(squares / (count * (count - 1)));
    if (length == 1) first_error = error;
    const bool is_constant = first_error == 0;
    // Means of blocks that happen to be equal say nothing.
    if (is_constant ||
        (error > 0 && std::pow(length, 3) > 2 * static_cast<double>(n) * std::pow(error / first_error, 4))) {
      result.error = error;
      return result;
    }
    for (std::size_t k = 0; k < block.size() / 2; ++k) block[k] = 0.5 * (block[2 * k] + block[2 * k + 1]);
    block.resize(block.size() / 2);
  }
  return result;
}

}  // namespace dropmd
