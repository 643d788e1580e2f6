#pragma once

#include "core/macros.h"
#include "core/vec3.h"

namespace dropmd {

/// Returns the change of an atom's kinetic energy when its velocity changes, ½ m (v'² − v²) = ½ m (v' − v)·(v' + v);
/// the second form keeps its digits where the change is small. per_mv2: kinetic energy per mass (length/time)².
DROPMD_HOST_DEVICE inline double kinetic_change(double per_mv2, double mass, const Vec3<double>& before,
                                                const Vec3<double>& after) {
  return per_mv2 * mass * dot(after - before, after + before);
}

}  // namespace dropmd
