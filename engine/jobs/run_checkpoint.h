#pragma once

#include <span>
#include <vector>

#include "core/run/checkpoint.h"
#include "engine/model/system.h"
#include "engine/population/population_change.h"
#include "inputs/run_file/run_config.h"
#include "inputs/structures/structure.h"

/// What a run takes from a checkpoint, and gives to one.
namespace dropmd {

/// The atoms of a checkpoint, as a structure file would say them.
Structure structure_of(const Checkpoint& from);

/// A checkpoint of the run whose state, choices, outputs and fields are still to be filled in.
Checkpoint checkpoint_of(const RunConfig& config, const System& system);

/// Gives the checkpoint the fields of the atoms that only a change of the population changes.
void take_constants(const System& system, Checkpoint& checkpoint);

/// The choice at the start of a run that made none: its one method.
MethodChoice first_choice(const Checkpoint& from);

/// `from` where the run resumes in its files, else null.
const Checkpoint* files_from(const RunConfig& config, const Checkpoint* from);

/// Whether a run, which resumes or, where `from` is null, starts, removes and adds atoms: its ledger and its trajectory
/// have the columns for it.
bool changes_population(const Checkpoint* from, std::span<const PopulationAction> given);

/// The actions that a run still has to make, of those that it was given; null: it starts.
std::vector<PopulationAction> actions_to_come(const Checkpoint* from, std::span<const PopulationAction> given);

/// Throws InputError where a run that resumes was not given the actions that it still has to make, or others.
void require_same_actions(const RunConfig& config, const Checkpoint& from, std::span<const PopulationAction> given);

/// Throws InputError where the run ends before the state.
void require_steps_left(const RunConfig& config, const RunState& state);

/// Throws InputError where the checkpoint has an internal state that the run's integrator cannot have.
void require_loadable_state(const RunConfig& config, const System& system, const RunState& state);

}  // namespace dropmd
