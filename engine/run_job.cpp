#include "engine/run_job.h"

#include <optional>
#include <ostream>
#include <string>

#include "core/errors.h"
#include "engine/make_method_source.h"
#include "engine/observers.h"
#include "engine/skin.h"
#include "inputs/structure_file.h"
#include "outputs/choices_csv.h"
#include "outputs/require_free.h"
#include "outputs/structure_file.h"
#include "outputs/timing_table.h"

namespace dropmd {

namespace {

/// The files that a configuration asks for.
struct OutputPaths {
  std::optional<std::filesystem::path> energy, trajectory, choices, final_structure;

  /// makes_choices: between methods, while it runs.
  OutputPaths(const RunConfig& config, bool makes_choices) {
    const auto in_folder = [&](const std::string& name) { return config.output_directory / name; };
    if (config.energy_every > 0) energy = in_folder("energy.csv");
    if (config.trajectory_every > 0) trajectory = in_folder("trajectory.xyz");
    if (makes_choices) choices = in_folder("choices.csv");
    if (!config.final_file.empty()) final_structure = in_folder(config.final_file);
  }

  std::vector<std::filesystem::path> all() const {
    std::vector<std::filesystem::path> paths;
    for (const auto& path : {energy, trajectory, choices, final_structure})
      if (path) paths.push_back(*path);
    return paths;
  }
};

void add_outputs(const RunConfig& config, const OutputPaths& paths, const System& system, bool overwrite,
                 Simulation& simulation) {
  if (paths.energy)
    simulation.add_observer(
        std::make_unique<EnergyObserver>(EnergyCsv(*paths.energy, system.units, overwrite), config.energy_every));
  if (paths.trajectory)
    simulation.add_observer(std::make_unique<TrajectoryObserver>(FileWriter(*paths.trajectory, overwrite), system.units,
                                                                 config.trajectory_every));
}

}  // namespace

RunSummary run_job(const RunConfig& config, const RunHooks& hooks) {
  Timings timings;
  System system = [&] {
    const Timings::Scope scope(timings, "inputs");
    return build_system(config, read_structure_file(config.structure));
  }();
  const Method method = with_fitting_skin(choose_method(config, system.model, system.particles.size()), system, config);
  std::optional<ChoicesCsv> choices;
  std::unique_ptr<MethodSource> source =
      make_method_source(config, method, system, hooks.tuner.value_or(tuner_policy(method.backend)),
                         [&](std::int64_t step, const std::string& text) {
                           choices->comment(step, text);
                           hooks.said(step, text);
                         });
  const OutputPaths paths(config, source != nullptr);
  Simulation simulation(system, config, method, timings, std::move(source));
  if (paths.final_structure) require_structure_format(*paths.final_structure);
  std::vector<std::filesystem::path> inputs{config.file, config.structure};
  if (!config.choices.empty()) inputs.push_back(config.choices);
  require_free(paths.all(), inputs, hooks.overwrite);
  create_folder(config.output_directory);
  add_outputs(config, paths, system, hooks.overwrite, simulation);
  std::optional<SelfCheck> check;
  if (hooks.self_check_every > 0) {
    check.emplace(system, method, config.random_seed, hooks.self_check_every);
    simulation.add_observer(std::make_unique<SelfCheckObserver>(*check, timings));
  }
  if (paths.choices) {
    choices.emplace(*paths.choices, hooks.overwrite);
    simulation.on_switch([&](const MethodChoice& choice) {
      choices->append(choice, word_of(choice.neighbor), word_of(choice.list_form));
    });
  }
  simulation.on_sorting([&](std::int64_t step, std::int64_t interval) {
    hooks.detailed(step, "the atoms are sorted every " + std::to_string(interval) + " steps");
  });
  hooks.started(simulation.method(), system);

  std::optional<Progress> progress;
  if (hooks.progress != nullptr) {
    progress.emplace(*hooks.progress, system.units,
                     ProgressOptions{.terminal = hooks.terminal, .columns = hooks.columns, .last_step = config.steps});
    simulation.add_observer(std::make_unique<ProgressObserver>(*progress));
  }
  RunSummary summary;
  summary.written = paths.all();
  const auto failed = [&] { return check && !check->summary().ok(); };
  summary.end = simulation.run([&] { return failed() || hooks.stop(); });
  if (failed()) summary.end = RunEnd::out_of_tolerance;
  if (check) summary.self_check = check->summary();
  if (choices) choices->close();
  summary.steps = simulation.step();
  summary.last = simulation.energies();
  summary.largest_force = simulation.largest_force();
  if (paths.final_structure) {
    const Timings::Scope scope(timings, "outputs");
    write_structure_file(*paths.final_structure,
                         {.particles = system.particles,
                          .units = system.units,
                          .title = system.title,
                          .radius = system.radius,
                          .step = simulation.step(),
                          .time = simulation.time()},
                         hooks.overwrite);
  }
  summary.seconds = timings.total_seconds();
  summary.timings = timing_table(timings, simulation.step());
  return summary;
}

}  // namespace dropmd
