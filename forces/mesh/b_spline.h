#pragma once

#include <cmath>

#include "core/macros.h"

namespace dropmd {

/// The cardinal B-spline of order P spreads a charge over P points of a mesh along each axis: its weights at the points
/// are non-negative, sum to 1, and are P − 2 times continuously differentiable functions of the charge's place.
///
///   M₂(x) = 1 − |x − 1| on [0, 2],   M_P(x) = [x M_{P−1}(x) + (P − x) M_{P−1}(x − 1)]/(P − 1)
///   M_P'(x) = M_{P−1}(x) − M_{P−1}(x − 1)
///
/// Source: Essmann et al., J. Chem. Phys. 103, 8577 (1995).
template <int P, class Real>
struct BSplineWeights {
  static_assert(P >= 3);

  int first;           ///< index of the first point
  Real weight[P];      ///< of the points from `first` on
  Real derivative[P];  ///< of the weights with respect to the place

  /// place: of the charge along an axis, in units of the mesh spacing from point 0.
  DROPMD_HOST_DEVICE explicit BSplineWeights(Real place)
      : BSplineWeights(static_cast<int>(std::floor(place - Real(P) / 2)),
                       place - Real(P) / 2 - std::floor(place - Real(P) / 2)) {}

  /// The same for a place that is known to more digits than Real has. cell, fraction: the integer and the fractional
  /// part of place − P/2; the fraction is in [0, 1].
  DROPMD_HOST_DEVICE BSplineWeights(int cell, Real fraction) : first(cell + 1) {
    const Real x = 1 - fraction;  // weight[k] is M_P(x + k), by the symmetry of M_P
    weight[0] = x;
    weight[1] = 1 - x;
    DROPMD_UNROLL
    for (int k = 2; k < P; ++k) weight[k] = 0;
    DROPMD_UNROLL
    for (int order = 3; order <= P; ++order) {
      if (order == P) {
        derivative[0] = -weight[0];
        DROPMD_UNROLL
        for (int k = 1; k < P; ++k) derivative[k] = weight[k - 1] - weight[k];
      }
      const Real inverse = Real(1) / Real(order - 1);
      DROPMD_UNROLL
      for (int k = order - 1; k > 0; --k)
        weight[k] = ((x + Real(k)) * weight[k] + (Real(order - k) - x) * weight[k - 1]) * inverse;
      weight[0] *= x * inverse;
    }
  }
};

/// The orders for which meshes are compiled.
inline constexpr int kLeastSplineOrder = 4, kMostSplineOrder = 8;

/// Calls use.template operator()<P>() for an order P that is known at run time.
template <class Use>
void with_spline_order(int order, const Use& use) {
  switch (order) {
    case 4:
      return use.template operator()<4>();
    case 5:
      return use.template operator()<5>();
    case 6:
      return use.template operator()<6>();
    case 7:
      return use.template operator()<7>();
    default:
      return use.template operator()<8>();
  }
}

}  // namespace dropmd
