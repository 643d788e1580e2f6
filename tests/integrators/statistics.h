#pragma once

#include <algorithm>
#include <cmath>
#include <limits>
#include <vector>

/// Distributions and the Kolmogorov-Smirnov test, for tests of random numbers. Their seeds are fixed, so a test that
/// passes once always passes. p > 0.01 says that the numbers of this seed are not among the 1% of samples that are
/// least like the distribution.
namespace dropmd {

inline double normal_cdf(double x) { return 0.5 * std::erfc(-x / std::sqrt(2.0)); }

/// The regularised lower incomplete gamma function: the power series below x = shape + 1 and Lentz's continued fraction
/// above (Digital Library of Mathematical Functions 8.11.4 and 8.9.2).
inline double gamma_cdf(double shape, double x) {
  if (!(x > 0)) return 0;
  const double front = std::exp(shape * std::log(x) - x - std::lgamma(shape));
  constexpr double kEnough = 1e-15;
  if (x < shape + 1) {
    double term = 1 / shape, sum = term;
    for (double k = shape + 1; term > kEnough * sum; ++k) sum += term *= x / k;
    return front * sum;
  }
  double b = x + 1 - shape, c = std::numeric_limits<double>::max(), d = 1 / b, fraction = d, change = 0;
  for (int k = 1; std::abs(change - 1) > kEnough && k < 10000; ++k) {
    const double a = -k * (k - shape);
    b += 2;
    d = 1 / (a * d + b);
    c = b + a / c;
    change = c * d;
    fraction *= change;
  }
  return 1 - front * fraction;
}

/// The probability that a sample of n numbers of this distribution is further from it than the given one, by the
/// largest distance of the cumulative distributions. It uses the asymptotic formula with Stephens' correction for
/// finite n (J. R. Stat. Soc. B 32, 115, 1970).
template <class Cdf>
double kolmogorov_smirnov_p(std::vector<double> sample, const Cdf& cdf) {
  std::sort(sample.begin(), sample.end());
  const auto n = static_cast<double>(sample.size());
  double distance = 0;
  for (std::size_t i = 0; i < sample.size(); ++i) {
    const double f = cdf(sample[i]);
    distance = std::max({distance, f - static_cast<double>(i) / n, static_cast<double>(i + 1) / n - f});
  }
  const double lambda = (std::sqrt(n) + 0.12 + 0.11 / std::sqrt(n)) * distance;
  if (lambda < 0.2) return 1;  // the series converges slowly; p > 1 - 1e-11
  double p = 0;
  for (int k = 1; k <= 100; ++k) p += (k % 2 == 1 ? 2 : -2) * std::exp(-2.0 * k * k * lambda * lambda);
  return p;
}

inline double mean_of(const std::vector<double>& values) {
  double sum = 0;
  for (const double v : values) sum += v;
  return sum / static_cast<double>(values.size());
}

/// Σ (v - mean)²/(n - 1)
inline double variance_of(const std::vector<double>& values) {
  const double mean = mean_of(values);
  double sum = 0;
  for (const double v : values) sum += (v - mean) * (v - mean);
  return sum / static_cast<double>(values.size() - 1);
}

/// The standard error of the mean of independent values.
inline double standard_error(const std::vector<double>& values) {
  return std::sqrt(variance_of(values) / static_cast<double>(values.size()));
}

}  // namespace dropmd
