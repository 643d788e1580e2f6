#pragma once

#include <cstddef>
#include <memory>
#include <optional>
#include <span>

#include "core/execution.h"
#include "core/form.h"
#include "core/particles.h"
#include "core/units.h"

namespace dropmd {

/// How positions and velocities follow from forces. A step is: move, forces at the new positions, finish.
class Integrator {
 public:
  virtual ~Integrator() = default;

  /// First part of a step: moves the atoms. force: [n_atoms][3] at the old positions.
  virtual void move(Cpu cpu, Particles& particles, std::span<const Vec3<double>> force) = 0;
  /// Second part: velocities with the forces at the new positions.
  virtual void finish(Cpu cpu, Particles& particles, std::span<const Vec3<double>> force) = 0;

  /// Time that a step advances; 0 for a minimiser, which knows no time.
  virtual double timestep() const = 0;
  /// A minimiser starts from rest and may be done before the last step.
  virtual bool is_minimizer() const = 0;
  /// Whether the largest force tells that the minimum is reached; nothing for integrators that seek none.
  virtual std::optional<bool> converged(double largest_force) const {
    static_cast<void>(largest_force);
    return std::nullopt;
  }
};

FormList integrator_forms();

/// Throws std::invalid_argument for a form that this build does not have.
std::unique_ptr<Integrator> make_integrator(const FormChoice& choice, const Units& units);

}  // namespace dropmd
