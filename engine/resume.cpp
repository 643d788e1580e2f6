#include "engine/resume.h"

#include <fmt/core.h>

#include <sstream>
#include <string>

#include "core/errors.h"
#include "engine/catalog.h"
#include "inputs/resolved_run.h"
#include "inputs/run_file.h"
#include "outputs/checkpoint_file.h"

namespace dropmd {

namespace {

/// The run but for its physics: what may differ when it goes on.
RunConfig with_settings_of(RunConfig physics, const RunConfig& settings) {
  physics.file = settings.file;
  physics.title = settings.title;
  physics.structure = settings.structure;
  physics.mass = settings.mass;  // the checkpoint says masses and velocities
  physics.temperature = settings.temperature;
  physics.neighbor = settings.neighbor;
  physics.skin = settings.skin;
  physics.choices = settings.choices;
  physics.backend = settings.backend;
  physics.precision = settings.precision;
  physics.device = settings.device;
  physics.threads = settings.threads;
  physics.steps = settings.steps;
  physics.output_directory = settings.output_directory;
  physics.energy_every = settings.energy_every;
  physics.trajectory_every = settings.trajectory_every;
  physics.checkpoint_every = settings.checkpoint_every;
  physics.checkpoint_minutes = settings.checkpoint_minutes;
  physics.final_file = settings.final_file;
  if (physics.map && settings.map) {  // what the maps are, which go on in one average, stays
    physics.map->every = settings.map->every;
    physics.map->average = settings.map->average;
    physics.map->file = settings.map->file;
  } else {
    physics.map = settings.map;
  }
  return physics;
}

void require_same_physics(const RunConfig& given, const RunConfig& of_checkpoint) {
  std::istringstream theirs(resolved_run_toml(given)), ours(resolved_run_toml(with_settings_of(of_checkpoint, given)));
  std::string here, there, section = "the top";
  while (true) {
    const bool more = static_cast<bool>(std::getline(theirs, here)),
               as_many = static_cast<bool>(std::getline(ours, there));
    if (!more && !as_many) return;
    if (!more) here = "nothing";
    if (!as_many) there = "nothing";
    if (here.starts_with('[') && here == there) section = here;
    if (here != there)
      throw InputError(
          {given.file.string()},
          fmt::format("its physics is not that of {}: {} has '{}' where the checkpoint has '{}' (a run goes "
                      "on with the same physics; leave the file out)",
                      of_checkpoint.file.string(), section, here, there));
  }
}

}  // namespace

ResumedRun resume_run(const std::filesystem::path& checkpoint, const std::optional<RunConfig>& given) {
  ResumedRun run{read_checkpoint(checkpoint), {}};
  run.config = parse_run_file({checkpoint.string(), run.from.run_file}, checkpoint, form_catalog());
  if (given) {
    require_same_physics(*given, run.config);
    run.config = with_settings_of(run.config, *given);
    run.config.file = checkpoint;
    run.from.replayed.clear();  // the file says how it goes on
  }
  // Where the file is, if a link leads to it: there its outputs are, too.
  const std::filesystem::path file =
      std::filesystem::is_symlink(checkpoint) ? std::filesystem::canonical(checkpoint) : checkpoint;
  run.config.output_directory = file.has_parent_path() ? file.parent_path() : ".";
  run.config.warnings.clear();
  return run;
}

}  // namespace dropmd
