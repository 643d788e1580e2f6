#include "engine/jobs/run_checkpoint.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <stdexcept>
#include <string>
#include <system_error>

#include "core/errors.h"
#include "engine/model/invariance.h"
#include "inputs/run_file/resolved_run.h"
#include "inputs/run_file/run_config.h"
#include "inputs/structures/structure.h"
#include "integrators/integrator.h"

namespace dropmd {

namespace {

/// Returns whether a run resumes in the folder of its checkpoint.
bool in_its_folder(const RunConfig& config) {
  std::error_code ignored;
  return std::filesystem::equivalent(config.output_directory, std::filesystem::canonical(config.file).parent_path(),
                                     ignored);
}

}  // namespace

Structure structure_of(const Checkpoint& from) {
  Structure structure;
  structure.title = from.title;
  for_each_field<IsInStructure>([&]<class Field>(Field) {
    if constexpr (IsConstant<Field>::value)
      Field::of(structure) = Field::of(from);
    else
      Field::of(structure) = Field::of(from.state);
  });
  structure.species_names = from.species_names;
  structure.radius = from.radius;
  return structure;
}

std::optional<DropletState> droplet_of(const Checkpoint* from) {
  return from != nullptr ? from->state.droplet : std::nullopt;
}

Checkpoint checkpoint_of(const RunConfig& config, const System& system) {
  Checkpoint checkpoint;
  checkpoint.run_file = resolved_run_toml(config, invariance_of(system));
  checkpoint.title = system.title;
  if (system.mesh) checkpoint.coulomb_mesh = system.mesh->numbers();
  checkpoint.radius = system.radius;
  checkpoint.species_names = system.particles.species_names;
  checkpoint.molecules = system.molecules;
  return checkpoint;
}

std::optional<CoulombMesh> mesh_of(const RunConfig& config, const Checkpoint& from) {
  if (from.coulomb_mesh.empty()) return std::nullopt;
  try {
    return CoulombMesh::from(from.coulomb_mesh);
  } catch (const std::invalid_argument& reason) {
    throw InputError({config.file.string()}, std::string("/coulomb_mesh is not possible: ") + reason.what() +
                                                 " (expected: a checkpoint.h5 that a run wrote)");
  }
}

void take_constants(const System& system, Checkpoint& checkpoint) {
  for_each_field<IsConstant>([&]<class Field>(Field) { Field::of(checkpoint) = Field::of(system.particles); });
}

System continued_system(const RunConfig& config, const Checkpoint& from) {
  const Continuation before{mesh_of(config, from), from.state};
  System system = build_system(config, structure_of(from), from.molecules, &before);
  system.warnings.clear();  // the atoms of a checkpoint are those that the run had
  return system;
}

MethodChoice first_choice(const Checkpoint& from) {
  MethodChoice choice = from.state.choice;
  choice.step = 0;
  return choice;
}

const Checkpoint* files_from(const RunConfig& config, const Checkpoint* from) {
  return from != nullptr && in_its_folder(config) ? from : nullptr;
}

bool changes_population(const RunConfig& config, const Checkpoint* from, std::span<const PopulationAction> given) {
  if (config.droplet && config.droplet->removes()) return true;
  return from != nullptr ? from->population_actions || from->state.carried.causes.has(Cause::removed) : !given.empty();
}

std::vector<PopulationAction> actions_to_come(const Checkpoint* from, std::span<const PopulationAction> given) {
  std::vector<PopulationAction> actions(given.begin(), given.end());
  if (from != nullptr)
    std::erase_if(actions, [&](const PopulationAction& action) { return action.step < from->state.step; });
  return actions;
}

void require_same_actions(const RunConfig& config, const Checkpoint& from, std::span<const PopulationAction> given) {
  const bool is_unknown =
      !from.population_actions &&
      from.state.carried.causes.has(Cause::removed);  // written by a version that did not store them
  std::vector<std::int64_t> steps;
  for (const PopulationAction& action : actions_to_come(&from, given)) steps.push_back(action.step);
  const std::vector<std::int64_t> expected = from.population_actions.value_or(std::vector<std::int64_t>{});
  if (is_unknown || steps == expected) return;
  const auto text = [](const std::vector<std::int64_t>& of) {
    return of.empty() ? std::string("no step") : fmt::format("step {}", fmt::join(of, ", "));
  };
  throw InputError(
      {config.file.string()},
      fmt::format("the run of this checkpoint removes or adds atoms at {} after it, by actions of the program that "
                  "wrote it; the resumed run has such actions at {} (resume it with that program and the same actions)",
                  text(expected), text(steps)));
}

void require_steps_left(const RunConfig& config, const RunState& state) {
  if (state.step <= config.steps) return;
  throw InputError({config.file.string()}, "the checkpoint is of step " + std::to_string(state.step) +
                                               ", but the run ends at step " + std::to_string(config.steps) +
                                               " (increase --steps, which counts from the start of the run)");
}

void require_loadable_state(const RunConfig& config, const System& system, const RunState& state) {
  try {
    make_integrator(config.integrator, system.units, {.seed = config.random_seed, .n_dof = state.n_dof})
        ->load_internal_state(state.integrator_state);
  } catch (const std::invalid_argument& reason) {
    throw InputError({config.file.string()}, std::string("/state/integrator is not possible: ") + reason.what() +
                                                 " (expected: a checkpoint.h5 that a run wrote)");
  }
}

}  // namespace dropmd
