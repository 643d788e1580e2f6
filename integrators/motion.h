#pragma once

#include <algorithm>
#include <array>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <span>
#include <stdexcept>
#include <type_traits>
#include <vector>

#include "core/forms/form.h"
#include "core/macros.h"
#include "core/units.h"
#include "core/vec3.h"

/// Defines what an integrator is: the mathematics of one atom, in one source for every processor. CpuIntegrator
/// (integrators/cpu_integrator.h) applies it to all atoms on the CPU.
namespace dropmd {

/// The data of one atom that an integrator uses.
struct MovingAtom {
  Vec3<double> position, velocity, force;  ///< length, length/time, energy/length
  double mass;
  std::uint32_t key;    ///< of its random numbers: its id less 1; below 2³¹
  double heat = 0;      ///< energy received from baths, in the run's unit; they add to it
  bool in_bath = true;  ///< whether baths act on it
};

/// Sums over all atoms, with the velocities after `finish` and the forces at the same time.
struct MotionSums {
  double mv2 = 0;       ///< Σ m v·v: mass (length/time)²
  double v2 = 0;        ///< Σ v·v
  double power = 0;     ///< Σ F·v
  double f2 = 0;        ///< Σ F·F
  double bath_mv2 = 0;  ///< Σ m v·v of the atoms in the bath

  DROPMD_HOST_DEVICE MotionSums& operator+=(const MotionSums& o) {
    mv2 += o.mv2, v2 += o.v2, power += o.power, f2 += o.f2, bath_mv2 += o.bath_mv2;
    return *this;
  }
};

/// Returns the contribution of one atom to the sums.
DROPMD_HOST_DEVICE inline MotionSums motion_sums(const MovingAtom& atom) {
  const double v2 = dot(atom.velocity, atom.velocity);
  const double mv2 = atom.mass * v2;
  return {mv2, v2, dot(atom.force, atom.velocity), dot(atom.force, atom.force), atom.in_bath ? mv2 : 0.0};
}

/// The properties of a run that an integrator may use, besides its own keys and the units.
struct RunContext {
  std::uint64_t seed = 1;
  std::size_t n_dof = 0;  ///< degrees of freedom of the atoms in the bath
};

/// A part of the move of a step with constraints, which are satisfied after each part.
struct MovePart {
  /// Whether it changes positions, which are then constrained; so are velocities, except after the last part.
  bool moves;
  /// The time by which it moves them, as a share of the timestep; 0: for minimisers, whose velocities are not changed
  /// by the displacements that satisfy the constraints.
  double share;
};

/// A struct that performs one step; the step number counts from 1:
///
///   for each atom         move(atom, step)      first part: changes position and velocity
///   ...                   forces at the new positions
///   for each atom         finish(atom, step)    second part: changes the velocity
///   if kGloballyCoupled   couple(sums, step)    once: changes the integrator's own state from sums over all atoms
///   for each atom         apply_coupling(atom)  applies it: changes the velocity
///
/// With constraints, velocities are projected after `finish`, and instead of move(atom, step) there are the parts that
/// parts_of_move() lists, move_part(motion, k, atom, step), each followed by a projection.
///
/// Results are functions of the arguments and the internal state alone, so that a step can be repeated, on any
/// processor. The struct is trivially copyable: it is passed as a kernel argument, or kept in device memory if it is
/// globally coupled.
template <class X>
concept Motion = std::is_trivially_copyable_v<X> && std::is_constructible_v<X, FormChoice, Units, RunContext> &&
    requires(const X& x, MovingAtom& atom, std::uint64_t step) {
  { X::form() } -> std::same_as<FormInfo>;
  { x.timestep() } -> std::same_as<double>;  // 0 for minimisers, which have no time
  x.move(atom, step);
  x.finish(atom, step);
  // Whether it is a minimiser, which starts from rest and may end before the last step.
  { X::kMinimizer } -> std::convertible_to<bool>;
  { X::kGloballyCoupled } -> std::convertible_to<bool>;
  // Whether it is a bath, which adds the energy that it gives to atom.heat: in move or, if it is globally coupled, in
  // apply_coupling.
  { X::kBath } -> std::convertible_to<bool>;
  // Whether forces act only in a half kick at the beginning of move and one in finish.
  { X::kAllowsSlowForces } -> std::convertible_to<bool>;
  // Whether a total momentum of zero stays zero, except for external forces.
  { X::kKeepsMomentum } -> std::convertible_to<bool>;
} &&(!X::kGloballyCoupled || requires(X & x, MovingAtom& atom, const MotionSums& sums, std::uint64_t step) {
  x.couple(sums, step);
  static_cast<const X&>(x).apply_coupling(atom);
});

/// Integrators whose move consists of several parts with constraints: kMoveParts lists them. Performed one after
/// another without constraints they are a move, except for rounding.
template <class X>
concept HasMoveParts = requires(const X& x, MovingAtom& atom, std::uint64_t step) {
  X::kMoveParts[0].moves;
  x.move_part(std::size_t{}, atom, step);
};

/// Returns the parts of an integrator's move. X: a Motion, or what stands for one in such a move.
template <class X>
constexpr auto parts_of_move() {
  if constexpr (HasMoveParts<X>)
    return X::kMoveParts;
  else
    return std::array{MovePart{true, X::kMinimizer ? 0.0 : 1.0}};
}

/// Performs one of these parts.
template <class X>
DROPMD_HOST_DEVICE void move_part(const X& motion, std::size_t part, MovingAtom& atom, std::uint64_t step) {
  if constexpr (HasMoveParts<X>)
    motion.move_part(part, atom, step);
  else
    motion.move(atom, step);
}

/// Integrators that can tell from the largest force whether the minimum is reached.
template <class X>
concept Converging = requires(const X& x, double largest_force) {
  { x.converged(largest_force) } -> std::same_as<bool>;
};

/// Integrators with an internal state, which a run that resumes needs besides the state of the atoms. It consists of
/// numbers that are the same on every processor.
template <class X>
concept HasInternalState = requires(X& x, const X& same) {
  x.load_internal_state(same.internal_state());
};

/// Integrators that depend on the number of degrees of freedom of the atoms in the bath, which changes when these do.
template <class X>
concept CountsDegrees = requires(X& x, std::size_t n_dof) {
  x.set_degrees(n_dof);
};

/// Returns the internal state; empty for integrators without one.
template <Motion X>
std::vector<double> internal_state_of(const X& motion) {
  if constexpr (HasInternalState<X>) {
    const auto internal_state = motion.internal_state();
    return {internal_state.begin(), internal_state.end()};
  }
  return {};
}

/// Loads an internal state that internal_state_of() returned. Throws std::invalid_argument for other numbers.
template <Motion X>
void load_internal_state_of(X& motion, std::span<const double> internal_state) {
  if constexpr (HasInternalState<X>) {
    auto numbers = motion.internal_state();
    if (internal_state.size() != numbers.size())
      throw std::invalid_argument("this is the internal state of another integrator");
    std::copy(internal_state.begin(), internal_state.end(), numbers.begin());
    motion.load_internal_state(numbers);
  } else if (!internal_state.empty()) {
    throw std::invalid_argument("this integrator has no internal state");
  }
}

}  // namespace dropmd
