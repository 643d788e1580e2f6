#include "engine/jobs/resume.h"

#include <fmt/core.h>

#include <algorithm>
#include <optional>
#include <sstream>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "core/errors.h"
#include "engine/model/form_catalog.h"
#include "engine/model/invariance.h"
#include "inputs/run_file/resolved_run.h"
#include "inputs/run_file/run_config.h"
#include "inputs/run_file/run_file.h"
#include "outputs/checkpoint/checkpoint_file.h"

namespace dropmd {

namespace {

namespace fs = std::filesystem;

bool labels_act(const RunConfig& config) {
  return config.follows_droplet() || (config.droplet && config.droplet->removes());
}

/// Takes over from the settings how the droplet is labelled, as far as that does not change the run.
void set_labels(const RunConfig& settings, RunConfig& physics) {
  if (!labels_act(physics) && !labels_act(settings)) {
    physics.droplet = settings.droplet;
  } else if (physics.droplet && settings.droplet) {
    physics.droplet->surface_tension = settings.droplet->surface_tension;
    physics.droplet->profile_every = settings.droplet->profile_every;
  }
}

/// Returns the run with its physics and the settings that may change when it resumes.
RunConfig with_settings_of(RunConfig physics, const RunConfig& settings) {
  physics.file = settings.file;
  physics.title = settings.title;
  physics.structure = settings.structure;
  physics.topology.file = settings.topology.file;  // the checkpoint has its contents
  physics.topology.include = settings.topology.include;
  physics.topology.place = settings.topology.place;
  physics.mass = settings.mass;  // masses and velocities are those of the checkpoint
  physics.temperature = settings.temperature;
  physics.neighbor = settings.neighbor;
  physics.neighbor_place = settings.neighbor_place;
  physics.skin = settings.skin;
  physics.tune = settings.tune;
  physics.choices = settings.choices;
  physics.backend = settings.backend;
  physics.precision = settings.precision;
  physics.device = settings.device;
  physics.devices = settings.devices;
  physics.ranks = settings.ranks;
  physics.multiprocessors = settings.multiprocessors;
  physics.threads = settings.threads;
  physics.steps = settings.steps;
  physics.output_directory = settings.output_directory;
  physics.energy_every = settings.energy_every;
  physics.trajectory_file = settings.trajectory_file;
  physics.trajectory_every = settings.trajectory_every;
  physics.checkpoint_every = settings.checkpoint_every;
  physics.checkpoint_minutes = settings.checkpoint_minutes;
  physics.final_file = settings.final_file;
  if (physics.map && settings.map) {  // all maps must be alike, since they are averaged together
    physics.map->every = settings.map->every;
    physics.map->average = settings.map->average;
    physics.map->file = settings.map->file;
  } else {
    physics.map = settings.map;
  }
  set_labels(settings, physics);
  return physics;
}

std::string resolved(const RunConfig& config, const MolecularModel* molecules) {
  return resolved_run_toml(config, invariance_of(config, molecules));
}

/// A line of a resolved run file and the section that it is in.
struct ResolvedLine {
  std::string section, text;

