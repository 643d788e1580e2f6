#include "engine/jobs/run_job.h"

#include <fmt/core.h>

#include <algorithm>
#include <optional>
#include <ostream>
#include <stdexcept>
#include <string>
#include <utility>

#include "core/errors.h"
#include "engine/droplet/atom_groups.h"
#include "engine/droplet/event_text.h"
#include "engine/jobs/run_checkpoint.h"
#include "engine/jobs/run_outputs.h"
#include "engine/jobs/run_warnings.h"
#include "engine/ledger/causes.h"
#include "engine/map_observer.h"
#include "engine/mesh_check.h"
#include "engine/methods/make_method_source.h"
#include "engine/methods/method_rule.h"
#include "engine/model/coulomb_division.h"
#include "engine/molecules/molecules.h"
#include "engine/observers.h"
#include "engine/outer_step_rules.h"
#include "engine/time_limit.h"
#include "inputs/choices_file.h"
#include "inputs/run_file/input_files.h"
#include "inputs/run_file/resolved_run.h"
#include "inputs/run_file/run_config.h"
#include "inputs/structures/structure_file.h"
#include "integrators/integrator.h"
#include "outputs/checkpoint/checkpoint_file.h"
#include "outputs/structures/structure_file.h"
#include "outputs/timing_table.h"
#include "outputs/timings_csv.h"

namespace dropmd {

namespace {

/// Returns the choices that a run replays: those of a file, or those that it replayed before, unless it continues in
/// another way.
std::vector<MethodChoice> replayed_choices(const RunConfig& config, const Method& method, const Checkpoint* from) {
  if (!config.choices.empty()) return read_choices_file(config.choices);
  const bool as_before = from != nullptr && config.neighbor == NeighborMethod::automatic &&
                         method.backend == from->state.backend && method.precision == from->state.precision;
  return as_before ? from->replayed : std::vector<MethodChoice>{};
}

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
  System read_system();
  std::unique_ptr<MethodSource> method_source();
  std::vector<ChoiceComment> replayed_comments() const;
  void add_actions();
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
  void save();
  bool failed() const { return check_ && !check_->summary().ok(); }
  void say_events();
  void say_molecules_left();
  void write_final_structure();
  RunSummary summary(RunEnd end);

