#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "core/clock.h"
#include "core/run/run_settings.h"
#include "core/run/run_state.h"
#include "core/timings.h"
#include "device/communicator/run_ranks.h"
#include "engine/executors/executor.h"
#include "engine/ledger/population_ledger.h"
#include "engine/mesh_check.h"
#include "engine/methods/method_switching.h"
#include "engine/model/system.h"
#include "engine/observer.h"
#include "engine/population/molecule_assembly.h"
#include "engine/population/population_change.h"

namespace dropmd {

/// Why a run ended. not_converged: a minimiser reached its last step before its minimum. out_of_tolerance: ended by a
/// self-check. out_of_time: stopped to end within a limit of wall time.
enum class RunEnd { finished, converged, dried_up, not_converged, interrupted, out_of_tolerance, out_of_time };

/// The number of steps between two checks for signals while steps are performed in parallel with the host: as many as
/// take a fraction of a second.
class LookPace {
 public:
  std::int64_t steps() const { return steps_; }
  /// Returns whether made() needs to know the time of so many steps; fewer than the present number are fast enough.
  bool judges(std::int64_t steps) const { return steps >= steps_; }
  /// Reports performed steps and their time in seconds, 0 if it is not known. They may be more, up to an outer step.
  void made(std::int64_t steps, double seconds) {
    if (seconds > kSeconds) steps_ = std::max<std::int64_t>(1, steps_ / 2);
    if (seconds < 0.5 * kSeconds && steps >= steps_) steps_ *= 2;
  }
  /// The next step may break, too, so few steps should be wasted.
  void broke() { steps_ = 1; }

 private:
  static constexpr double kSeconds = 0.2;
  std::int64_t steps_ = 1;
};

/// The timestep loop: it decides which steps are observed, by whom, and when the run ends. An Executor performs the
/// steps up to the next observed one; if it runs ahead, it performs later steps while that one is observed. A step has
/// been checked before it is observed.
///
/// If several processes perform a run together (Method::ranks), each has a loop of the same system. The observers, the
/// clock and the signals of the first one decide for all: every decision that depends on them goes through decided().
class StepLoop {
 public:
  /// Checks the start: throws PhysicsError for overlapping atoms. run() changes system; system, config and timings must
  /// outlive the simulation. source: decides from step to step how pairs are found, instead of the method, whose other
  /// members, such as the processor, stay; null: the method for all steps, with a fitting skin. from: the state of a
  /// run of the same system and configuration, which continues with this method, bitwise identically if that is the
  /// state's; null: a new run.
  StepLoop(System& system, const RunSettings& config, const Method& method, Timings& timings,
           std::unique_ptr<MethodSource> source = nullptr, const RunState* from = nullptr);

  /// hook: receives the first choice of the source, and each that differs from the previous one.
  void on_switch(MethodSwitching::Hook hook) { methods_.on_switch(std::move(hook)); }

  /// Whether the run can be reproduced only from a record of its choices.
  bool records_choices() const { return methods_.needs_record(); }

  using SortingHook = std::function<void(std::int64_t step, std::int64_t interval)>;
  /// hook: receives the reordering interval of a GPU and its first step: at the start, and when it has changed since
  /// the last observed step.
  void on_sorting(SortingHook hook) { on_sorting_ = std::move(hook); }

  /// The method and the source of a segment of a run whose population changes, instead of a single method for all
  /// segments.
  struct SegmentMethod {
    Method method;
    std::unique_ptr<MethodSource> source;
  };
  /// choose: is called for each new segment whose number of atoms differs so much that the method may differ, too.
  void on_segment(std::function<SegmentMethod()> choose) { choose_ = std::move(choose); }

  /// hook: receives what each change of the population has removed and added.
  void on_booking(std::function<void(const PopulationBooking&)> hook) { on_booking_ = std::move(hook); }

  /// Adds a change of the population that the run makes by itself. Changes must be added in the order of their steps; a
  /// run that resumes needs the same ones, and makes those of its own step and later ones. They must be at outer steps.
  void add_action(PopulationAction action);
  /// Sets the rule by which the run changes its population at intervals. A run that resumes applies it also at the step
  /// from which it resumes, which the run before has left unchanged. The interval must be of outer steps.
  void set_population_rule(PopulationRule rule);
  /// Returns the steps of the actions that are still to be made, ascending.
  std::vector<std::int64_t> actions_to_come() const;

  /// Measures the error of the mesh, if the system has one, at step 0 and at later steps of the check, and continues
  /// with the mesh that the check asks for. Observers see step 0 with that mesh, later steps before the check. A run
  /// that resumes at such a step makes the check again, with the same result. The change of energy that another mesh
  /// causes after step 0 is booked.
  void check_mesh(MeshCheck check);

  /// Ends a segment of the run at its present complete step and begins one with other atoms; to be called between two
  /// calls of run_to(). Step number, time, the integrator's internal state, random numbers and observers continue;
  /// degrees of freedom are determined again, and the method if the number of atoms has changed much. Throws as
  /// changed(), and PhysicsError for atoms that overlap; the run is then as before.
  void change_population(const PopulationChange& change);

  /// The same for molecules that have become others or are added, by replaced() or with_added() at the present step
  /// after fetch(). The change of energy is booked as that of added atoms. Throws PhysicsError for atoms that overlap;
  /// the run is then as before.
  void change_molecules(ChangedMolecules changed);

  /// Adds an observer; observers see a step in the order in which they were added.
  /// In a run with inner steps (core/outer_steps.h) they see only outer steps; throws std::invalid_argument for an
  /// observer whose interval is neither 1, for all of these, nor a multiple of theirs.
  void add_observer(std::unique_ptr<Observer> observer);