  std::string_view key() const { return std::string_view(text).substr(0, text.find('=')); }
  friend bool operator==(const ResolvedLine&, const ResolvedLine&) = default;
};

std::vector<ResolvedLine> lines_of(const std::string& file) {
  std::vector<ResolvedLine> lines;
  std::istringstream in(file);
  std::string section = "the top";
  for (std::string line; std::getline(in, line);) {
    if (line.empty()) continue;
    if (line.starts_with('[')) section = line;
    lines.push_back({section, line});
  }
  return lines;
}

/// Returns the line that sets the same key as `like`; nullptr: none does.
const ResolvedLine* find_alike(const std::vector<ResolvedLine>& lines, const ResolvedLine& like) {
  const auto found = std::find_if(lines.begin(), lines.end(), [&](const ResolvedLine& line) {
    return line.section == like.section && line.key() == like.key();
  });
  return found != lines.end() ? &*found : nullptr;
}

/// Returns the first difference, such as "[integrator] has 'timestep = 1' where the checkpoint has 'timestep = 2'";
/// nullopt: none.
std::optional<std::string> difference(const std::vector<ResolvedLine>& given,
                                      const std::vector<ResolvedLine>& of_checkpoint) {
  const auto alone = [](const ResolvedLine& line, std::string_view verb, std::string_view other) {
    const bool is_header = line.text == line.section;
    return is_header ? fmt::format("it {} {}, which the checkpoint {}", verb, line.text, other)
                     : fmt::format("{} {} '{}', which the checkpoint {}", line.section, verb, line.text, other);
  };
  const auto [here, there] = std::mismatch(given.begin(), given.end(), of_checkpoint.begin(), of_checkpoint.end());
  if (here != given.end()) {
    const ResolvedLine* const other = find_alike(of_checkpoint, *here);
    if (other == nullptr) return alone(*here, "has", "does not have");
    if (*other != *here)
      return fmt::format("{} has '{}' where the checkpoint has '{}'", here->section, here->text, other->text);
  }
  if (there != of_checkpoint.end()) return alone(*there, "lacks", "has");
  return std::nullopt;
}

/// who: the file or the options that give other settings; what: what to leave out if the physics differs.
void require_same_physics(const RunConfig& given, const RunConfig& of_checkpoint, const MolecularModel* molecules,
                          const std::string& who, const std::string& what) {
  const std::optional<std::string> differs = difference(
      lines_of(resolved(given, molecules)), lines_of(resolved(with_settings_of(of_checkpoint, given), molecules)));
  if (differs)
    throw InputError({who}, fmt::format("its physics is not that of {}: {} (a run resumes with the same physics; leave "
                                        "the {} out)",
                                        of_checkpoint.file.string(), *differs, what));
}

/// The checkpoint to resume from, and its file; warning: that it is not the one that was meant.
struct FoundCheckpoint {
  Checkpoint checkpoint;
  fs::path file;
  std::string warning{};
};

/// Returns the latest checkpoint of a folder or, if that is damaged or missing, as after a storage crash, the previous
/// one.
FoundCheckpoint found_in(const fs::path& folder) {
  const fs::path latest = folder / "checkpoint.h5", before = previous_checkpoint(latest);
  try {
    return {read_checkpoint(latest), latest};
  } catch (const InputError& error) {
    const std::exception_ptr of_latest = std::current_exception();
    std::error_code ignored;
    if (!fs::exists(before, ignored)) throw;
    try {
      FoundCheckpoint found{read_checkpoint(before), before};
      found.warning = fmt::format("{}; the run resumes from {}, of step {}", error.what(), before.string(),
                                  found.checkpoint.state.step);
      return found;
    } catch (const InputError&) {
      std::rethrow_exception(of_latest);
    }
  }
}

FoundCheckpoint found_at(const fs::path& path) {
  std::error_code ignored;
  if (fs::is_directory(path, ignored)) return found_in(path);
  return {read_checkpoint(path), path};
}

std::string places_of(std::span<const Setting> settings) {
  std::string places;
  for (const Setting& setting : settings) places += (places.empty() ? "" : " ") + setting.place.text();
  return places;
}

bool sets_neighbor(std::span<const Setting> settings) {
  return std::any_of(settings.begin(), settings.end(), [](const Setting& s) { return s.section == "neighbor"; });
}

}  // namespace

bool same_physics(const RunConfig& a, const RunConfig& b) {
  return resolved(a, nullptr) == resolved(with_settings_of(b, a), nullptr);
}

ResumedRun resume_run(const fs::path& path, const std::optional<RunConfig>& given, std::span<const Setting> settings) {
  FoundCheckpoint found = found_at(path);
  const fs::path& checkpoint = found.file;
  ResumedRun run{std::move(found.checkpoint), {}};
  const TextSource source{checkpoint.string(), run.from.run_file};
  run.config = parse_run_file(source, checkpoint, form_catalog());
  if (given) {
    require_same_physics(*given, run.config, run.from.molecules.get(), given->file.string(), "file");
    run.config = with_settings_of(run.config, *given);
  } else if (!settings.empty()) {
    const RunConfig set = parse_run_file(source, checkpoint, form_catalog(), settings);
    require_same_physics(set, run.config, run.from.molecules.get(), places_of(settings),
                         settings.size() == 1 ? "option" : "options");
    run.config = with_settings_of(run.config, set);
  }
  run.config.file = checkpoint;
  if (given || sets_neighbor(settings)) run.from.replayed.clear();  // the settings say how the run continues
  // The directory of the file itself, if it is reached through a link: its outputs are there, too.
  const fs::path file = fs::is_symlink(checkpoint) ? fs::canonical(checkpoint) : checkpoint;
  run.config.output_directory = file.has_parent_path() ? file.parent_path() : ".";
  run.config.warnings.clear();
  if (!found.warning.empty()) run.config.warnings.push_back(found.warning);
  return run;
}

}  // namespace dropmd
