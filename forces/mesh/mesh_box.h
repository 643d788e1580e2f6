#pragma once

#include <array>
#include <cstddef>

#include "core/vec3.h"

namespace dropmd {

/// A cuboid mesh of points at multiples of a spacing.
struct MeshBox {
  double spacing = 1;                ///< h, length
  std::array<int, 3> points{};       ///< along x, y and z
  std::array<long long, 3> first{};  ///< the first point, in units of the spacing: a box moves by whole spacings

  /// Returns the place of a position in units of the spacing from the first point.
  Vec3<double> place(const Vec3<double>& x) const {
    return {x.x / spacing - static_cast<double>(first[0]), x.y / spacing - static_cast<double>(first[1]),
            x.z / spacing - static_cast<double>(first[2])};
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
