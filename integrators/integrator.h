#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "core/execution.h"
#include "core/forms/form.h"
#include "core/particles.h"
#include "core/units.h"
#include "integrators/motion.h"

namespace dropmd {

/// Advances positions and velocities from forces, for all atoms on the CPU; virtual sites, which have no mass, are left
/// alone. A step consists of move(), the forces at the new positions, finish() and couple(). step: the number of the
/// step, counted from 1; random numbers depend on it.
class Integrator {
 public:
  virtual ~Integrator() = default;

  /// First part of a step: moves the atoms. force: [n_atoms][3] at the old positions, energy/length. heat: [n_atoms],
  /// to which a bath adds the energy that it gives to each atom; may be empty.
  virtual void move(Cpu cpu, Particles& particles, std::span<const Vec3<double>> force, std::uint64_t step,
                    std::span<double> heat) = 0;
  /// The parts of a move with constraints; move_part() performs one of them, instead of move().
  virtual std::span<const MovePart> parts_of_move() const = 0;
  virtual void move_part(std::size_t part, Cpu cpu, Particles& particles, std::span<const Vec3<double>> force,
                         std::uint64_t step, std::span<double> heat) = 0;
  /// Second part: completes the velocities with the forces at the new positions.
  virtual void finish(Cpu cpu, Particles& particles, std::span<const Vec3<double>> force, std::uint64_t step) = 0;
  /// Third part, for globally coupled integrators: changes the velocities by sums over all atoms. heat: as in move().
  virtual void couple(Cpu cpu, Particles& particles, std::span<const Vec3<double>> force, std::uint64_t step,
                      std::span<double> heat) = 0;

  /// Time that a step advances; 0 for minimisers, which have no time.
  virtual double timestep() const = 0;
  /// Whether it is a minimiser, which starts from rest and may end before the last step.
  virtual bool is_minimizer() const = 0;
  /// Whether the minimum is reached, judged by the largest force; nullopt for integrators that cannot tell.
  virtual std::optional<bool> converged(double largest_force) const = 0;

  /// Sets the number of degrees of freedom of the atoms in the bath, at first that of RunContext.
  virtual void set_bath_degrees(std::size_t n_dof) = 0;

  /// Its internal state, for another integrator of the same form on any processor; empty for most integrators.
  virtual std::vector<double> internal_state() const = 0;
  /// Restores the internal state. Throws std::invalid_argument for the internal state of another form.
  virtual void load_internal_state(std::span<const double> internal_state) = 0;
};

/// Returns the integrators of this build.
FormList integrator_forms();

/// Returns whether a total momentum of zero stays zero without external forces. Throws like make_integrator().
bool keeps_momentum(const FormChoice& choice);

/// Returns whether energy comes in from a bath. Throws like make_integrator().
bool is_bath(const FormChoice& choice);
/// Returns whether it is a minimiser. Throws like make_integrator().
bool is_minimizer(const FormChoice& choice);
/// Returns whether forces act only in the half kicks of move() and finish(), so that slow ones may be applied as
/// impulses (core/outer_steps.h). Throws like make_integrator().
bool allows_slow_forces(const FormChoice& choice);

/// Constructs the chosen integrator. Throws std::invalid_argument for a form that this build does not have.
std::unique_ptr<Integrator> make_integrator(const FormChoice& choice, const Units& units, const RunContext& run);

}  // namespace dropmd
