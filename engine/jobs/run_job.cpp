#include "engine/jobs/run_job.h"

#include <fmt/core.h>

#include <algorithm>
#include <optional>
#include <ostream>
#include <stdexcept>
#include <string>
#include <utility>

#include "core/errors.h"
#include "engine/droplet/event_text.h"
#include "engine/jobs/run_checkpoint.h"
#include "engine/jobs/run_outputs.h"
#include "engine/jobs/run_parts.h"
#include "engine/ledger/causes.h"
#include "engine/map_observer.h"
#include "engine/mesh_check.h"
#include "engine/model/coulomb_division.h"
#include "engine/molecules/molecules.h"
#include "engine/observers.h"
#include "engine/time_limit.h"
#include "inputs/choices_file.h"
#include "inputs/run_file/input_files.h"
#include "inputs/run_file/resolved_run.h"
#include "inputs/run_file/run_config.h"
#include "inputs/structures/structure_file.h"
#include "integrators/integrator.h"
#include "outputs/checkpoint/background_checkpoints.h"
#include "outputs/structures/structure_file.h"
#include "outputs/timing_table.h"
#include "outputs/timings_csv.h"

namespace dropmd {

namespace {

/// Returns the seconds to write checkpoint, final structure and average map for the first time, on slow storage.
double seconds_to_save(const System& system, const MapObserver* maps) {
  constexpr double kBytesPerAtom = 330, kBytesPerPoint = 30, kBytesPerSecond = 20e6;
  const bool has_map = maps != nullptr && maps->state();
  const double points = has_map ? static_cast<double>(maps->state()->grid.n_points()) : 0;
  return (kBytesPerAtom * static_cast<double>(system.particles.size()) + kBytesPerPoint * points) / kBytesPerSecond;
}

std::string_view state_of(RunEnd end) {
  switch (end) {
    case RunEnd::finished:
    case RunEnd::converged:
    case RunEnd::dried_up:
      return "finished";
    case RunEnd::interrupted:
    case RunEnd::out_of_time:
      return "stopped";
    case RunEnd::not_converged:
    case RunEnd::out_of_tolerance:
      break;
  }
  return "failed";
}

/// A whole run, from its inputs to the summary.
class RunJob {
 public:
  RunJob(const RunConfig& config, const RunHooks& hooks, const Checkpoint* from);
  RunSummary run();

 private:
  MethodLog method_log();
  std::vector<ChoiceComment> replayed_comments() const;
  void open_outputs();
  void add_mesh_check();
  void add_self_check();
  void record_choices();
  void record(const MethodChoice& choice);
  void repeat_comments(std::int64_t step);
  void say_start();
  void add_status();
  void add_progress();
  void add_checkpoints();
  RunEnd make_steps();
  void begin_saving();
  void end_saving();
  void end_saving_after_error();
  RunSummary run_to_end();
  bool failed() const { return check_ && !check_->summary().ok(); }
  void say_events();
  void say_molecules_left();
  void write_final_structure();
  RunSummary summary(RunEnd end);

