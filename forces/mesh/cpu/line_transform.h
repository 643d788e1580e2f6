#pragma once

#include <bit>
#include <cmath>
#include <cstddef>
#include <stdexcept>
#include <utility>
#include <vector>

#include "core/lanes/lanes.h"

namespace dropmd {

/// A complex number in every lane.
template <class Lane>
struct ComplexLane {
  Lane re{}, im{};

  ComplexLane() = default;
  ComplexLane(const Lane& real, const Lane& imaginary) : re(real), im(imaginary) {}
  // GCC 12 copies a struct of two vectors by half vectors, and the processor stalls when it then loads a whole one.
  ComplexLane(const ComplexLane& other) : re(other.re), im(other.im) {}
  ComplexLane& operator=(const ComplexLane& other) {
    re = other.re, im = other.im;
    return *this;
  }

  friend ComplexLane operator+(const ComplexLane& a, const ComplexLane& b) { return {a.re + b.re, a.im + b.im}; }
  friend ComplexLane operator-(const ComplexLane& a, const ComplexLane& b) { return {a.re - b.re, a.im - b.im}; }
  /// Returns −i times a number.
  friend ComplexLane turned(const ComplexLane& a) { return {a.im, -a.re}; }
  /// Returns i times the conjugate. The inverse transform is the forward one with numbers swapped before and after.
  friend ComplexLane swapped(const ComplexLane& a) { return {a.im, a.re}; }
};

/// A factor e^(−2πi k/n), the same for all lanes.
template <class Lane>
struct Twiddle {
  LaneReal<Lane> re, im;

  Twiddle(std::size_t k, std::size_t n) {
    const double angle = -2 * 3.14159265358979323846 * static_cast<double>(k % n) / static_cast<double>(n);
    re = static_cast<LaneReal<Lane>>(std::cos(angle));
    im = static_cast<LaneReal<Lane>>(std::sin(angle));
  }

  friend ComplexLane<Lane> operator*(const Twiddle& w, const ComplexLane<Lane>& a) {
    const Lane cos(w.re), sin(w.im);
    return {lane_fma(cos, a.re, -(sin * a.im)), lane_fma(cos, a.im, sin * a.re)};
  }
};

/// The discrete Fourier transform Σ_j x_j e^(−2πi jk/n) of several lines at once, one in each lane, for lengths without
/// a prime factor above 5. It is Stockham's: each pass takes one factor r of n, reads one buffer and writes the other;
/// the last one leaves the wave numbers in ascending order. Stockham, AFIPS Proc. 28, 229 (1966); Van Loan,
/// Computational Frameworks for the Fast Fourier Transform, 1992, section 1.7.
template <class Lane>
class LineTransform {
 public:
  using Value = ComplexLane<Lane>;

  /// Throws std::invalid_argument for a length with another factor.
  explicit LineTransform(std::size_t length) : length_(length) {
    if (length == 0) throw std::invalid_argument("a transform has no points");
    std::size_t rest = length;
    for (const std::size_t factor : {std::size_t{5}, std::size_t{3}})
      for (; rest % factor == 0; rest /= factor) add_pass(factor, rest);
    if (std::countr_zero(rest) % 2 != 0) {
      add_pass(2, rest);
      rest /= 2;
    }
    for (; rest % 4 == 0; rest /= 4) add_pass(4, rest);  // last, since the last pass has no twiddle factors
    if (rest != 1) throw std::invalid_argument("the length of a transform has a prime factor above 5");
  }

  std::size_t length() const { return length_; }

  /// Transforms the values in `line`, [length]. Returns the buffer that then holds the result, `line` or `other`.
  Value* operator()(Value* line, Value* other) const {
    std::size_t lines = 1;
    for (const Pass& pass : passes_) {
      const Twiddle<Lane>* const twiddles = twiddles_.data() + pass.first_twiddle;
      switch (pass.factor) {
        case 2:
          make<2>(pass.rest, lines, twiddles, line, other);
          break;
        case 3:
          make<3>(pass.rest, lines, twiddles, line, other);
          break;
        case 4:
          make<4>(pass.rest, lines, twiddles, line, other);
          break;
        default:
          make<5>(pass.rest, lines, twiddles, line, other);
      }
      std::swap(line, other);
      lines *= pass.factor;
    }
    return line;
  }

 private:
  /// Transforms of length factor · rest, each of which becomes `factor` transforms of length `rest`.
  struct Pass {
    std::size_t factor, rest, first_twiddle;
  };

  void add_pass(std::size_t factor, std::size_t length) {
    passes_.push_back({factor, length / factor, twiddles_.size()});
    for (std::size_t p = 0; p < length / factor; ++p)
      for (std::size_t k = 1; k < factor; ++k) twiddles_.emplace_back(p * k, length);
  }

  template <int R>
  static void make(std::size_t rest, std::size_t lines, const Twiddle<Lane>* twiddles, const Value* from, Value* to) {
    for (std::size_t p = 0; p < rest; ++p, twiddles += R - 1)
      for (std::size_t q = 0; q < lines; ++q) {
        Value x[R];
        for (std::size_t j = 0; j < R; ++j) x[j] = from[q + lines * (p + rest * j)];
        transform(x);
        Value* const out = to + q + lines * (R * p);
        out[0] = x[0];
        for (std::size_t k = 1; k < R; ++k) out[lines * k] = p == 0 ? x[k] : twiddles[k - 1] * x[k];
      }
  }

  static void transform(Value (&x)[2]) {
    const Value a = x[0];
    x[0] = a + x[1];
    x[1] = a - x[1];
  }
  static void transform(Value (&x)[3]) {
    const Value sum = x[1] + x[2], turn = turned(scaled(0.86602540378443864676, x[1] - x[2]));
    const Value middle = added(x[0], -0.5, sum);
    x[0] = x[0] + sum;
    x[1] = middle + turn;
    x[2] = middle - turn;
  }
  static void transform(Value (&x)[4]) {
    const Value a = x[0] + x[2], b = x[0] - x[2], c = x[1] + x[3], d = turned(x[1] - x[3]);
    x[0] = a + c;
    x[1] = b + d;
    x[2] = a - c;
    x[3] = b - d;
  }
  static void transform(Value (&x)[5]) {
    constexpr double kCos1 = 0.30901699437494742410, kCos2 = -0.80901699437494742410, kSin1 = 0.95105651629515357212,
                     kSin2 = 0.58778525229247312917;
    const Value a = x[1] + x[4], b = x[2] + x[3], c = x[1] - x[4], d = x[2] - x[3];
    const Value near = added(added(x[0], kCos1, a), kCos2, b), far = added(added(x[0], kCos2, a), kCos1, b);
    const Value near_turn = turned(added(scaled(kSin1, c), kSin2, d)),
                far_turn = turned(added(scaled(kSin2, c), -kSin1, d));
    x[0] = x[0] + (a + b);
    x[1] = near + near_turn;
    x[2] = far + far_turn;
    x[3] = far - far_turn;
    x[4] = near - near_turn;
  }

  static Value scaled(double factor, const Value& a) {
    const Lane f(static_cast<LaneReal<Lane>>(factor));
    return {f * a.re, f * a.im};
  }
  /// Returns a + factor b.
  static Value added(const Value& a, double factor, const Value& b) {
    const Lane f(static_cast<LaneReal<Lane>>(factor));
    return {lane_fma(f, b.re, a.re), lane_fma(f, b.im, a.im)};
  }

  std::size_t length_;
  std::vector<Pass> passes_;
  std::vector<Twiddle<Lane>> twiddles_;
};

}  // namespace dropmd
