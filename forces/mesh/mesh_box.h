#pragma once

#include <array>
#include <cmath>
#include <cstddef>

#include "core/vec3.h"

namespace dropmd {

/// A cuboid mesh of points at multiples of a spacing.
struct MeshBox {
  double spacing = 1;                ///< h, length
  std::array<int, 3> points{};       ///< along x, y and z
  std::array<long long, 3> first{};  ///< the first point, in units of the spacing: a box moves by whole spacings

  /// Returns the place of a position in units of the spacing from the first point. The distance from this point is
  /// rounded once, so that far from the origin a place has as many digits as near it.
  Vec3<double> place(const Vec3<double>& x) const {
    const auto along = [this](double at, long long from) {
      return std::fma(-static_cast<double>(from), spacing, at) / spacing;
    };
    return {along(x.x, first[0]), along(x.y, first[1]), along(x.z, first[2])};
  }
  /// Returns the number of points.
  std::size_t size() const {
    return static_cast<std::size_t>(points[0]) * static_cast<std::size_t>(points[1]) *
           static_cast<std::size_t>(points[2]);
  }

  /// Returns whether the points of the B-splines of a charge are all in the box.
  bool holds(const Vec3<double>& x, int order) const;
  /// Returns a distance that two charges in the box do not exceed, length.
  double diagonal() const;

  /// Returns the smallest box in which charges between two corners can be spread with B-splines of an order.
  static MeshBox around(const Vec3<double>& low, const Vec3<double>& high, double spacing, int order);
};

/// Returns the smallest even number, at least n and positive, that has no prime factor above 5: a fast length of a
/// transform.
int fast_length(int n);

}  // namespace dropmd
