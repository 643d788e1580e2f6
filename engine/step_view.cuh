#pragma once

#include <cstdint>

#include "engine/device_state.cuh"
#include "forces/any_wall.h"
#include "forces/tile_forces.cuh"
#include "integrators/motion.h"

namespace dropmd {

/// What stops a run; codes of an ErrorRecord beside ForceFault, the index being the atom's number.
enum class MoveFault : std::uint8_t { too_far = 2 };

/// Everything that the kernels of a step see.
template <class Real>
struct StepView {
  DeviceStateView atoms;
  AtomTilesView<Real> tiles;
  ForceSumsView<Real> sums;
  AnyWall wall;
  double longest_move2;      ///< a longer move, squared, breaks the physics
  std::uint64_t* tile_step;  ///< [n_tiles] step that the tile's positions belong to

#if defined(__CUDACC__)
  __device__ MovingAtom load_atom(std::uint32_t place) const {
    MovingAtom atom{atoms.position[place], atoms.velocity[place], {}, atoms.mass[place], atoms.number[place]};
    atom.force = sums.get(place) + wall(atom.position).force;
    return atom;
  }

  /// The integrator's first part, and a look at how far it went; true if too far.
  template <class Motion>
  __device__ bool move_atom(const Motion& motion, MovingAtom& atom, std::uint64_t to) const {
    const Vec3<double> before = atom.position;
    motion.move(atom, to);
    const Vec3<double> d = atom.position - before;
    const bool too_far = !(dot(d, d) <= longest_move2);  // NaN, too
    if (too_far) sums.errors.report(static_cast<std::uint8_t>(MoveFault::too_far), atom.number);
    return too_far;
  }
#endif
};

}  // namespace dropmd
