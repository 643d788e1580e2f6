#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "core/execution.h"
#include "core/form.h"
#include "core/particles.h"
#include "core/units.h"
#include "integrators/motion.h"

namespace dropmd {

/// How positions and velocities follow from forces, for all atoms on the CPU. A step is: move, forces at the new
/// positions, finish. step: the number of the step that is made, counted from 1; random numbers depend on it.
class Integrator {
 public:
  virtual ~Integrator() = default;

  /// First part of a step: moves the atoms. force: [n_atoms][3] at the old positions. heat: [n_atoms] to which a bath
  /// adds the energy that it gives to each atom; may be empty.
  virtual void move(Cpu cpu, Particles& particles, std::span<const Vec3<double>> force, std::uint64_t step,
                    std::span<double> heat) = 0;
  /// Second part: velocities with the forces at the new positions. heat: as of move().
  virtual void finish(Cpu cpu, Particles& particles, std::span<const Vec3<double>> force, std::uint64_t step,
                      std::span<double> heat) = 0;

  /// Time that a step advances; 0 for a minimiser, which knows no time.
  virtual double timestep() const = 0;
  /// A minimiser starts from rest and may be done before the last step.
  virtual bool is_minimizer() const = 0;
  /// Whether the largest force tells that the minimum is reached; nothing for integrators that cannot tell.
  virtual std::optional<bool> converged(double largest_force) const = 0;

  /// Its internal state, for another integrator of the same form, on any processor; empty for most.
  virtual std::vector<double> internal_state() const = 0;
  /// Throws std::invalid_argument for the internal state of another form.
  virtual void load_internal_state(std::span<const double> internal_state) = 0;
};

FormList integrator_forms();

/// Whether a total momentum of zero stays zero where no external force acts. Throws as make_integrator.
bool keeps_momentum(const FormChoice& choice);

/// Whether energy comes in from a bath; whether it seeks a minimum. They throw as make_integrator.
bool is_bath(const FormChoice& choice);
bool is_minimizer(const FormChoice& choice);

/// Throws std::invalid_argument for a form that this build does not have.
std::unique_ptr<Integrator> make_integrator(const FormChoice& choice, const Units& units, const RunContext& run);

}  // namespace dropmd