  /// Runs from step 0, or from the state, to config.steps, or until the integrator has converged, or until stop()
  /// returns true after a step; then the observers finish. Throws PhysicsError, OutputError, DeviceError, and
  /// std::invalid_argument for a state of another run.
  RunEnd run(const std::function<bool()>& stop);

  /// Continues to step `last`; may be called any number of times, instead of run(). The energies of that step are
  /// computed with it if find_energies() was called after the previous call. Throws std::invalid_argument for a
  /// step that is not an outer step (core/outer_steps.h).
  RunEnd run_to(std::int64_t last, const std::function<bool()>& stop);
  /// Brings state and forces of the present step to the system and to force(); to be called after run_to(). Before the
  /// first run_to() it does nothing.
  void fetch();
  /// Computes the energies of the present step, if they are not known yet; to be called after run_to().
  void find_energies();
  /// fetch() and find_energies().
  void complete();
  /// The atoms in the memory of a GPU at the present step, after run_to(); nullopt on a CPU and before.
  std::optional<DeviceArrays> device_arrays() const;
  /// Returns how several GPUs add up their forces, for the user; empty: the run does not use several.
  std::string describe_peers() const { return executor_->describe_peers(); }

  /// Returns the state of the complete step that observers see; for observers that may end the run at it.
  RunState state();

  const Method& method() const { return methods_.method(); }  ///< the method in use
  std::int64_t step() const { return from_ ? from_->step : executor_->step(); }
  double time() const { return static_cast<double>(step()) * timestep(); }
  /// In the run's time unit; 0 for minimisers.
  double timestep() const { return executor_->integrator().timestep(); }
  /// Energies of the last step for which they were computed; always known after run() and find_energies().
  const EnergyRow& energies() const { return row_; }
  const PairSums& pairs() const { return pairs_; }
  const std::vector<Vec3<double>>& force() const { return executor_->force(); }
  double largest_force() const { return executor_->largest_force(); }

 private:
  /// Returns what the first rank decided; without ranks, what this process did.
  template <class T>
  T decided(T mine) const {
    return from_first(method().ranks, mine);
  }
  /// Waits until the first rank has come here, too: to be called before work that all ranks do together and after calls
  /// that may fail in that one alone, such as those that write its outputs.
  void wait_for_first() const { decided(true); }
  void start();
  void resume_from(const RunState& state);
  void start_or_resume();
  RunEnd run_to_end(std::int64_t last, const std::function<bool()>& stop);
  RunEnd step_until_end(const std::function<bool()>& stop);
  void start_steps(std::int64_t last, bool go_on);
  std::int64_t next_whatever_is_seen_at(std::int64_t last) const;
  std::int64_t next_step_ahead() const;
  void make_steps(bool go_ahead);
  bool may_go_ahead() const;
  bool may_start_beyond(std::int64_t seen) const;
  std::int64_t next_seen_step_after(std::int64_t now) const;
  std::int64_t next_rule() const;
  std::int64_t next_action() const;
  void make_actions();
  bool make_mesh_check();
  std::int64_t next_mesh_check() const;
  void change_mesh(const CoulombMesh& mesh);
  void open_population_ledger();
  void open_mesh_ledger();
  void begin_segment(System&& system);
  void choose_segment_method(std::int64_t step);
  void book(Cause cause, std::vector<std::uint32_t> id, const RemovedSums& sums, double energy_before);
  bool convergence_asked() const;
  bool state_wanted() const;
  bool energies_wanted(std::int64_t step) const;
  StepSums sums_here();
  void record_energies(const ForceField::Result& result);
  void tell_sorting();
  void reach_step();
  void label_clusters();
  void show_step(const Executor::Progress& progress);

  System& system_;
  const RunSettings& config_;
  Timings& timings_;
  MethodSwitching methods_;
  std::size_t n_dof_;
  /// reuse_memory() from the first change of a run on a device; it outlives the executors.
  std::vector<std::shared_ptr<const void>> memory_;
  std::unique_ptr<Executor> executor_;
  LookPace look_pace_;
  std::int64_t steps_started_ = 0;  ///< started and not yet finished
  /// The last step of those that a GPU goes on with after the started ones, and that must be started next; 0: none.
  std::int64_t steps_under_way_to_ = 0;
  Clock clock_ = steady_seconds;
  SortingHook on_sorting_ = [](std::int64_t, std::int64_t) {};
  std::int64_t told_interval_ = 0;  ///< last interval that on_sorting_ received; 0: none yet
  std::vector<std::unique_ptr<Observer>> observers_;
  std::vector<std::uint32_t> labels_;  ///< of the step that observers see, if one asked for them
  std::optional<MeshCheck> mesh_check_;
  std::int64_t mesh_checked_ = -1;         ///< step of the last check
  std::vector<PopulationAction> actions_;  ///< changes of the population still to be made
  std::optional<PopulationRule> rule_;
  std::int64_t rule_applied_ = -1;  ///< step at which it was applied last
  bool has_dried_up_ = false;       ///< whether it found then that nothing more can happen
  PopulationLedger population_ledger_;
  std::function<SegmentMethod()> choose_;
  std::function<void(const PopulationBooking&)> on_booking_ = [](const PopulationBooking&) {};
  std::unique_ptr<const RunState> from_;  ///< until the first step
  bool started_ = false;
  std::int64_t last_step_;
  bool energies_at_last_ = true;  ///< whether they are computed with the last step
  bool energies_asked_ = false;   ///< whether find_energies() was called since then
  EnergyRow row_{.step = -1, .time = 0, .energies = {}, .temperature = 0};  ///< of no step yet
  PairSums pairs_;
};

}  // namespace dropmd
