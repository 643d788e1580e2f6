#include "engine/jobs/run_outputs.h"

#include <algorithm>
#include <memory>
#include <stdexcept>
#include <utility>

#include "core/errors.h"
#include "engine/droplet/follow_droplet.h"
#include "engine/model/form_catalog.h"
#include "engine/molecules/molecules.h"
#include "engine/observers.h"
#include "inputs/run_file/run_config.h"
#include "inputs/run_file/run_file.h"
#include "outputs/checkpoint/checkpoint_file.h"
#include "outputs/files/atomic_file.h"
#include "outputs/files/require_free.h"
#include "outputs/maps/map_file.h"
#include "outputs/structures/structure_file.h"
#include "outputs/trajectories/trajectory_file.h"

namespace dropmd {

namespace fs = std::filesystem;

namespace {

/// Returns "potential-average.dx" for "potential.dx".
std::string name_of_average(const fs::path& file) {
  return file.stem().string() + "-average" + file.extension().string();
}

}  // namespace

RunOutputs::RunOutputs(const RunConfig& config, bool makes_choices, const CauseSet& causes, const Checkpoint* from,
                       std::optional<DropletState> droplet)
    : config_(config),
      causes_(causes),
      from_(from),
      droplet_from_(std::move(droplet)),
      checkpoint_(config.output_directory / "checkpoint.h5") {
  const auto in_folder = [&](const std::string& name) { return config.output_directory / name; };
  if (config.energy_every > 0) energy_ = in_folder("energy.csv");
  if (config.energy_every > 0 && causes.any()) ledger_ = in_folder("ledger.csv");
  if (config.droplet) droplet_ = in_folder("droplet.csv");
  if (config.droplet) events_ = in_folder("events.csv");
  if (config.droplet && config.droplet->profile_every > 0) profile_ = in_folder("profile.csv");
  if (config.trajectory_every > 0) trajectory_ = in_folder(config.trajectory_file);
  if (makes_choices) choices_path_ = in_folder("choices.csv");
  if (!config.final_file.empty()) final_structure_ = in_folder(config.final_file);
  if (makes_maps(config)) {
    map_ = in_folder(config.map->file);
    if (config.map->average) map_average_ = in_folder(name_of_average(config.map->file));
  }
}

std::vector<fs::path> RunOutputs::all() const {
  std::vector<fs::path> paths;
  for (const auto& path : {energy_, ledger_, droplet_, events_, profile_, trajectory_, choices_path_, final_structure_,
                           map_, map_average_})
    if (path) paths.push_back(*path);
  return paths;
}

std::optional<FileMark> RunOutputs::mark_of(const fs::path& path) const {
  if (from_ == nullptr) return std::nullopt;
  for (const OutputMark& output : from_->outputs)
    if (output.name == path.filename().string()) return output.mark;
  return std::nullopt;
}

std::vector<fs::path> RunOutputs::whole_files() const {
  std::vector<fs::path> paths;
  for (const auto& path : {final_structure_, map_, map_average_})
    if (path) paths.push_back(*path);
  return paths;
}

std::vector<fs::path> RunOutputs::whole_files_before() const {
  if (from_ == nullptr) return {};
  RunConfig before = parse_run_file({config_.file.string(), from_->run_file}, config_.file, form_catalog());
  before.output_directory = config_.output_directory;
  return RunOutputs(before, /*makes_choices=*/false, {}, nullptr).whole_files();
}

/// A folder is for one run at a time: a second run would truncate the files of the first.
void RunOutputs::lock() {
  if (!lock_.is_open()) lock_ = FolderLock(config_.output_directory, "run");
}

void RunOutputs::require_continuable(const fs::path& path, const FileMark& mark) const {
  const auto require = path == trajectory_ ? trajectory_format(path).require_mark : require_mark;
  require(path, mark);
}

void RunOutputs::check(const std::vector<fs::path>& inputs, bool overwrite) {
  inputs_ = inputs;
  lock();
  if (final_structure_) require_structure_format(*final_structure_);
  if (trajectory_) trajectory_format(*trajectory_);  // throws for a name without one
  if (map_) require_map_format(*map_);
  const std::vector<fs::path> may_be_there = whole_files_before();
  std::vector<fs::path> all_new, others;  // others may exist, but must not be inputs
  for (const fs::path& path : all()) {
    if (const auto mark = mark_of(path))
      require_continuable(path, *mark);
    else if (std::find(may_be_there.begin(), may_be_there.end(), path) == may_be_there.end())
      all_new.push_back(path);
    if (all_new.empty() || all_new.back() != path) others.push_back(path);
  }
  require_free(others, inputs, /*overwrite=*/true);
  if (from_ == nullptr) all_new.insert(all_new.end(), {checkpoint_, previous_checkpoint(checkpoint_)});
  require_free(all_new, inputs, overwrite);
}

FileWriter RunOutputs::open_file(const fs::path& path, bool overwrite) const {
  if (const auto mark = mark_of(path)) return {path, *mark};
  return {path, overwrite};
}

/// An energy.csv that was begun by a version without a ledger keeps its columns.
bool RunOutputs::has_conserved_column() const { return ledger_ && (!mark_of(*energy_) || mark_of(*ledger_)); }

void RunOutputs::open(const System& system, bool overwrite, StepLoop& simulation, bool population_changes,
                      Timings& timings) {
  const TrajectoryContents contents = trajectory_contents(system, simulation, population_changes);
  if (trajectory_)
    if (const auto require_fits = trajectory_format(*trajectory_).require_fits)
      require_fits({*trajectory_, overwrite, mark_of(*trajectory_)}, contents);
  create_folder(config_.output_directory);
  lock();
  for (const fs::path& path : whole_files()) require_folder(path);
  if (lock_.holds()) {
    remove_checkpoint_leftovers(checkpoint_, inputs_);
    for (const fs::path& path : whole_files()) remove_leftovers(path, inputs_);
    for (const fs::path& path : {status(), timings_csv()}) remove_leftovers(path, inputs_);
  }
  if (from_ == nullptr) {  // the files of another run, which is to be overwritten
    std::error_code ignored;
    fs::remove(checkpoint_, ignored);
    fs::remove(previous_checkpoint(checkpoint_), ignored);
  }
  open_energies(system, overwrite, simulation);
  if (droplet_) open_droplet(system, overwrite, simulation, timings);
  if (trajectory_) open_trajectory(contents, overwrite, simulation);
  if (choices_path_) choices_.emplace(open_file(*choices_path_, overwrite));
}

void RunOutputs::open_energies(const System& system, bool overwrite, StepLoop& simulation) {
  if (energy_)
    add(simulation, *energy_,
        std::make_unique<EnergyObserver>(
            EnergyCsv(open_file(*energy_, overwrite), system.units, energy_names(system), has_conserved_column()),
            config_.energy_every));
  if (ledger_)
    add(simulation, *ledger_,
        std::make_unique<LedgerObserver>(LedgerCsv(open_file(*ledger_, overwrite), system.units, causes_),
                                         config_.energy_every));
}

DropletWatch RunOutputs::droplet_watch(const System& system) const try {
  return {system, config_, droplet_from_};
} catch (const std::invalid_argument& reason) {
  throw InputError({config_.file.string()}, std::string("/droplet_profile is not possible: ") + reason.what() +
                                                " (expected: a checkpoint.h5 that a run wrote)");
}

void RunOutputs::open_droplet(const System& system, bool overwrite, StepLoop& simulation, Timings& timings) {
  DropletWatch watch = droplet_watch(system);
  std::optional<ProfileCsv> profile;
  if (profile_) profile.emplace(open_file(*profile_, overwrite), system.units, watch.names());
  DropletFiles files{DropletCsv(open_file(*droplet_, overwrite), system.units),
                     EventsCsv(open_file(*events_, overwrite), system.units), std::move(profile)};
  auto observer =
      std::make_unique<DropletObserver>(std::move(watch), config_.droplet->every, std::move(files), timings);
  droplet_observer_ = observer.get();
  note_mark(*droplet_, [seen = observer.get()] { return seen->files().rows.flushed_mark(); });
  note_mark(*events_, [seen = observer.get()] { return seen->files().events.flushed_mark(); });
  if (profile_) note_mark(*profile_, [seen = observer.get()] { return seen->files().profile.value().flushed_mark(); });
  follow_droplet(std::move(observer), config_, simulation, OnceDry::ends);
}

/// Labels may be wanted again by a run that resumes with them.
std::optional<DropletState> RunOutputs::droplet_state() const {
  if (droplet_observer_ != nullptr) return droplet_observer_->state();
  return droplet_from_;
}

TrajectoryContents RunOutputs::trajectory_contents(const System& system, const StepLoop& simulation,
                                                   bool population_changes) const {
  return {.units = system.units,
          .title = system.title,
          .every = config_.trajectory_every,
          .timestep = simulation.timestep(),
          .ids = population_changes || !system.particles.id.empty(),
          .may_add = !simulation.actions_to_come().empty(),
          .particles = &system.particles,
          .names = {system.molecules, atom_names_of(system)}};
}

void RunOutputs::open_trajectory(const TrajectoryContents& contents, bool overwrite, StepLoop& simulation) {
  const TrajectoryTarget target{*trajectory_, overwrite, mark_of(*trajectory_)};
  auto observer =
      std::make_unique<TrajectoryObserver>(trajectory_format(*trajectory_).open(target, contents), contents.every);
  trajectory_observer_ = observer.get();
  add(simulation, *trajectory_, std::move(observer));
}

const UnfitFrame* RunOutputs::unfit_frame() const {
  return trajectory_observer_ != nullptr && trajectory_observer_->unfit() ? &*trajectory_observer_->unfit() : nullptr;
}

template <class WritingObserver>
void RunOutputs::add(StepLoop& simulation, const fs::path& path, std::unique_ptr<WritingObserver> observer) {
  note_mark(path, [seen = observer.get()] { return seen->flushed_mark(); });
  simulation.add_observer(std::move(observer));
}

/// Devices and pipes have no marks.
void RunOutputs::note_mark(const fs::path& path, std::function<FlushedMark()> mark) {
  if (!is_special_file(path)) marks_.emplace_back(path.filename().string(), std::move(mark));
}

std::vector<OutputMark> RunOutputs::marks(std::vector<UnsyncedFile>& unsynced) {
  std::vector<OutputMark> marks;
  const auto add = [&](const std::string& name, FlushedMark mark) {
    marks.push_back({name, mark});
    unsynced.push_back(std::move(mark.unsynced));
  };
  for (const auto& [name, mark] : marks_) add(name, mark());
  if (choices_ && !is_special_file(*choices_path_)) add(choices_path_->filename().string(), choices_->flushed_mark());
  return marks;
}

}  // namespace dropmd
