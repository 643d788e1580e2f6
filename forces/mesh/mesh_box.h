#pragma once

#include <array>
#include <cmath>
#include <cstddef>

#include "core/macros.h"
#include "core/vec3.h"

namespace dropmd {

/// A cuboid mesh of points at multiples of a spacing.
struct MeshBox {
  double spacing = 1;                ///< h, length
  std::array<int, 3> points{};       ///< along x, y and z
  std::array<long long, 3> first{};  ///< the first point, in units of the spacing: a box moves by whole spacings

  /// Returns the place of a position in units of the spacing from the first point. The distance from this point is
  /// rounded once, so that far from the origin a place has as many digits as near it.
  DROPMD_HOST_DEVICE Vec3<double> place(const Vec3<double>& x) const {
    const auto along = [this](double at, long long from) {
      return std::fma(-static_cast<double>(from), spacing, at) / spacing;
    };
    return {along(x.x, first[0]), along(x.y, first[1]), along(x.z, first[2])};
  }
  /// Returns the cell of b_spline.h for a place along an axis: the first of the P points of a charge is the next one.
  DROPMD_HOST_DEVICE static double cell_of(double place, int order) { return std::floor(place - 0.5 * order); }
  /// Returns the number of points.
  std::size_t size() const {
    return static_cast<std::size_t>(points[0]) * static_cast<std::size_t>(points[1]) *
           static_cast<std::size_t>(points[2]);
  }

  /// Returns whether the points of the B-splines of a charge are all in the box.
  DROPMD_HOST_DEVICE bool holds(const Vec3<double>& x, int order) const {
    const auto inside = [order](double at, int n) {
      const double from = cell_of(at, order) + 1;
      return from >= 0 && from + order <= n;
    };
    const Vec3<double> at = place(x);
    return inside(at.x, points[0]) && inside(at.y, points[1]) && inside(at.z, points[2]);
  }
  /// Returns a bound on the distance between two charges in the box, length.
  double diagonal() const;

  /// Returns the smallest box in which charges between two corners can be spread with B-splines of an order.
  static MeshBox around(const Vec3<double>& low, const Vec3<double>& high, double spacing, int order);
};

/// Returns the smallest even number, at least n and positive, that has no prime factor above 5: a fast length of a
/// transform.
int fast_length(int n);

}  // namespace dropmd
