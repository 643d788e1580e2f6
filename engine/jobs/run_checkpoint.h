#pragma once

#include <span>
#include <vector>

#include "core/particles.h"
#include "core/run/checkpoint.h"
#include "engine/model/system.h"
#include "engine/population/population_change.h"
#include "inputs/run_file/run_config.h"
#include "inputs/structures/structure.h"

/// Conversions between a run and a checkpoint.
namespace dropmd {

/// Returns the atoms of a checkpoint as a structure.
Structure structure_of(const Checkpoint& from);

/// Returns what the labels of the droplet up to a checkpoint pass on. from: null: the run starts.
std::optional<DropletState> droplet_of(const Checkpoint* from);

/// Returns a checkpoint of the run, in which state, choices, outputs and fields are still to be set.
Checkpoint checkpoint_of(const RunConfig& config, const System& system);

/// Returns the mesh of the run; nullopt if it had none. Throws InputError for numbers of no mesh.
std::optional<CoulombMesh> mesh_of(const RunConfig& config, const Checkpoint& from);

/// Copies to the checkpoint the fields of the atoms that only a change of the population changes.
void take_constants(const System& system, Checkpoint& checkpoint);

/// Constructs the system of the run that continues from a checkpoint. Throws as build_system() and mesh_of().
System continued_system(const RunConfig& config, const Checkpoint& from);

/// Returns the choice at the start of a run that made none: its only method.
MethodChoice first_choice(const Checkpoint& from);

/// Returns `from` if the run resumes in its files, else null.
const Checkpoint* files_from(const RunConfig& config, const Checkpoint* from);

/// Returns whether a run removes or adds atoms, so that its ledger and its trajectory have the columns for it. from:
/// the checkpoint from which it resumes; null: it starts.
bool changes_population(const RunConfig& config, const Checkpoint* from, std::span<const PopulationAction> given);

/// Returns those of the given actions that a run still has to make. from: the checkpoint from which it resumes; null:
/// it starts.
std::vector<PopulationAction> actions_to_come(const Checkpoint* from, std::span<const PopulationAction> given);

/// Throws InputError if the given actions are not those that the resumed run still has to make.
void require_same_actions(const RunConfig& config, const Checkpoint& from, std::span<const PopulationAction> given);

/// Throws InputError if the run ends before the step of the state.
void require_steps_left(const RunConfig& config, const RunState& state);

/// Throws InputError if the checkpoint's internal state is not possible for the run's integrator.
void require_loadable_state(const RunConfig& config, const System& system, const RunState& state);

}  // namespace dropmd
