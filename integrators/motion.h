#pragma once

#include <algorithm>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <span>
#include <stdexcept>
#include <type_traits>
#include <vector>

#include "core/form.h"
#include "core/macros.h"
#include "core/units.h"
#include "core/vec3.h"

/// What an integrator is: mathematics of one atom, the same text for every processor. CpuIntegrator
/// (integrators/cpu_integrator.h) applies it to all atoms on the CPU.
namespace dropmd {

/// One atom as an integrator sees it.
struct MovingAtom {
  Vec3<double> position, velocity, force;
  double mass;
  std::uint32_t number;  ///< its id less 1, keys the random numbers; below 2³¹
  double heat = 0;       ///< energy that baths gave to the atom, in the run's unit; they add to it
};

/// Sums over all atoms, of the velocities after `finish` and the forces of the same moment.
struct MotionSums {
  double mv2 = 0;    ///< Σ m v·v: mass (length/time)²
  double v2 = 0;     ///< Σ v·v
  double power = 0;  ///< Σ F·v
  double f2 = 0;     ///< Σ F·F

  DROPMD_HOST_DEVICE MotionSums& operator+=(const MotionSums& o) {
    mv2 += o.mv2, v2 += o.v2, power += o.power, f2 += o.f2;
    return *this;
  }
};

/// What one atom adds to the sums.
DROPMD_HOST_DEVICE inline MotionSums motion_sums(const MovingAtom& atom) {
  const double v2 = dot(atom.velocity, atom.velocity);
  return {atom.mass * v2, v2, dot(atom.force, atom.velocity), dot(atom.force, atom.force)};
}

/// What an integrator may know of its run, besides its own keys and the units.
struct RunContext {
  std::uint64_t seed = 1;
  std::size_t n_dof = 0;  ///< degrees of freedom: 3N less the removed momenta
};

/// A struct that makes one step, the step number counted from 1:
///
///   for each atom         move(atom, step)      first part: changes position and velocity
///   ...                   forces at the new positions
///   for each atom         finish(atom, step)    second part: changes the velocity
///   if kGloballyCoupled   couple(sums, step)    once: changes the integrator's own state from sums over all atoms
///   for each atom         apply_coupling(atom)  applies it: changes the velocity
///
/// Results are functions of the arguments and the state alone, so that a step can be made again and on any processor.
/// The struct is trivially copyable: it travels as an argument of kernels, or lies in device memory where it is
/// globally coupled.
template <class X>
concept Motion = std::is_trivially_copyable_v<X> && std::is_constructible_v<X, FormChoice, Units, RunContext> &&
    requires(const X& x, MovingAtom& atom, std::uint64_t step) {
  { X::form() } -> std::same_as<FormInfo>;
  { x.timestep() } -> std::same_as<double>;  // 0 for a minimiser, which knows no time
  x.move(atom, step);
  x.finish(atom, step);
  // Starts from rest, and may be done before the last step.
  { X::kMinimizer } -> std::convertible_to<bool>;
  { X::kGloballyCoupled } -> std::convertible_to<bool>;
  // Whether it is a bath, which books in atom.heat what it does: in move, or, where it is globally coupled, in
  // apply_coupling.
  { X::kBath } -> std::convertible_to<bool>;
  // Whether the total momentum stays zero where it was zero, but for external forces.
  { X::kKeepsMomentum } -> std::convertible_to<bool>;
} &&(!X::kGloballyCoupled || requires(X & x, MovingAtom& atom, const MotionSums& sums, std::uint64_t step) {
  x.couple(sums, step);
  static_cast<const X&>(x).apply_coupling(atom);
});

/// Integrators that can tell from the largest force whether the minimum is reached.
template <class X>
concept Converging = requires(const X& x, double largest_force) {
  { x.converged(largest_force) } -> std::same_as<bool>;
};

/// Integrators that keep a state of their own: what a run that resumes from a state must know besides it. Numbers,
/// the same on every processor.
template <class X>
concept HasInternalState = requires(X& x, const X& same) {
  x.load_internal_state(same.internal_state());
};

/// Empty for integrators without one.
template <Motion X>
std::vector<double> internal_state_of(const X& motion) {
  if constexpr (HasInternalState<X>) {
    const auto internal_state = motion.internal_state();
    return {internal_state.begin(), internal_state.end()};
  }
  return {};
}

/// internal_state: of internal_state_of(). Throws std::invalid_argument for other numbers.
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
