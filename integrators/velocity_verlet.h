#pragma once

#include "integrators/half_kick.h"
#include "integrators/keys.h"
#include "integrators/motion.h"

namespace dropmd {

/// Velocity Verlet at constant energy (Swope et al., J. Chem. Phys. 76, 637, 1982):
///
///   v(t + dt/2) = v(t) + dt/2 F(t)/m,   x(t + dt) = x(t) + dt v(t + dt/2),
///   v(t + dt) = v(t + dt/2) + dt/2 F(t + dt)/m
class VelocityVerlet {
 public:
  static constexpr bool kMinimizer = false, kGloballyCoupled = false, kBath = false, kKeepsMomentum = true,
                        kAllowsSlowForces = true;
  static FormInfo form() { return {"velocity-verlet", {timestep_key()}, "constant energy"}; }

  VelocityVerlet(const FormChoice& choice, const Units& units, const RunContext&)
      : dt_(choice.at("timestep")), half_(0.5 * dt_ * units.acceleration) {}

  double timestep() const { return dt_; }

  DROPMD_HOST_DEVICE void move(MovingAtom& atom, std::uint64_t) const {
    half_kick(atom, half_);
    atom.position += dt_ * atom.velocity;
  }
  DROPMD_HOST_DEVICE void finish(MovingAtom& atom, std::uint64_t) const { half_kick(atom, half_); }

 private:
  double dt_;
  double half_;  ///< dt/2 times the acceleration of a unit mass under a unit force
};

}  // namespace dropmd
