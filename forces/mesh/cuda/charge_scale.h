#pragma once

#include <algorithm>
#include <cmath>

namespace dropmd {

/// The charges that a mesh is to hold.
struct MeshChargeBound {
  double largest = 0;  ///< |charge| of an atom
  double density = 0;  ///< atoms per volume, 1/length³, of the densest part

  /// Returns a bound on the sum at a point of a mesh of that spacing, for any physical arrangement. A charge gives a
  /// point at most 0.3 of itself, and the B-splines of all charges around a point add up to those in a cell. The
  /// density may be four times the stated one, with charges of one sign.
  double at_point(double spacing) const {
    const double bound = largest * (1 + 4 * density * spacing * spacing * spacing);
    return bound > 0 ? bound : 1;
  }
};

/// Integers in which charges are added at the points of a mesh, so that the order of additions does not matter.
template <class Real>
struct MeshInteger;
template <>
struct MeshInteger<float> {
  using Type = int;
  static constexpr int kRangeBits = 30;
};
template <>
struct MeshInteger<double> {
  using Type = long long;
  static constexpr int kRangeBits = 62;
};

/// Returns the exponent of the largest power of two that, times the bound, is within half of the integers' range. A sum
/// in the other half is reported. So are sums beyond the range, which wrap: a pile of charges that is large enough has
/// values of all sizes at its P³ points, and half of all words are in the reported half.
template <class Real>
int mesh_charge_bits(double bound) {
  // The charges have 53 bits.
  return std::min(MeshInteger<Real>::kRangeBits - static_cast<int>(std::ceil(std::log2(bound))), 60);
}

}  // namespace dropmd
