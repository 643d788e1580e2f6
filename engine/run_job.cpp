#include "engine/run_job.h"

#include <optional>
#include <ostream>

#include "core/errors.h"
#include "engine/observers.h"
#include "inputs/structure_file.h"
#include "outputs/require_free.h"
#include "outputs/structure_file.h"
#include "outputs/timing_table.h"

namespace dropmd {

namespace {

/// The files that a configuration asks for.
struct OutputPaths {
  std::optional<std::filesystem::path> energy, trajectory, final_structure;

  explicit OutputPaths(const RunConfig& config) {
    const auto in_folder = [&](const std::string& name) { return config.output_directory / name; };
    if (config.energy_every > 0) energy = in_folder("energy.csv");
    if (config.trajectory_every > 0) trajectory = in_folder("trajectory.xyz");
    if (!config.final_file.empty()) final_structure = in_folder(config.final_file);
  }

  std::vector<std::filesystem::path> all() const {
    std::vector<std::filesystem::path> paths;
    for (const auto& path : {energy, trajectory, final_structure})
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
  const Method method = choose_method(config, system.model, system.particles.size());
  Simulation simulation(system, config, method, timings);

  const OutputPaths paths(config);
  if (paths.final_structure) require_structure_format(*paths.final_structure);
  require_free(paths.all(), {config.file, config.structure}, hooks.overwrite);
  create_folder(config.output_directory);
  add_outputs(config, paths, system, hooks.overwrite, simulation);
  std::optional<SelfCheck> check;
  if (hooks.self_check_every > 0) {
    check.emplace(system, method, config.random_seed, hooks.self_check_every);
    simulation.add_observer(std::make_unique<SelfCheckObserver>(*check, timings));
  }
  hooks.started(method, system);

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
