#pragma once

#include "core/run/checkpoint.h"
#include "engine/model/system.h"
#include "inputs/run_file/run_config.h"
#include "inputs/structures/structure.h"

/// Conversions between a run and a checkpoint.
namespace dropmd {

/// Returns the atoms of a checkpoint as a structure.
Structure structure_of(const Checkpoint& from);

/// Returns a checkpoint of the run, in which state, choices, outputs and fields are still to be set.
Checkpoint checkpoint_of(const RunConfig& config, const System& system);

/// Copies to the checkpoint the fields of the atoms that only a change of the population changes.
void take_constants(const System& system, Checkpoint& checkpoint);

/// Returns the choice at the start of a run that made none: its only method.
MethodChoice first_choice(const Checkpoint& from);

/// Returns `from` if the run resumes in its files, else null.
const Checkpoint* files_from(const RunConfig& config, const Checkpoint* from);

/// Throws InputError if the run ends before the state.
void require_steps_left(const RunConfig& config, const RunState& state);

/// Throws InputError if the checkpoint's internal state is not possible for the run's integrator.
void require_loadable_state(const RunConfig& config, const System& system, const RunState& state);

}  // namespace dropmd