  const RunConfig& config_;
  const RunHooks& hooks_;
  const Checkpoint* from_;
  RunParts parts_;
  RunOutputs outputs_;
  MapObserver* maps_ = nullptr;  ///< null: the run computes no maps
  std::optional<SelfCheck> check_;
  std::optional<Progress> progress_;
  std::optional<TimingsCsv> timings_file_;
  std::optional<StatusFile> status_;
  std::optional<TimeLimit> limit_;
  Checkpoint checkpoint_;
  std::size_t n_repeated_ = 0;   ///< number of comments on replayed choices that are already in the file
  std::int64_t saved_at_ = -1;   ///< prevents the last step from replacing the previous checkpoint, too
  double seconds_to_begin_ = 0;  ///< for which the run waited while the last checkpoint was begun
  BackgroundCheckpoints saving_;
  std::optional<std::filesystem::path> saved_;
};

RunJob::RunJob(const RunConfig& config, const RunHooks& hooks, const Checkpoint* from)
    : config_(config),
      hooks_(hooks),
      from_(from),
      parts_(config, hooks, from, method_log()),
      outputs_(config, parts_.loop.records_choices(),
               causes_of(config, parts_.system, changes_population(config, from, hooks.actions)),
               files_from(config, from), droplet_of(from)),
      checkpoint_(checkpoint_of(config, parts_.system)),
      saving_(outputs_.checkpoint()) {
  parts_.loop.on_booking(hooks.booked);
  open_outputs();
  add_self_check();
  checkpoint_.replayed = parts_.replayed;
  checkpoint_.replayed_comments = replayed_comments();
  if (from_ != nullptr) checkpoint_.choices = from_->choices;
  record_choices();
  add_status();
  say_start();
  add_mesh_check();
  add_progress();
  add_checkpoints();
}

std::vector<ChoiceComment> RunJob::replayed_comments() const {
  if (parts_.replayed.empty()) return {};
  return config_.choices.empty() ? from_->replayed_comments : read_choice_comments(config_.choices);
}

MethodLog RunJob::method_log() {
  return [this](std::int64_t step, const std::string& text, const std::string& details) {
    if (outputs_.choices() != nullptr)
      outputs_.choices()->comment(step, details.empty() ? text : text + "; " + details);
    hooks_.said(step, text);
    if (!details.empty()) hooks_.detailed(step, details);
  };
}

void RunJob::open_outputs() {
  std::unique_ptr<MapObserver> maps;
  if (makes_maps(config_))
    maps = std::make_unique<MapObserver>(config_, parts_.system, parts_.method, outputs_.map_files(), parts_.timings,
                                         from_ != nullptr ? from_->map : std::nullopt, hooks_.said);
  maps_ = maps.get();
  outputs_.check(input_files(config_), hooks_.overwrite);
  outputs_.open(parts_.system, hooks_.overwrite, parts_.loop, changes_population(config_, from_, hooks_.actions),
                parts_.timings);
  if (maps) parts_.loop.add_observer(std::move(maps));
}

void RunJob::add_mesh_check() {
  if (!parts_.system.mesh) return;
  hooks_.said(parts_.loop.step(), describe_mesh(parts_.system, parts_.loop.method().backend));
  parts_.loop.check_mesh(MeshCheck(hooks_.said));
}

void RunJob::add_self_check() {
  if (hooks_.self_check_every == 0) return;
  check_.emplace(parts_.system, parts_.method, config_.random_seed, hooks_.self_check_every);
  parts_.loop.add_observer(std::make_unique<SelfCheckObserver>(*check_, parts_.timings));
}

void RunJob::record(const MethodChoice& choice) {
  outputs_.choices()->append(choice, word_of(choice.neighbor), word_of(choice.list_form));
}

void RunJob::record_choices() {
  if (outputs_.choices() == nullptr) return;
  // A new file must contain all choices, to reproduce the whole run.
  if (from_ != nullptr && !outputs_.choices_resume()) {
    if (checkpoint_.choices.empty()) checkpoint_.choices = {first_choice(*from_)};
    for (const MethodChoice& choice : checkpoint_.choices) record(choice);
  }
  parts_.loop.on_switch([this](const MethodChoice& choice) {
    repeat_comments(choice.step);
    checkpoint_.choices.push_back(choice);
    record(choice);
  });
}

/// Repeats the comments on replayed choices up to a step that are not in the file yet.
void RunJob::repeat_comments(std::int64_t step) {
  if (outputs_.choices() == nullptr) return;
  const auto& comments = checkpoint_.replayed_comments;
  for (; n_repeated_ < comments.size() && comments[n_repeated_].step <= step; ++n_repeated_)
    if (from_ == nullptr || comments[n_repeated_].step > from_->state.step)
      outputs_.choices()->comment(comments[n_repeated_].step, comments[n_repeated_].text);
}

void RunJob::say_start() {
  parts_.loop.on_sorting([this](std::int64_t step, std::int64_t interval) {
    hooks_.detailed(step, "the atoms are sorted every " + std::to_string(interval) + " steps");
  });
  hooks_.started(parts_.loop.method(), parts_.system);
  if (const std::string peers = parts_.loop.describe_peers(); !peers.empty()) hooks_.said(parts_.loop.step(), peers);
  if (maps_ != nullptr && !has_charges(parts_.system))
    hooks_.said(parts_.loop.step(), "no atom has a charge: the potential of the maps is zero everywhere");
}

void RunJob::add_status() {
  StatusFile::Options options{.first_step = parts_.loop.step(), .last_step = config_.steps};
  if (from_ != nullptr) options.checkpoint_step = from_->state.step;
  timings_file_.emplace(outputs_.timings_csv(), parts_.timings, parts_.loop.step(),
                        files_from(config_, from_) != nullptr);
  status_.emplace(outputs_.status(), options);
  status_->on_written([this](std::int64_t step) { timings_file_->write(step); });
  parts_.loop.add_observer(std::make_unique<StatusObserver>(*status_, hooks_.reached));
}

void RunJob::add_progress() {
  if (hooks_.progress == nullptr) return;
  progress_.emplace(*hooks_.progress, parts_.system.units,
                    ProgressOptions{.terminal = hooks_.terminal,
                                    .columns = hooks_.columns,
                                    .first_step = parts_.loop.step(),
                                    .first_time = parts_.loop.time(),
                                    .last_step = config_.steps});
  parts_.loop.add_observer(std::make_unique<ProgressObserver>(*progress_));
  if (DropletObserver* const droplet = outputs_.droplet_observer()) {
    droplet->on_row([this](const DropletRow& row) { progress_->set_droplet(row); });
    droplet->on_other_droplet([this](std::int64_t step) {
      hooks_.said(step,
                  "the droplet is a different one than at the previous label: most of its molecules were not members");
    });
  }
}

void RunJob::add_checkpoints() {
  if (!makes_checkpoints(config_)) return;
  constexpr double kSecondsPerMinute = 60;
  const CheckpointIntervals intervals{config_.checkpoint_every, kSecondsPerMinute * config_.checkpoint_minutes};
  parts_.loop.add_observer(std::make_unique<CheckpointObserver>([this] { begin_saving(); }, intervals));
}

/// Writes a checkpoint while the next steps are performed, or before them if the run has a time limit.
void RunJob::begin_saving() {
  if (saved_at_ == parts_.loop.step()) return;
  end_saving();
  saved_at_ = parts_.loop.step();
  repeat_comments(parts_.loop.step());
  const Timings::Scope scope(parts_.timings, "checkpoints");
  const double begin = parts_.timings.total_seconds();
  checkpoint_.state = parts_.loop.state();
  if (parts_.system.mesh) checkpoint_.coulomb_mesh = parts_.system.mesh->numbers();  // it may have been refined
  take_constants(parts_.system, checkpoint_);
  if (changes_population(config_, from_, hooks_.actions))
    checkpoint_.population_actions = parts_.loop.actions_to_come();
  checkpoint_.state.droplet = outputs_.droplet_state();
  std::vector<UnsyncedFile> unsynced;
  checkpoint_.outputs = outputs_.marks(unsynced);
  if (maps_ != nullptr) {
    maps_->write_average(parts_.loop.step());
    checkpoint_.map = maps_->state();
  } else if (from_ != nullptr) {
    checkpoint_.map = from_->map;  // maps may be wanted again
  }
  saving_.begin(checkpoint_, std::move(unsynced));
  checkpoint_.map.reset();  // it may be large
  seconds_to_begin_ = parts_.timings.total_seconds() - begin;
  if (limit_) end_saving();  // the margin of the limit is for what the run waits for
}

/// Waits for the checkpoint that is being written, if there is one.
void RunJob::end_saving() {
  if (!saving_.under_way()) return;
  const Timings::Scope scope(parts_.timings, "checkpoints");
  saving_.end();
  if (limit_) limit_->saved(seconds_to_begin_ + saving_.seconds());
  status_->set_checkpoint(saved_at_);
  hooks_.saved(saved_at_, outputs_.checkpoint());
}

RunEnd RunJob::make_steps() {
  if (hooks_.max_seconds)
    limit_.emplace(*hooks_.max_seconds, parts_.timings.total_seconds(), seconds_to_save(parts_.system, maps_));
  bool out_of_time = false;
  const RunEnd end = parts_.loop.run([&] {
    if (saving_.done()) end_saving();
    out_of_time = limit_ && limit_->reached();
    return failed() || hooks_.stop() || out_of_time || outputs_.unfit_frame() != nullptr;
  });
  if (failed()) return RunEnd::out_of_tolerance;
  return end == RunEnd::interrupted && out_of_time && !hooks_.stop() ? RunEnd::out_of_time : end;
}

RunSummary RunJob::run() {
  try {
    return run_to_end();
  } catch (...) {
    end_saving_after_error();
    throw;
  }
}

/// Waits for a checkpoint that is being written when something else ends the run, so that it counts.
void RunJob::end_saving_after_error() {
  try {
    end_saving();
  } catch (const std::exception& error) {
    hooks_.said(saved_at_, error.what());
  }
}

RunSummary RunJob::run_to_end() {
  const RunEnd end = make_steps();
  repeat_comments(parts_.loop.step());
  if (outputs_.choices() != nullptr) outputs_.choices()->close();
  const UnfitFrame* const unfit = outputs_.unfit_frame();
  const bool stopped = end == RunEnd::interrupted || end == RunEnd::out_of_time || unfit != nullptr;
  if ((makes_checkpoints(config_) || stopped) && !failed()) {
    begin_saving();
    saved_ = outputs_.checkpoint();
  }
  end_saving();
  say_events();
  if (end == RunEnd::dried_up)
    hooks_.said(parts_.loop.step(), "the droplet has dried up: a single molecule is left, and the run ends");
  write_final_structure();
  say_molecules_left();
  if (unfit != nullptr && !failed()) throw UnfitFrame(*unfit);
  status_->end(state_of(end));
  return summary(end);
}

/// Says how many clusters and molecules left and joined the droplet in this part of the run.
void RunJob::say_events() {
  if (outputs_.droplet_observer() == nullptr) return;
  hooks_.said(parts_.loop.step(), "events of the droplet: " + describe(outputs_.droplet_observer()->event_counts()));
}

/// Says which molecules of a topology are left, since a run that begins with the final structure needs a topology of
/// these.
void RunJob::say_molecules_left() {
  if (!outputs_.final_structure() || !parts_.system.molecules ||
      parts_.system.molecules->size() == parts_.system.particles.size())
    return;
  if (const std::string left = present_molecules(parts_.system); !left.empty())
    hooks_.said(parts_.loop.step(),
                fmt::format("{} has {} of the molecules in {} (a run that begins with it needs a "
                            "topology of these)",
                            outputs_.final_structure()->filename().string(), left, parts_.system.molecules->file));
}

void RunJob::write_final_structure() {
  const auto& path = outputs_.final_structure();
  if (!path) return;
  const Timings::Scope scope(parts_.timings, "outputs");
  Particles last = parts_.system.particles;
  if (is_minimizer(config_.integrator)) last.velocity.clear();  // they belong to no temperature
  write_structure_file(*path,
                       {.particles = last,
                        .units = &parts_.system.units,
                        .title = parts_.system.title,
                        .radius = parts_.system.radius,
                        .step = parts_.loop.step(),
                        .time = parts_.loop.time(),
                        .names = atom_names_of(parts_.system)},
                       hooks_.overwrite || files_from(config_, from_) != nullptr);
}

RunSummary RunJob::summary(RunEnd end) {
  RunSummary summary{.end = end,
                     .steps = parts_.loop.step(),
                     .last = parts_.loop.energies(),
                     .largest_force = parts_.loop.largest_force(),
                     .events = {},
                     .written = outputs_.all(),
                     .checkpoint = saved_};
  if (check_) summary.self_check = check_->summary();
  if (outputs_.droplet_observer() != nullptr) summary.events = outputs_.droplet_observer()->event_counts();
  if (saved_) summary.written.push_back(*saved_);
  // No map yet.
  std::erase_if(summary.written, [](const auto& path) { return !std::filesystem::exists(path); });
  summary.seconds = parts_.timings.total_seconds();
  summary.timings = timing_table(parts_.timings, parts_.loop.step() - (from_ != nullptr ? from_->state.step : 0));
  return summary;
}

}  // namespace

RunSummary run_job(const RunConfig& config, const RunHooks& hooks, const Checkpoint* from) {
  return RunJob(config, hooks, from).run();
}

}  // namespace dropmd
