#pragma once

#include <type_traits>

#include "core/lanes/lanes.h"

namespace dropmd {

/// Returns 2^(x + low) for x ≤ 0; zero below 2⁻¹²⁵ in single precision. `low` is the low-order part of x. In single
/// precision the integer part of x goes to the exponent exactly, so the relative error is 1.5e-7 for every x, whereas
/// rounding the argument of an exponential would cost 6e-8 times the argument. The polynomial is within 2.0e-9 of 2^f
/// for |f| ≤ 1/2 (least squares, reweighted until the errors are even).
template <class Lane>
DROPMD_HOST_DEVICE inline Lane lane_exp2(Lane x, Lane low) {
  if constexpr (std::is_same_v<LaneReal<Lane>, float>) {
    const Lane shifted = x + Lane(kRoundingFloat);
    const Lane f = (x - (shifted - Lane(kRoundingFloat))) + low;
    Lane p = lane_fma(Lane(0.00015353320327922762F), f, Lane(0.001339892600565256F));
    p = lane_fma(p, f, Lane(0.00961843785455065F));
    p = lane_fma(p, f, Lane(0.05550332347990833F));
    p = lane_fma(p, f, Lane(0.24022647906942154F));
    p = lane_fma(p, f, Lane(0.6931472029069395F));
    p = lane_fma(p, f, Lane(1.0F));
    return lane_select(x > Lane(-125.0F), lane_scaled(p, shifted), Lane(0.0F));
  } else {
    return lane_exp((x + low) * Lane(0.6931471805599453));
  }
}

}  // namespace dropmd
