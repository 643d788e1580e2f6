#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "core/vec3.h"

namespace dropmd {

/// The smallest cuboid around some positions.
struct Cuboid {
  Vec3<double> low{}, high{};
  bool empty = true;

  /// Returns whether the cuboid has grown.
  bool add(const Vec3<double>& x);
  /// Its edges, length.
  Vec3<double> size() const { return high - low; }
};

/// Returns the indices of positions in the order of their distance from the position whose coordinates are the medians
/// of theirs, which a few far atoms do not move. Equal distances are in the order of the indices. All positions must be
/// finite.
std::vector<std::uint32_t> nearest_to_median(std::span<const Vec3<double>> position);

}  // namespace dropmd
