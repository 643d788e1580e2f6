#pragma once

#include "core/lanes/lanes.h"

namespace dropmd {

#if defined(__CUDACC__)

/// Returns 1/√x over kRootScale to 3.2e-7 (4.3e-7 with fp32's own rounding), by arithmetic instructions alone: the
/// special function unit computes 16 reciprocal roots per clock and multiprocessor, and the other units are not fully
/// used meanwhile.
///
/// y0 follows from the bits of x; two Newton steps whose constants distribute the error evenly leave constant factors
/// to the caller: y1 = y0 (b − x y0²), z = y1 (c − x y1²). Idea and first constants: J. Kadlec (2010); L. Moroz et al.,
/// Appl. Math. Comput. 316, 245 (2018). The present constants minimise the largest error after both steps.
__device__ inline float unscaled_reciprocal_root(float x) {
  const float y0 = __int_as_float(0x5F1FFFF7 - (__float_as_int(x) >> 1));
  const float y1 = y0 * fmaf(-x, y0 * y0, 2.38924456F);
  return y1 * fmaf(-(x * y1), y1, 6.05389553F);
}
inline constexpr float kRootScale = 0.1744213488F;

#endif

}  // namespace dropmd
