#pragma once

#include "forces/mesh/cuda/charge_scale.h"
#include "forces/mesh/cuda/transforms/mesh_transforms.cuh"

namespace dropmd {

/// A mesh as kernels see it.
template <class Real>
struct MeshView {
  using Integer = typename MeshInteger<Real>::Type;

  MeshValues<Real> values;
  double spacing;          ///< length
  const long long* first;  ///< [3] the first point, in units of the spacing
  Real scale;              ///< integers per charge, a power of two

  /// The sums of charges, in the memory of the values: int32 for float, int64 for double.
  DROPMD_HOST_DEVICE Integer* sums() const {
    static_assert(sizeof(Integer) == sizeof(Real));
    return reinterpret_cast<Integer*>(values.value);
  }

#if defined(__CUDACC__)
  /// A position along an axis, rounded as MeshBox::place() does.
  struct Cell {
    int cell;       ///< floor of place − P/2
    Real fraction;  ///< the rest
    bool inside;    ///< whether all P points are points of the box
  };
  template <int P>
  __device__ Cell cell_of(double x, int axis) const {
    const double low = fma(-static_cast<double>(first[axis]), spacing, x) / spacing - 0.5 * P, cell = floor(low);
    // (An index that is unknown at compile time would put the view into local memory.)
    const int points = axis == 0 ? values.points[0] : axis == 1 ? values.points[1] : values.points[2];
    // The first point is cell + 1. The comparisons are false for NaN.
    const bool inside = cell >= -1 && cell + P < points;
    return {inside ? static_cast<int>(cell) : 0, static_cast<Real>(low - cell), inside};
  }
#endif
};

}  // namespace dropmd
