#include "engine/run_job.h"

#include <ostream>

#include "core/errors.h"
#include "engine/observers.h"
#include "inputs/structure_file.h"
#include "outputs/structure_file.h"
#include "outputs/timing_table.h"

namespace dropmd {

namespace {

/// An output that is one of the inputs would destroy it, --force or not.
void require_distinct(const RunConfig& config, const std::filesystem::path& output) {
  for (const std::filesystem::path& input : {config.file, config.structure}) {
    std::error_code ignored;
    if (std::filesystem::equivalent(input, output, ignored))
      throw OutputError(output.string() + " is an input of this run (choose another output name or -o)");
  }
}

/// Opens the outputs that the configuration asks for and hands them to the simulation; returns their paths.
std::vector<std::filesystem::path> add_outputs(const RunConfig& config, const System& system, bool overwrite,
                                               Simulation& simulation) {
  std::vector<std::filesystem::path> written;
  const auto open = [&](const char* name) {
    const std::filesystem::path path = config.output_directory / name;
    require_distinct(config, path);
    written.push_back(path);
    return path;
  };
  if (config.energy_every > 0)
    simulation.add_observer(
        std::make_unique<EnergyObserver>(EnergyCsv(open("energy.csv"), system.units, overwrite), config.energy_every));
  if (config.trajectory_every > 0)
    simulation.add_observer(std::make_unique<TrajectoryObserver>(FileWriter(open("trajectory.xyz"), overwrite),
                                                                 system.units, config.trajectory_every));
  return written;
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

  const std::filesystem::path final_path = config.output_directory / config.final_file;
  if (!config.final_file.empty()) {
    require_structure_format(final_path);
    require_distinct(config, final_path);
    if (!hooks.overwrite && std::filesystem::exists(final_path)) throw OutputError(exists_message(final_path));
  }
  create_folder(config.output_directory);
  RunSummary summary;
  summary.written = add_outputs(config, system, hooks.overwrite, simulation);
  hooks.started(method, system);

  std::optional<Progress> progress;
  if (hooks.progress != nullptr) {
    progress.emplace(*hooks.progress, system.units,
                     ProgressOptions{.terminal = hooks.terminal, .columns = hooks.columns, .last_step = config.steps});
    simulation.add_observer(std::make_unique<ProgressObserver>(*progress));
  }
  summary.end = simulation.run(hooks.stop);
  summary.steps = simulation.step();
  summary.last = simulation.energies();
  if (!config.final_file.empty()) {
    const Timings::Scope scope(timings, "outputs");
    write_structure_file(final_path,
                         {.particles = system.particles,
                          .units = system.units,
                          .title = system.title,
                          .radius = system.radius,
                          .step = simulation.step(),
                          .time = simulation.time()},
                         hooks.overwrite);
    summary.written.push_back(final_path);
  }
  summary.seconds = timings.total_seconds();
  summary.timings = timing_table(timings, simulation.step());
  return summary;
}

}  // namespace dropmd
