#pragma once

#include "core/macros.h"
#include "integrators/motion.h"

namespace dropmd {

/// Updates the velocity: v += dt/2 F/m. half: dt/2 times the acceleration of a unit mass under a unit force.
DROPMD_HOST_DEVICE inline void half_kick(MovingAtom& atom, double half) {
  atom.velocity += (half / atom.mass) * atom.force;
}

}  // namespace dropmd
