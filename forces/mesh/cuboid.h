#pragma once

#include <algorithm>
#include <cstdint>
#include <span>
#include <vector>

#include "core/macros.h"
#include "core/vec3.h"

namespace dropmd {

/// The smallest cuboid around some positions.
struct Cuboid {
  Vec3<double> low{}, high{};
  bool empty = true;

  /// Returns whether the cuboid has grown.
  DROPMD_HOST_DEVICE bool add(const Vec3<double>& x) {
    const auto within = [](double at, double from, double to) { return from <= at && at <= to; };
    if (!empty && within(x.x, low.x, high.x) && within(x.y, low.y, high.y) && within(x.z, low.z, high.z)) return false;
    if (empty) low = high = x;
    empty = false;
    low = {std::min(low.x, x.x), std::min(low.y, x.y), std::min(low.z, x.z)};
    high = {std::max(high.x, x.x), std::max(high.y, x.y), std::max(high.z, x.z)};
    return true;
  }
  DROPMD_HOST_DEVICE void add(const Cuboid& other) {
    if (other.empty) return;
    add(other.low);
    add(other.high);
  }
  /// Its edges, length.
  Vec3<double> size() const { return high - low; }
};

/// Returns the indices of positions in the order of their distance from the point whose coordinates are the medians of
/// theirs; a few far atoms do not move it. Equal distances are in the order of the indices. All positions must be
/// finite.
std::vector<std::uint32_t> nearest_to_median(std::span<const Vec3<double>> position);

}  // namespace dropmd
