#pragma once

#include <type_traits>

#include "forces/pair/pair_term.h"

namespace dropmd {

/// The term of a charge at points that may be nearer than d_min.
template <class Lane>
struct NearTerm {
  Lane energy;
  Lane force_over_r;
};

/// Returns whether a mask holds for any lane.
template <class Mask>
DROPMD_HOST_DEVICE inline bool any_lane(const Mask& mask) {
  if constexpr (std::is_same_v<Mask, bool>)
    return mask;
  else
    return any_of(mask);
}

/// Returns the term of a form at a squared distance r2. Nearer than d_min, whose square is `least`, a charge counts as
/// if it were at d_min and has no field. Where a form leaves its smooth part L to a mesh, which adds L at the actual
/// distance, the term corrects for that, so that the whole is that of a charge at d_min, too.
template <bool kCutoff, class Form, class Lane>
DROPMD_HOST_DEVICE inline NearTerm<Lane> near_term(const Form& form, Lane r2, Lane least) {
  const auto is_near = r2 < least;
  const auto d = Distance<Lane>::from_square(lane_select(is_near, least, r2));
  const PairTerm<Lane> term = form.template operator()<kCutoff>(d);
  NearTerm<Lane> result{term.energy, lane_select(is_near, Lane(0), term.virial * d.r2_inv)};
  if constexpr (requires { form.smooth(r2); })
    if (any_lane(is_near)) {
      const auto here = form.smooth(r2), there = form.smooth(least);
      result.energy = result.energy + lane_select(is_near, there.energy - here.energy, Lane(0));
      result.force_over_r = lane_select(is_near, -here.force_over_r, result.force_over_r);
    }
  return result;
}

}  // namespace dropmd
