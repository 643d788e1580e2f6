#pragma once

#include <array>
#include <cmath>
#include <cstddef>
#include <type_traits>

#include "core/macros.h"
#include "core/philox.h"
#include "integrators/half_kick.h"
#include "integrators/keys.h"
#include "integrators/kinetic_change.h"
#include "integrators/motion.h"

namespace dropmd {

/// Langevin dynamics, m dv = F dt - γ m v dt + sqrt(2 γ m k_B T) dW, with the BAOAB splitting (Leimkuhler and Matthews,
/// J. Chem. Phys. 138, 174102, 2013):
///
///   B  v += dt/2 F/m
///   A  x += dt/2 v
///   O  v = c v + sqrt((1 - c²) k_B T/m) R,   c = exp(-γ dt),   R standard normal
///   A  x += dt/2 v
///      forces at the new x
///   B  v += dt/2 F/m
///
/// Positions in a harmonic well then have the canonical variance at every stable timestep; velocities after the last B
/// are too cold by about (ω dt)²/4. Both A are added at once, x += dt/2 (v before O + v after O), so that without
/// friction it rounds like velocity Verlet. Every atom has its own stream of random numbers; momentum is not conserved.
class Langevin {
 public:
  static constexpr bool kMinimizer = false, kGloballyCoupled = false, kBath = true, kKeepsMomentum = false,
                        kAllowsSlowForces = true;
  static FormInfo form() {
    return {"langevin",
            {timestep_key(),
             temperature_key(),
             {"friction", "1/time", Range::not_negative, false, /*required=*/false, kFrictionReal, kFrictionLj}},
            "constant temperature: friction and noise on every atom (BAOAB)"};
  }

  Langevin(const FormChoice& choice, const Units& units, const RunContext& run)
      : key_{run.seed, RandomPurpose::thermostat},
        dt_(choice.at("timestep")),
        half_(0.5 * dt_ * units.acceleration),
        keep_(std::exp(-choice.at("friction") * dt_)),
        noise_(-std::expm1(-2 * choice.at("friction") * dt_) * units.boltzmann * choice.at("temperature") *
               units.acceleration),
        per_mv2_(0.5 / units.acceleration),
        has_friction_(choice.at("friction") > 0) {}

  double timestep() const { return dt_; }

  DROPMD_HOST_DEVICE void move(MovingAtom& atom, std::uint64_t step) const {
    half_kick(atom, half_);
    const Vec3<double> before = atom.velocity;
    if (has_friction_ && atom.in_bath) {
      atom.velocity *= keep_;
      if (noise_ > 0) atom.velocity += std::sqrt(noise_ / atom.mass) * noise(key_, step, atom.key);
      atom.heat += kinetic_change(per_mv2_, atom.mass, before, atom.velocity);
    }
    atom.position += (0.5 * dt_) * (before + atom.velocity);
  }
  DROPMD_HOST_DEVICE void finish(MovingAtom& atom, std::uint64_t) const { half_kick(atom, half_); }

  /// With constraints (g-BAOAB: Leimkuhler and Matthews, Proc. R. Soc. A 472, 20160138, 2016): B and A, O, A.
  static constexpr std::array<MovePart, 3> kMoveParts{{{true, 0.5}, {false, 0}, {true, 0.5}}};
  /// The heat of an atom is the change of its kinetic energy from the beginning of O to that of the second A, so that
  /// the projection between them counts.
  DROPMD_HOST_DEVICE void move_part(std::size_t part, MovingAtom& atom, std::uint64_t step) const {
    move_part(part, atom, [&] { return noise(key_, step, atom.key); });
  }
  /// The same with random numbers that were drawn before: random() returns those of the atom and the step, R.
  template <class Random>
  DROPMD_HOST_DEVICE void move_part(std::size_t part, MovingAtom& atom,
                                    const Random& random) const requires std::is_invocable_v<Random> {
    if (part == 0) half_kick(atom, half_);
    if (part == 1) {
      if (!has_friction_ || !atom.in_bath) return;
      atom.heat -= kinetic_change(per_mv2_, atom.mass, {}, atom.velocity);
      atom.velocity *= keep_;
      if (noise_ > 0) atom.velocity += std::sqrt(noise_ / atom.mass) * random();
      return;
    }
    if (part == 2 && has_friction_ && atom.in_bath) atom.heat += kinetic_change(per_mv2_, atom.mass, {}, atom.velocity);
    atom.position += (0.5 * dt_) * atom.velocity;
  }
  /// Draws the random numbers R of an atom for a step; zero if it needs none.
  DROPMD_HOST_DEVICE Vec3<double> draw(std::uint64_t step, std::uint32_t key) const {
    return noise_ > 0 ? noise(key_, step, key) : Vec3<double>{};
  }

 private:
  /// Default friction: a memory of a thousand default timesteps, 1 ps in units real and 5 τ in units lj.
  static constexpr double kFrictionReal = 0.001, kFrictionLj = 0.2;

  /// This code is long, and a run without friction does not need it.
  static DROPMD_HOST_DEVICE DROPMD_OUTLINED Vec3<double> noise(RandomKey key, std::uint64_t step,
                                                               std::uint32_t number) {
    return normal_vec3(key, step, number);
  }

  RandomKey key_;
  double dt_;
  double half_;        ///< dt/2 times the acceleration of a unit mass under a unit force
  double keep_;        ///< c
  double noise_;       ///< (1 - c²) k_B T: mass (length/time)²
  double per_mv2_;     ///< kinetic energy per mass (length/time)²
  bool has_friction_;  ///< without it, as for velocity Verlet in persistent kernels, one test skips the O part
};

}  // namespace dropmd
