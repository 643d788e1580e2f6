#pragma once

#include "core/lanes.h"

namespace dropmd {

#if defined(__CUDACC__)

/// kRootScale times this is 1/√x to 3.2e-7 (4.3e-7 with fp32's own rounding), by arithmetic alone: the special function
/// unit gives 16 reciprocal roots a clock and multiprocessor, the others have slots left beside it.
///
/// y0 from the bits of x, then two Newton steps whose constants spread the error evenly, factors left for the caller:
/// y1 = y0 (b − x y0²), z = y1 (c − x y1²). Idea and first constants: J. Kadlec (2010); L. Moroz et al., Appl. Math.
/// Comput. 316, 245 (2018). The constants here minimise the largest error after both steps.
__device__ inline float unscaled_reciprocal_root(float x) {
  const float y0 = __int_as_float(0x5F1FFFF7 - (__float_as_int(x) >> 1));
  const float y1 = y0 * fmaf(-x, y0 * y0, 2.38924456F);
  return y1 * fmaf(-(x * y1), y1, 6.05389553F);
}
inline constexpr float kRootScale = 0.1744213488F;

#endif

}  // namespace dropmd
