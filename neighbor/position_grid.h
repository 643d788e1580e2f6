#pragma once

#include <algorithm>
#include <cmath>
#include <optional>

#include "core/vec3.h"

namespace dropmd {

/// The fixed grid to which mixed precision rounds positions, relative to a local origin.
///
/// An offset within ±2²³ quanta of its origin is exact in fp32, and so is the difference of two near atoms, whichever
/// origins they have. A finer quantum means less rounding of positions, and smaller cells. Rounding by one quantum
/// changes the force between atoms in contact by about 57 ε quantum/r_min²; in a cold crystal, whose forces cancel,
/// that is 1e-5 of the remaining force. Pairs closer than near_distance therefore also use the low-order parts of
/// positions (LocalAtoms::low_order); beyond it the van der Waals stiffness is below 1/25 of that at contact.
struct PositionGrid {
  double quantum = 0;        ///< length; a power of two, at most 2⁻²⁰
  double origin_step = 0;    ///< origins are multiples of this length
  double max_edge = 0;       ///< longest edge of cells whose atoms all have exact offsets, length
  double near_distance = 0;  ///< distance up to which low-order parts count: 1.5 contact distances

  /// Returns the grid for a model. contact: smallest contact distance (smallest r_min), if the model has one.
  static PositionGrid for_contact_distance(std::optional<double> contact) {
    const int finer = contact ? std::max(0, 2 - std::ilogb(*contact)) : 0;
    PositionGrid grid;
    grid.quantum = std::ldexp(1.0, -20 - std::min(finer, 20));
    const double largest_offset = std::ldexp(grid.quantum, 23);  // that is exact
    grid.origin_step = largest_offset / 4;
    grid.near_distance = 1.5 * contact.value_or(1.0);
    grid.max_edge = 2 * largest_offset - grid.origin_step;  // origins are rounded to origin_step
    return grid;
  }

  /// An offset on the grid, and its low-order part.
  struct Split {
    float offset = 0;
    float low_order = 0;
  };

  /// Splits x, |x| < 2⁵¹ quanta, into the nearest multiple of the quantum and the remainder. Adding and subtracting a
  /// large number removes all finer digits. If fp32 has too few digits for that multiple, the offset is its first 24
  /// bits (T. J. Dekker, Numer. Math. 18, 224, 1971). Converting to fp32 and back would give the same, but GCC 12 omits
  /// the conversion where it vectorises pairs of differences, so the low-order part would lack what rounding dropped.
  Split split(double x) const {
    const double large = 0x1.8p52 * quantum;
    const double multiple = (x + large) - large;
    const double spread = (0x1p29 + 1) * multiple;
    const double leading = spread - (spread - multiple);
    return {static_cast<float>(leading), static_cast<float>(x - leading)};
  }
};

/// Limits a difference so that its square fits fp32: atoms so far apart keep their approximate direction, and their
/// forces, which are zero to any precision, stay finite.
inline Vec3<double> squarable(const Vec3<double>& d) {
  constexpr double kFar = 1e18;
  return {std::clamp(d.x, -kFar, kFar), std::clamp(d.y, -kFar, kFar), std::clamp(d.z, -kFar, kFar)};
}

}  // namespace dropmd