  const RunConfig& config_;
  const RunHooks& hooks_;
  const Checkpoint* from_;
  Timings timings_;
  System system_;
  Method method_;
  std::vector<MethodChoice> replayed_;
  std::unique_ptr<MethodSource> source_;  ///< until the simulation takes it
  RunOutputs outputs_;
  StepLoop simulation_;
  MapObserver* maps_ = nullptr;  ///< null: the run computes no maps
  std::optional<SelfCheck> check_;
  std::optional<Progress> progress_;
  std::optional<TimingsCsv> timings_file_;
  std::optional<StatusFile> status_;
  std::optional<TimeLimit> limit_;
  Checkpoint checkpoint_;
  std::size_t n_repeated_ = 0;  ///< number of comments on replayed choices that are already in the file
  std::int64_t saved_at_ = -1;  ///< prevents that the last step replaces the previous checkpoint, too
  std::optional<std::filesystem::path> saved_;
};

RunJob::RunJob(const RunConfig& config, const RunHooks& hooks, const Checkpoint* from)
    : config_(config),
      hooks_(hooks),
      from_(from),
      system_(read_system()),
      method_(choose_by_rule(config, system_)),
      replayed_(replayed_choices(config, method_, from)),
      source_(method_source()),
      outputs_(config, source_ != nullptr && source_->needs_record(),
               causes_of(config, system_, changes_population(config, from, hooks.actions)), files_from(config, from),
               from != nullptr ? from->state.droplet : std::nullopt),
      simulation_(system_, config, method_, timings_, std::move(source_), from != nullptr ? &from->state : nullptr),
      checkpoint_(checkpoint_of(config, system_)) {
  add_actions();
  open_outputs();
  add_self_check();
  checkpoint_.replayed = replayed_;
  checkpoint_.replayed_comments = replayed_comments();
  if (from_ != nullptr) checkpoint_.choices = from_->choices;
  record_choices();
  add_status();
  say_start();
  add_mesh_check();
  add_progress();
  add_checkpoints();
}

System RunJob::read_system() {
  const Timings::Scope scope(timings_, "inputs");
  System system = from_ != nullptr ? continued_system(config_, *from_) : dropmd::read_system(config_);
  if (from_ != nullptr) {
    require_steps_left(config_, from_->state);
    require_loadable_state(config_, system, from_->state);
    require_same_actions(config_, *from_, hooks_.actions);
  }
  set_first_groups(system, config_, from_ != nullptr ? from_->state.droplet : std::nullopt);
  require_outer_steps(config_, system, from_ != nullptr ? from_->state.step : 0, hooks_.self_check_every);
  for (std::string& warning : run_warnings(config_, system)) system.warnings.push_back(std::move(warning));
  return system;
}

std::vector<ChoiceComment> RunJob::replayed_comments() const {
  if (replayed_.empty()) return {};
  return config_.choices.empty() ? from_->replayed_comments : read_choice_comments(config_.choices);
}

std::unique_ptr<MethodSource> RunJob::method_source() {
  const auto log = [this](std::int64_t step, const std::string& text, const std::string& details) {
    if (outputs_.choices() != nullptr)
      outputs_.choices()->comment(step, details.empty() ? text : text + "; " + details);
    hooks_.said(step, text);
    if (!details.empty()) hooks_.detailed(step, details);
  };
  return make_method_source(config_, method_, system_, replayed_, hooks_.tuner.value_or(tuner_policy(method_.backend)),
                            log);
}

void RunJob::add_actions() {
  for (PopulationAction& action : actions_to_come(from_, hooks_.actions)) simulation_.add_action(std::move(action));
  simulation_.on_booking(hooks_.booked);
  simulation_.on_segment([this] {
    method_ = choose_by_rule(config_, system_);
    return StepLoop::SegmentMethod{method_, method_source()};
  });
}

void RunJob::open_outputs() {
  std::unique_ptr<MapObserver> maps;
  if (makes_maps(config_))
    maps = std::make_unique<MapObserver>(config_, system_, method_, outputs_.map_files(), timings_,
                                         from_ != nullptr ? from_->map : std::nullopt, hooks_.said);
  maps_ = maps.get();
  outputs_.check(input_files(config_), hooks_.overwrite);
  outputs_.open(system_, hooks_.overwrite, simulation_, changes_population(config_, from_, hooks_.actions), timings_);
  if (maps) simulation_.add_observer(std::move(maps));
}

void RunJob::add_mesh_check() {
  if (!system_.mesh) return;
  hooks_.said(simulation_.step(), describe_mesh(system_, simulation_.method().backend));
  simulation_.check_mesh(MeshCheck([this](std::int64_t step, const std::string& text) { hooks_.said(step, text); }));
}

void RunJob::add_self_check() {
  if (hooks_.self_check_every == 0) return;
  check_.emplace(system_, method_, config_.random_seed, hooks_.self_check_every);
  simulation_.add_observer(std::make_unique<SelfCheckObserver>(*check_, timings_));
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
  simulation_.on_switch([this](const MethodChoice& choice) {
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
  simulation_.on_sorting([this](std::int64_t step, std::int64_t interval) {
    hooks_.detailed(step, "the atoms are sorted every " + std::to_string(interval) + " steps");
  });
  hooks_.started(simulation_.method(), system_);
  if (const std::string peers = simulation_.describe_peers(); !peers.empty()) hooks_.said(simulation_.step(), peers);
  if (maps_ != nullptr && !has_charges(system_))
    hooks_.said(simulation_.step(), "no atom has a charge: the potential of the maps is zero everywhere");
}

void RunJob::add_status() {
  StatusFile::Options options{.first_step = simulation_.step(), .last_step = config_.steps};
  if (from_ != nullptr) options.checkpoint_step = from_->state.step;
  timings_file_.emplace(outputs_.timings_csv(), timings_, simulation_.step(), files_from(config_, from_) != nullptr);
  status_.emplace(outputs_.status(), options);
  status_->on_written([this](std::int64_t step) { timings_file_->write(step); });
  simulation_.add_observer(std::make_unique<StatusObserver>(*status_, hooks_.reached));
}

void RunJob::add_progress() {
  if (hooks_.progress == nullptr) return;
  progress_.emplace(*hooks_.progress, system_.units,
                    ProgressOptions{.terminal = hooks_.terminal,
                                    .columns = hooks_.columns,
                                    .first_step = simulation_.step(),
                                    .first_time = simulation_.time(),
                                    .last_step = config_.steps});
  simulation_.add_observer(std::make_unique<ProgressObserver>(*progress_));
  if (DropletObserver* const droplet = outputs_.droplet_observer()) {
    droplet->on_row([this](const DropletRow& row) { progress_->set_droplet(row); });
    droplet->on_other_droplet([this](std::int64_t step) {
      hooks_.said(step, "the droplet is another one than at the label before: most of its molecules were not members");
    });
  }
}

void RunJob::add_checkpoints() {
  if (!makes_checkpoints(config_)) return;
  constexpr double kSecondsPerMinute = 60;
  const CheckpointIntervals intervals{config_.checkpoint_every, kSecondsPerMinute * config_.checkpoint_minutes};
  simulation_.add_observer(std::make_unique<CheckpointObserver>([this] { save(); }, intervals));
}

void RunJob::save() {
  if (std::exchange(saved_at_, simulation_.step()) == simulation_.step()) return;
  repeat_comments(simulation_.step());
  const Timings::Scope scope(timings_, "checkpoints");
  const double begin = timings_.total_seconds();
  checkpoint_.state = simulation_.state();
  if (system_.mesh) checkpoint_.coulomb_mesh = system_.mesh->numbers();  // it may have been refined
  take_constants(system_, checkpoint_);
  if (changes_population(config_, from_, hooks_.actions))
    checkpoint_.population_actions = simulation_.actions_to_come();
  checkpoint_.state.droplet = outputs_.droplet_state();
  checkpoint_.outputs = outputs_.synced_marks();
  if (maps_ != nullptr) {
    maps_->write_average(simulation_.step());
    checkpoint_.map = maps_->state();
  } else if (from_ != nullptr) {
    checkpoint_.map = from_->map;  // maps may be wanted again
  }
  write_checkpoint(outputs_.checkpoint(), checkpoint_);
  checkpoint_.map.reset();  // it may be large
  if (limit_) limit_->saved(timings_.total_seconds() - begin);
  status_->set_checkpoint(simulation_.step());
  hooks_.saved(simulation_.step(), outputs_.checkpoint());
}

RunEnd RunJob::make_steps() {
  if (hooks_.max_seconds)
    limit_.emplace(*hooks_.max_seconds, timings_.total_seconds(), seconds_to_save(system_, maps_));
  bool out_of_time = false;
  const RunEnd end = simulation_.run([&] {
    out_of_time = limit_ && limit_->reached();
    return failed() || hooks_.stop() || out_of_time || outputs_.unfit_frame() != nullptr;
  });
  if (failed()) return RunEnd::out_of_tolerance;
  return end == RunEnd::interrupted && out_of_time && !hooks_.stop() ? RunEnd::out_of_time : end;
}

RunSummary RunJob::run() {
  const RunEnd end = make_steps();
  repeat_comments(simulation_.step());
  if (outputs_.choices() != nullptr) outputs_.choices()->close();
  const UnfitFrame* const unfit = outputs_.unfit_frame();
  const bool stopped = end == RunEnd::interrupted || end == RunEnd::out_of_time || unfit != nullptr;
  if ((makes_checkpoints(config_) || stopped) && !failed()) {
    save();
    saved_ = outputs_.checkpoint();
  }
  say_events();
  write_final_structure();
  say_molecules_left();
  if (unfit != nullptr && !failed()) throw UnfitFrame(*unfit);
  status_->end(state_of(end));
  return summary(end);
}

/// Says how many clusters and molecules left and joined the droplet in this part of the run.
void RunJob::say_events() {
  if (outputs_.droplet_observer() == nullptr) return;
  hooks_.said(simulation_.step(), "events of the droplet: " + describe(outputs_.droplet_observer()->event_counts()));
}

/// Says which molecules of a topology are left, since a run that begins with the final structure needs a topology of
/// these.
void RunJob::say_molecules_left() {
  if (!outputs_.final_structure() || !system_.molecules || system_.molecules->size() == system_.particles.size())
    return;
  if (const std::string left = present_molecules(system_); !left.empty())
    hooks_.said(simulation_.step(),
                fmt::format("{} has {} of the molecules in {} (a run that begins with it needs a "
                            "topology of these)",
                            outputs_.final_structure()->filename().string(), left, system_.molecules->file));
}

void RunJob::write_final_structure() {
  const auto& path = outputs_.final_structure();
  if (!path) return;
  const Timings::Scope scope(timings_, "outputs");
  Particles last = system_.particles;
  if (is_minimizer(config_.integrator)) last.velocity.clear();  // they belong to no temperature
  write_structure_file(*path,
                       {.particles = last,
                        .units = &system_.units,
                        .title = system_.title,
                        .radius = system_.radius,
                        .step = simulation_.step(),
                        .time = simulation_.time(),
                        .names = atom_names_of(system_)},
                       hooks_.overwrite || files_from(config_, from_) != nullptr);
}

RunSummary RunJob::summary(RunEnd end) {
  RunSummary summary{.end = end,
                     .steps = simulation_.step(),
                     .last = simulation_.energies(),
                     .largest_force = simulation_.largest_force(),
                     .events = {},
                     .written = outputs_.all(),
                     .checkpoint = saved_};
  if (check_) summary.self_check = check_->summary();
  if (outputs_.droplet_observer() != nullptr) summary.events = outputs_.droplet_observer()->event_counts();
  if (saved_) summary.written.push_back(*saved_);
  // No map yet.
  std::erase_if(summary.written, [](const auto& path) { return !std::filesystem::exists(path); });
  summary.seconds = timings_.total_seconds();
  summary.timings = timing_table(timings_, simulation_.step() - (from_ != nullptr ? from_->state.step : 0));
  return summary;
}

}  // namespace

RunSummary run_job(const RunConfig& config, const RunHooks& hooks, const Checkpoint* from) {
  return RunJob(config, hooks, from).run();
}

}  // namespace dropmd
