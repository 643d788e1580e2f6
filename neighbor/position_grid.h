#pragma once

#include <algorithm>
#include <cmath>
#include <optional>

namespace dropmd {

/// The fixed grid on which mixed precision keeps positions, relative to a local origin.
///
/// An offset within ±2²³ quanta of its origin is exact in fp32, and so is the difference of two atoms near each other,
/// whichever origins they have. A finer quantum means a smaller rounding of positions (its effect on a force at
/// contact is about 13 quantum/r_min) and smaller cells.
struct PositionGrid {
  double quantum = 0;      ///< length; a power of two, at most 2⁻²⁰
  double origin_step = 0;  ///< origins are multiples of this
  double max_edge = 0;     ///< longest cell edge whose atoms all have exact offsets

  /// contact: the smallest distance at which atoms touch (smallest r_min), if the model knows one.
  static PositionGrid for_contact_distance(std::optional<double> contact) {
    const int finer = contact ? std::max(0, 2 - std::ilogb(*contact)) : 0;
    PositionGrid grid;
    grid.quantum = std::ldexp(1.0, -20 - std::min(finer, 20));
    const double reach = std::ldexp(grid.quantum, 23);  // largest exact offset
    grid.origin_step = reach / 4;
    grid.max_edge = 2 * reach - grid.origin_step;  // origins are rounded to origin_step
    return grid;
  }
};

}  // namespace dropmd
