#pragma once

#include <algorithm>
#include <cstdint>

#include "core/macros.h"
#include "core/run/map_grid.h"

namespace dropmd {

/// The points [low, high) of a grid along each axis, which one worker computes.
struct PointBlock {
  Vec3<std::int32_t> low, high;
};

/// A grid divided into blocks of `size` points along each axis, fewer at its ends; x runs fastest.
struct PointBlocks {
  Vec3<std::int32_t> points, size;

  DROPMD_HOST_DEVICE static std::int64_t count(std::int32_t points, std::int32_t size) {
    return (std::int64_t{points} + size - 1) / size;
  }
  DROPMD_HOST_DEVICE std::int64_t n_blocks() const {
    return count(points.x, size.x) * count(points.y, size.y) * count(points.z, size.z);
  }
  DROPMD_HOST_DEVICE PointBlock operator[](std::int64_t number) const {
    const std::int64_t nx = count(points.x, size.x), ny = count(points.y, size.y);
    const Vec3<std::int32_t> low{static_cast<std::int32_t>(number % nx) * size.x,
                                 static_cast<std::int32_t>(number / nx % ny) * size.y,
                                 static_cast<std::int32_t>(number / nx / ny) * size.z};
    const auto end = [](std::int32_t from, std::int32_t n, std::int32_t all) {
      return all - from < n ? all : from + n;
    };
    return {low, {end(low.x, size.x, points.x), end(low.y, size.y, points.y), end(low.z, size.z, points.z)}};
  }
};

/// An axis-aligned box in space.
struct SpaceBox {
  Vec3<double> low, high;

  /// Returns the squared distance of a point from the box; zero inside.
  DROPMD_HOST_DEVICE double squared_distance(const Vec3<double>& p) const {
    const auto beyond = [](double x, double from, double to) { return std::max(std::max(from - x, x - to), 0.0); };
    const double x = beyond(p.x, low.x, high.x), y = beyond(p.y, low.y, high.y), z = beyond(p.z, low.z, high.z);
    return x * x + y * y + z * z;
  }
};

/// Returns how near atoms must be, as a fraction of a block's largest half edge h, for fp32 to round their offsets from
/// its middle too coarsely: offsets of point and atom are rounded by at most 2⁻²⁴ (2 + share/√3) h per axis, which
/// changes 1/r at r = share h by √3 times that over r. The remainder of 1e-6 is for the rounding of the term.
constexpr double near_share(double rounding_of_term) {
  constexpr double kRoot3 = 1.7320508075688772;
  return 2 * kRoot3 / ((1e-6 - rounding_of_term) * 0x1p24 - 1);
}
/// For terms with a hardware root (2⁻²²·⁴) and a few operations.
inline constexpr double kNearShare = near_share(3.8e-7);

/// The square of the distance, length², beyond which atoms are also summed in fp64: q/r³, from which fields are
/// computed, must be within the range of fp32.
inline constexpr double kFarSquare = 1e20;

/// Number of atoms whose terms are summed in fp32 before the sum is added with compensation: equal terms are rounded
/// alike at each addition, which changes the sum of n terms by at most n/2 · 2⁻²⁴ of itself, 4.8e-7.
inline constexpr std::int32_t kSummedInFp32 = 16;

}  // namespace dropmd
