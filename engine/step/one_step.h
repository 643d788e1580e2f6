#pragma once

#include <cstdint>

#include "engine/actions/action.h"

/// The definition of a step. An executor has an object with a function for each stage; this is their order:
///
///   move           the integrator's first part: positions of the next step     (not at step 0)
///                  with constraints, each part of it with the projection that belongs to it
///   act(moved)     actions that change positions or their order: recentring, sorting
///   place_sites    virtual sites, from the positions of their parents
///   refresh        data that the terms read: lists, cells, copies of the atoms; absent if the terms do it themselves
///   add_terms      forces and, if requested, energies
///   spread_forces  those of virtual sites to their parents; a minimiser's are projected on the constraints
///   finish         the integrator's second part: velocities, which are then constrained, and its coupling
///                                                                              (not at step 0)
///   act(finished)  actions that change velocities: momentum removal
namespace dropmd {

/// Computes the forces at the positions of a step.
template <class Stages>
void compute_forces(Stages& stages) {
  if constexpr (requires { stages.place_sites(); }) stages.place_sites();
  if constexpr (requires { stages.refresh(); }) stages.refresh();
  stages.add_terms();
  if constexpr (requires { stages.spread_forces(); }) stages.spread_forces();
}

/// Completes a step from its positions, with the actions that are due.
template <class Stages>
void complete_step(Stages& stages) {
  stages.act(StepStage::moved);
  compute_forces(stages);
  stages.finish();
  stages.act(StepStage::finished);
}

/// Advances from a complete step to the next complete step.
template <class Stages>
void make_step(Stages& stages) {
  stages.move();
  complete_step(stages);
}

/// If no action is due, `finish` and the next step's `move` may be one stage, which reads and writes each atom once.
/// This advances from the positions of a step to those of the next one:
template <class Stages>
void make_fused_step(Stages& stages) {
  compute_forces(stages);
  stages.finish_and_move();
}

/// Performs n such steps, from a complete step to a complete step. repeat(k, part) performs the part k times.
template <class Stages, class Repeat>
void make_fused_steps(Stages& stages, std::int64_t n, const Repeat& repeat) {
  stages.move();
  compute_forces(stages);
  repeat(n - 1, [&] {
    stages.finish_and_move();
    compute_forces(stages);
  });
  stages.finish();
}

}  // namespace dropmd
