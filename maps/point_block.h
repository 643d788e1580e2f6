#pragma once

#include <algorithm>
#include <cstdint>

#include "core/macros.h"
#include "core/run/map_grid.h"

namespace dropmd {

/// Points [low, high) of a grid along each axis, which one worker computes.
struct PointBlock {
  Vec3<std::int32_t> low, high;
};

/// A grid cut into blocks of `size` points along each axis, fewer at its ends; x runs fastest.
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

/// An upright box in space.
struct SpaceBox {
  Vec3<double> low, high;

  /// Squared distance of a place from the box; zero inside.
  DROPMD_HOST_DEVICE double squared_distance(const Vec3<double>& p) const {
    const auto beyond = [](double x, double from, double to) { return std::max(std::max(from - x, x - to), 0.0); };
    const double x = beyond(p.x, low.x, high.x), y = beyond(p.y, low.y, high.y), z = beyond(p.z, low.z, high.z);
    return x * x + y * y + z * z;
  }
};

/// How near, as a share of a block's largest half edge h, atoms are whose offsets from its middle fp32 rounds too
/// coarsely: offsets of point and atom are rounded by 2⁻²⁴ (2 + share/√3) h an axis at most, which changes 1/r at
/// r = share h by √3 times that over r. What is left of 1e-6 is for the rounding of the term.
constexpr double near_share(double rounding_of_term) {
  constexpr double kRoot3 = 1.7320508075688772;
  return 2 * kRoot3 / ((1e-6 - rounding_of_term) * 0x1p24 - 1);
}
/// Of terms with a hardware root (2⁻²²·⁴) and a few operations.
inline constexpr double kNearShare = near_share(3.8e-7);

/// The square of the distance from which on atoms are summed in fp64, too, length²: q/r³, of which fields are made,
/// must not leave fp32.
inline constexpr double kFarSquare = 1e20;

/// Atoms whose terms are summed in fp32 before that sum goes further: equal ones are rounded alike at each addition,
/// which changes the sum of n by n/2 · 2⁻²⁴ of itself at most, 4.8e-7.
inline constexpr std::int32_t kSummedInFp32 = 16;

}  // namespace dropmd
