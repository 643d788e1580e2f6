#pragma once

#include <span>

#include "core/ordered_sum.h"
#include "core/particles.h"

namespace dropmd {

/// v += dt/2 F/m. half: dt/2 times the acceleration of a unit force on a unit mass.
inline void half_kick(Cpu cpu, Particles& p, std::span<const Vec3<double>> force, double half) {
  for_each_index(cpu, p.size(), [&](std::size_t i) { p.velocity[i] += (half / p.mass[i]) * force[i]; });
}

}  // namespace dropmd
