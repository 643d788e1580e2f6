#pragma once

#include "core/lanes/lanes.h"
#include "core/macros.h"
#include "core/lanes/precise_lanes.h"
#include "core/vec3.h"

namespace dropmd {

/// Returns |d|², rounded the same way for every lane type, so that all methods in double precision find the same pairs.
template <class Lane>
DROPMD_HOST_DEVICE inline Lane squared_norm(const Vec3<Lane>& d) {
  return lane_fma(d.z, d.z, lane_fma(d.y, d.y, d.x * d.x));
}

/// Powers of the distance that the terms of a pair share; a pair takes one reciprocal square root.
template <class Lane>
struct Distance {
  Lane r2;      ///< r²
  Lane r_inv;   ///< 1/r
  Lane r2_inv;  ///< 1/r²

  static DROPMD_HOST_DEVICE Distance from_square(Lane r2) {
    const Lane r_inv = lane_rsqrt(r2);
    return {r2, r_inv, r_inv * r_inv};
  }
  /// The same with all digits of the lane's type, for energies.
  static DROPMD_HOST_DEVICE Distance precise_from_square(Lane r2) {
    const Lane r_inv = lane_precise_rsqrt(r2);
    return {r2, r_inv, lane_precise_inverse(r2, r_inv)};
  }
  /// r.
  DROPMD_HOST_DEVICE Lane r() const { return r2 * r_inv; }
};

/// One term of a pair: its energy U and its virial r·F = −r dU/dr. The force on atom i is (r·F / r²)(r_i − r_j).
template <class Lane>
struct PairTerm {
  Lane energy;
  Lane virial;
};

/// Returns the term where r² < cutoff², else zero: a pair at the cutoff is outside.
template <bool kCutoff, class Lane>
DROPMD_HOST_DEVICE inline PairTerm<Lane> within(PairTerm<Lane> term, Lane r2, LaneReal<Lane> cutoff2) {
  if constexpr (kCutoff) {
    const auto inside = r2 < Lane(cutoff2);
    return {lane_select(inside, term.energy, Lane(0)), lane_select(inside, term.virial, Lane(0))};
  } else {
    return term;
  }
}

}  // namespace dropmd
