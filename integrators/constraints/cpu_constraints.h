#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <string>
#include <utility>

#include "core/execution.h"
#include "core/particles.h"
#include "core/vec3.h"
#include "integrators/constraints/constraint_plan.h"

namespace dropmd {

/// Satisfies the constraints of a plan on the CPU. Arrays have n_atoms elements, in the order of the plan's indices.
/// Results are bitwise identical for every number of threads. Functions return the first cluster (in the plan's count)
/// that has no solution, whose atoms stay as they are; constraint_failure() describes it.
class CpuConstraints {
 public:
  explicit CpuConstraints(ConstraintPlan plan) : plan_(std::move(plan)) {}

  const ConstraintPlan& plan() const { return plan_; }

  /// Moves atoms to satisfy the constraints. reference: the positions before the move, which satisfy them. velocity +=
  /// displacement/dt; it may be empty, as a minimiser has no time.
  std::optional<std::size_t> positions(Cpu cpu, std::span<const Vec3<double>> reference,
                                       std::span<Vec3<double>> position, std::span<Vec3<double>> velocity,
                                       double dt) const;

  /// Removes the velocities along the constraints at positions that satisfy them.
  std::optional<std::size_t> velocities(Cpu cpu, std::span<const Vec3<double>> position,
                                        std::span<Vec3<double>> velocity) const;

  /// Removes the part of the forces that acts against the constraints, for minimisers: what remains of F/m has no
  /// component along them, and total force and torque are unchanged.
  std::optional<std::size_t> forces(Cpu cpu, std::span<const Vec3<double>> position,
                                    std::span<Vec3<double>> force) const;

 private:
  ConstraintPlan plan_;
};

/// Returns the message of a PhysicsError for a cluster without a solution, with the ids of its atoms.
std::string constraint_failure(const ConstraintPlan& plan, std::size_t cluster, const Particles& particles);

}  // namespace dropmd
