#pragma once

#include "core/macros.h"
#include "integrators/motion.h"

namespace dropmd {

/// v += dt/2 F/m. half: dt/2 times the acceleration of a unit force on a unit mass.
DROPMD_HOST_DEVICE inline void half_kick(MovingAtom& atom, double half) {
  atom.velocity += (half / atom.mass) * atom.force;
}

}  // namespace dropmd
