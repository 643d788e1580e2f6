#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <vector>

#include "forces/mesh/cpu/line_transform.h"

namespace dropmd {

/// Transforms of lines of n values that are padded with zeros to a length N ≥ 2n − 1, N even, several lines at once.
///
/// The even wave numbers are a transform of half the length of x_j, the odd ones one of x_j e^(−2πij/N):
///
///   X_{2k} = Σ_j x_j e^(−2πi jk/(N/2)),   X_{2k+1} = Σ_j (x_j e^(−2πij/N)) e^(−2πi jk/(N/2)),   j < n ≤ N/2
///
/// so the zeros are neither stored nor transformed, nor are the values that the inverse transform has beyond n.
template <class Lane>
class PaddedLines {
 public:
  using Value = ComplexLane<Lane>;
  /// The wave numbers of a line: [0][k] is number 2k, [1][k] is number 2k + 1, k < N/2.
  using Spectrum = std::array<Value*, 2>;

  /// The buffers of a thread. One serves transforms of several lengths.
  class Buffers {
   public:
    /// most: the largest N/2.
    explicit Buffers(std::size_t most) : most_(most), values_(4 * most) {}
    /// Returns buffer a or b of the even or the odd wave numbers.
    Value* of(int odd, int b) { return &values_[static_cast<std::size_t>(2 * odd + b) * most_]; }
    Spectrum spectrum() { return {of(0, 0), of(1, 0)}; }

   private:
    std::size_t most_;
    std::vector<Value> values_;
  };

  PaddedLines(std::size_t n, std::size_t length) : n_(n), transform_(length / 2) {
    for (std::size_t j = 0; j < n; ++j) twist_.emplace_back(j, length);
  }

  /// Transforms the values load(j), j < n. The spectrum is in the buffers.
  template <class Load>
  Spectrum forward(Buffers& buffers, const Load& load) const {
    const auto [even, odd] = buffers.spectrum();
    for (std::size_t j = 0; j < n_; ++j) {
      even[j] = load(j);
      odd[j] = twist_[j] * even[j];
    }
    std::fill(even + n_, even + transform_.length(), Value{});
    std::fill(odd + n_, odd + transform_.length(), Value{});
    return {transform_(even, buffers.of(0, 1)), transform_(odd, buffers.of(1, 1))};
  }

  /// Calls store(j, value) for j < n with N times the inverse transform of a spectrum in the buffers, whose values must
  /// be swapped. The spectrum is overwritten.
  template <class Store>
  void inverse(Buffers& buffers, const Spectrum& spectrum, const Store& store) const {
    Spectrum line;
    for (int odd = 0; odd < 2; ++odd) {
      Value* const first = buffers.of(odd, 0);
      line[odd] = transform_(spectrum[odd], spectrum[odd] == first ? buffers.of(odd, 1) : first);
    }
    // Multiplying a swapped number by a factor multiplies the number itself by the factor's conjugate.
    for (std::size_t j = 0; j < n_; ++j) store(j, swapped(line[0][j] + twist_[j] * line[1][j]));
  }

 private:
  std::size_t n_;
  LineTransform<Lane> transform_;
  std::vector<Twiddle<Lane>> twist_;
};

}  // namespace dropmd
