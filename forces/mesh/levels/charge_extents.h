#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "core/vec3.h"
#include "forces/mesh/cuboid.h"

namespace dropmd {

/// How charges are distributed around the median position: what the cost of meshes for some of them, and of direct sums
/// for the others, depends on. It is a function of the positions alone.
struct ChargeExtents {
  /// The cuboid around all charges but some of those farthest from the median position.
  struct Extent {
    std::size_t outside = 0;  ///< number of these
    Cuboid cuboid{};
    /// [distance] pairs of one of these with any other charge within the distance; pairs of two of these count twice.
    std::vector<double> pairs{};
  };

  std::size_t n_charges = 0;
  std::vector<double> distance{};  ///< length, ascending by a constant factor
  /// With 0, 1, 2, 3 ... charges outside, in steps of a 64th of their number at most, rounded up. The last one has one
  /// charge inside.
  std::vector<Extent> extents{};

  /// order: nearest_to_median(). All positions must be finite.
  static ChargeExtents of(std::span<const Vec3<double>> position, std::span<const std::uint32_t> order);

  /// Returns the pairs of an extent within a distance.
  double pairs_within(const Extent& extent, double r) const;
};

}  // namespace dropmd
