#include "engine/run_job.h"

#include <algorithm>
#include <optional>
#include <ostream>
#include <stdexcept>
#include <string>
#include <utility>

#include "core/errors.h"
#include "engine/make_method_source.h"
#include "engine/map_observer.h"
#include "engine/observers.h"
#include "engine/run_outputs.h"
#include "engine/skin.h"
#include "inputs/choices_file.h"
#include "inputs/resolved_run.h"
#include "inputs/structure_file.h"
#include "outputs/checkpoint_file.h"
#include "outputs/structure_file.h"
#include "outputs/timing_table.h"

namespace dropmd {

namespace {

/// As a structure file would say it.
Structure structure_of(const Checkpoint& from) {
  Structure structure;
  structure.title = from.title;
  structure.position = from.state.position;
  structure.velocity = from.state.velocity;
  structure.charge = from.charge;
  structure.mass = from.mass;
  structure.species = from.species;
  structure.species_names = from.species_names;
  structure.radius = from.radius;
  return structure;
}

/// state, choices and outputs are still to be filled in.
Checkpoint checkpoint_of(const RunConfig& config, const System& system) {
  const Particles& particles = system.particles;
  return {.run_file = resolved_run_toml(config),
          .title = system.title,
          .radius = system.radius,
          .mass = particles.mass,
          .charge = particles.charge,
          .species = particles.species,
          .species_names = particles.species_names};
}

/// Of a run that made none: its one method.
MethodChoice first_choice(const Checkpoint& from) {
  MethodChoice choice = from.state.choice;
  choice.step = 0;
  return choice;
}

/// Numbers that the integrator could not have learnt are a mistake of the file.
void require_learnable(const RunConfig& config, const System& system, const RunState& state) {
  try {
    make_integrator(config.integrator, system.units, {.seed = config.random_seed, .n_dof = state.n_dof})
        ->learn(state.learnt);
  } catch (const std::invalid_argument& reason) {
    throw InputError({config.file.string()}, std::string("/state/integrator cannot be: ") + reason.what() +
                                                 " (a checkpoint.h5 that a run wrote)");
  }
}

/// The choices that a run follows: of a file, or those that it followed before, unless it goes on in another way.
std::vector<MethodChoice> replayed_choices(const RunConfig& config, const Method& method, const Checkpoint* from) {
  if (!config.choices.empty()) return read_choices_file(config.choices);
  const bool as_before = from != nullptr && config.neighbor == NeighborMethod::automatic &&
                         method.backend == from->state.backend && method.precision == from->state.precision;
  return as_before ? from->replayed : std::vector<MethodChoice>{};
}

bool has_charges(const System& system) {
  const std::vector<double>& charge = system.particles.charge;
  return std::any_of(charge.begin(), charge.end(), [](double q) { return q != 0; });
}

/// Whether a run goes on in the folder where its checkpoint lies.
bool in_its_folder(const RunConfig& config) {
  std::error_code ignored;
  return std::filesystem::equivalent(config.output_directory, std::filesystem::canonical(config.file).parent_path(),
                                     ignored);
}

}  // namespace

RunSummary run_job(const RunConfig& config, const RunHooks& hooks, const Checkpoint* from) {
  Timings timings;
  System system = [&] {
    const Timings::Scope scope(timings, "inputs");
    return build_system(config, from != nullptr ? structure_of(*from) : read_structure_file(config.structure));
  }();
  const RunState* const state = from != nullptr ? &from->state : nullptr;
  if (state != nullptr && state->step > config.steps)
    throw InputError({config.file.string()}, "the checkpoint is of step " + std::to_string(state->step) +
                                                 ", and the run ends at step " + std::to_string(config.steps) +
                                                 " (more --steps: they count from the start of the run)");
  const Method method = with_fitting_skin(choose_method(config, system.model, system.particles.size()), system, config);
  const std::vector<MethodChoice> replayed = replayed_choices(config, method, from);
  RunOutputs* files = nullptr;
  std::unique_ptr<MethodSource> source =
      make_method_source(config, method, system, replayed, hooks.tuner.value_or(tuner_policy(method.backend)),
                         [&](std::int64_t step, const std::string& text) {
                           files->choices()->comment(step, text);
                           hooks.said(step, text);
                         });
  if (state != nullptr) require_learnable(config, system, *state);
  const bool goes_on = from != nullptr && in_its_folder(config);
  RunOutputs outputs(config, source != nullptr, goes_on ? from : nullptr);
  files = &outputs;
  Simulation simulation(system, config, method, timings, std::move(source), state);
  std::unique_ptr<MapObserver> map_observer;
  if (makes_maps(config))
    map_observer = std::make_unique<MapObserver>(config, system, method, outputs.map_files(), timings,
                                                 from != nullptr ? from->map : std::nullopt);
  MapObserver* const maps = map_observer.get();
  std::vector<std::filesystem::path> inputs{config.file, config.structure};
  if (!config.choices.empty()) inputs.push_back(config.choices);
  outputs.check(inputs, hooks.overwrite);
  outputs.open(system, hooks.overwrite, simulation);
  if (map_observer) simulation.add_observer(std::move(map_observer));
  std::optional<SelfCheck> check;
  if (hooks.self_check_every > 0) {
    check.emplace(system, method, config.random_seed, hooks.self_check_every);
    simulation.add_observer(std::make_unique<SelfCheckObserver>(*check, timings));
  }
  Checkpoint checkpoint = checkpoint_of(config, system);
  checkpoint.replayed = replayed;
  if (from != nullptr) checkpoint.choices = from->choices;
  if (outputs.choices() != nullptr) {
    const auto record = [&](const MethodChoice& choice) {
      outputs.choices()->append(choice, word_of(choice.neighbor), word_of(choice.list_form));
    };
    if (from != nullptr && !outputs.choices_go_on()) {  // a file of its own makes the whole run again, too
      if (checkpoint.choices.empty()) checkpoint.choices = {first_choice(*from)};
      for (const MethodChoice& choice : checkpoint.choices) record(choice);
    }
    simulation.on_switch([&checkpoint, record](const MethodChoice& choice) {
      checkpoint.choices.push_back(choice);
      record(choice);
    });
  }
  simulation.on_sorting([&](std::int64_t step, std::int64_t interval) {
    hooks.detailed(step, "the atoms are sorted every " + std::to_string(interval) + " steps");
  });
  hooks.started(simulation.method(), system);
  if (maps != nullptr && !has_charges(system))
    hooks.said(simulation.step(), "no atom has a charge: the potential of the maps is zero everywhere");

  std::optional<Progress> progress;
  if (hooks.progress != nullptr) {
    progress.emplace(*hooks.progress, system.units,
                     ProgressOptions{.terminal = hooks.terminal,
                                     .columns = hooks.columns,
                                     .first_step = simulation.step(),
                                     .first_time = simulation.time(),
                                     .last_step = config.steps});
    simulation.add_observer(std::make_unique<ProgressObserver>(*progress));
  }
  std::int64_t saved_at = -1;  // or the last step would take the place of the one before, too
  const auto save = [&] {
    if (std::exchange(saved_at, simulation.step()) == simulation.step()) return;
    const Timings::Scope scope(timings, "checkpoints");
    checkpoint.state = simulation.state();
    checkpoint.outputs = outputs.synced_marks();
    if (maps != nullptr) {
      maps->write_average(simulation.step());
      checkpoint.map = maps->state();
    } else if (from != nullptr) {
      checkpoint.map = from->map;  // maps may be wanted again
    }
    write_checkpoint(outputs.checkpoint(), checkpoint);
    checkpoint.map.reset();  // it may be large
    hooks.saved(simulation.step(), outputs.checkpoint());
  };
  if (config.checkpoint_every > 0)
    simulation.add_observer(std::make_unique<CheckpointObserver>(save, config.checkpoint_every));

  RunSummary summary;
  const auto failed = [&] { return check && !check->summary().ok(); };
  summary.end = simulation.run([&] { return failed() || hooks.stop(); });
  if (failed()) summary.end = RunEnd::out_of_tolerance;
  if (check) summary.self_check = check->summary();
  if (outputs.choices() != nullptr) outputs.choices()->close();
  if ((config.checkpoint_every > 0 || summary.end == RunEnd::interrupted) && !failed()) {
    save();
    summary.checkpoint = outputs.checkpoint();
  }
  summary.steps = simulation.step();
  summary.last = simulation.energies();
  summary.largest_force = simulation.largest_force();
  summary.written = outputs.all();
  if (const auto& path = outputs.final_structure()) {
    const Timings::Scope scope(timings, "outputs");
    write_structure_file(*path,
                         {.particles = system.particles,
                          .units = system.units,
                          .title = system.title,
                          .radius = system.radius,
                          .step = simulation.step(),
                          .time = simulation.time()},
                         hooks.overwrite || goes_on);
  }
  if (summary.checkpoint) summary.written.push_back(*summary.checkpoint);
  std::erase_if(summary.written, [](const auto& path) { return !std::filesystem::exists(path); });  // no map yet
  summary.seconds = timings.total_seconds();
  summary.timings = timing_table(timings, simulation.step() - (state != nullptr ? state->step : 0));
  return summary;
}

}  // namespace dropmd
