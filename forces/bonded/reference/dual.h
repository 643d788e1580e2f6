#pragma once

#include <cmath>
#include <cstddef>

namespace dropmd {

/// A number with its derivatives with respect to n variables (forward automatic differentiation). The reference for
/// bonded terms takes its forces from it, so that they follow from the energy alone. Where a function has no
/// derivative, as the square root at 0, the derivative counts as 0.
template <std::size_t n>
struct Dual {
  long double value = 0;
  long double by[n]{};

  Dual() = default;
  // NOLINTNEXTLINE(google-explicit-constructor): constants stand in formulas as they are
  Dual(long double constant) : value(constant) {}

  /// The variable with this index.
  static Dual variable(long double value, std::size_t index) {
    Dual x(value);
    x.by[index] = 1;
    return x;
  }

  Dual& operator+=(const Dual& o) { return *this = combined(*this, o, value + o.value, 1, 1); }
  Dual& operator-=(const Dual& o) { return *this = combined(*this, o, value - o.value, 1, -1); }
  Dual& operator*=(const Dual& o) { return *this = combined(*this, o, value * o.value, o.value, value); }
  Dual& operator/=(const Dual& o) {
    const long double ratio = value / o.value;
    return *this = combined(*this, o, ratio, 1 / o.value, -ratio / o.value);
  }
  friend Dual operator+(Dual a, const Dual& b) { return a += b; }
  friend Dual operator-(Dual a, const Dual& b) { return a -= b; }
  friend Dual operator*(Dual a, const Dual& b) { return a *= b; }
  friend Dual operator/(Dual a, const Dual& b) { return a /= b; }
  friend Dual operator-(const Dual& a) { return Dual(0) - a; }

  friend Dual sqrt(const Dual& a) {
    const long double root = std::sqrt(a.value);
    return of(a, root, root > 0 ? 0.5L / root : 0);
  }
  friend Dual cos(const Dual& a) { return of(a, std::cos(a.value), -std::sin(a.value)); }
  friend Dual atan2(const Dual& y, const Dual& x) {
    const long double r2 = x.value * x.value + y.value * y.value, scale = r2 > 0 ? 1 / r2 : 0;
    return combined(y, x, std::atan2(y.value, x.value), scale * x.value, -scale * y.value);
  }

 private:
  /// A function of one number with the given value and derivative.
  static Dual of(const Dual& a, long double value, long double slope) { return combined(a, a, value, slope, 0); }
  static Dual combined(const Dual& a, const Dual& b, long double value, long double by_a, long double by_b) {
    Dual result(value);
    for (std::size_t k = 0; k < n; ++k) result.by[k] = by_a * a.by[k] + by_b * b.by[k];
    return result;
  }
};

/// Returns the value of a number without its derivatives.
inline long double value_of(long double x) { return x; }
template <std::size_t n>
long double value_of(const Dual<n>& x) {
  return x.value;
}

}  // namespace dropmd
