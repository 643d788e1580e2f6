#pragma once

#include <algorithm>
#include <cmath>
#include <optional>

#include "core/vec3.h"

namespace dropmd {

/// The fixed grid on which mixed precision keeps positions, relative to a local origin.
///
/// An offset within ±2²³ quanta of its origin is exact in fp32, and so is the difference of two atoms near each other,
/// whichever origins they have. A finer quantum means a smaller rounding of positions, and smaller cells. Rounding by a
/// quantum changes the force of atoms in contact by about 57 ε quantum/r_min²: of a cold crystal, whose forces cancel,
/// that is 1e-5 of what remains. Pairs nearer than near_distance therefore use the rounding's remainder too
/// (LocalAtoms::low_order); beyond it the van der Waals stiffness is below 1/25 of that at contact.
struct PositionGrid {
  double quantum = 0;        ///< length; a power of two, at most 2⁻²⁰
  double origin_step = 0;    ///< origins are multiples of this
  double max_edge = 0;       ///< longest cell edge whose atoms all have exact offsets
  double near_distance = 0;  ///< up to which the remainders count: 1.5 contact distances

  /// contact: the smallest distance at which atoms touch (smallest r_min), if the model knows one.
  static PositionGrid for_contact_distance(std::optional<double> contact) {
    const int finer = contact ? std::max(0, 2 - std::ilogb(*contact)) : 0;
    PositionGrid grid;
    grid.quantum = std::ldexp(1.0, -20 - std::min(finer, 20));
    const double reach = std::ldexp(grid.quantum, 23);  // largest exact offset
    grid.origin_step = reach / 4;
    grid.near_distance = 1.5 * contact.value_or(1.0);
    grid.max_edge = 2 * reach - grid.origin_step;  // origins are rounded to origin_step
    return grid;
  }

  /// An offset on the grid, and what is left of it.
  struct Split {
    float offset = 0;
    float low_order = 0;
  };

  /// x as the multiple of the quantum nearest to it, |x| < 2⁵¹ quanta, and the rest. Adding and taking away a large
  /// number leaves no finer digits. Where fp32 has too few for that multiple, its first 24 bits (T. J. Dekker, Numer.
  /// Math. 18, 224, 1971) are the offset: a conversion there and back would say the same, but GCC 12 leaves it out of
  /// pairs of differences that it vectorises, and the rest would lack what the conversion dropped.
  Split split(double x) const {
    const double large = 0x1.8p52 * quantum;
    const double multiple = (x + large) - large;
    const double spread = (0x1p29 + 1) * multiple;
    const double leading = spread - (spread - multiple);
    return {static_cast<float>(leading), static_cast<float>(x - leading)};
  }
};

/// A difference whose square fits fp32: atoms so far from each other keep their direction roughly, and their forces,
/// which are zero to any precision, stay finite.
inline Vec3<double> squarable(const Vec3<double>& d) {
  constexpr double kFar = 1e18;
  return {std::clamp(d.x, -kFar, kFar), std::clamp(d.y, -kFar, kFar), std::clamp(d.z, -kFar, kFar)};
}

}  // namespace dropmd
