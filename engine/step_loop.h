#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <vector>

#include "core/clock.h"
#include "core/run/run_settings.h"
#include "core/run/run_state.h"
#include "core/timings.h"
#include "engine/device/device_run.h"
#include "engine/force_field.h"
#include "engine/methods/method_source.h"
#include "engine/model/system.h"
#include "engine/observer.h"
#include "engine/physics_guard.h"
#include "integrators/integrator.h"

namespace dropmd {

/// not_converged: a minimiser reached its last step before its minimum. out_of_tolerance: ended by a self-check.
/// out_of_time: stopped to end within a limit of wall time.
enum class RunEnd { finished, converged, not_converged, interrupted, out_of_tolerance, out_of_time };

/// The timestep loop. One step is
///
///   1. the integrator moves the atoms                      (not at step 0)
///   2. recentring, at steps divisible by its interval
///   3. forces, and energies where somebody wants them
///   4. the integrator finishes the velocities              (not at step 0)
///   5. momentum removal, at the steps of recentring
///   6. checks; then observers see the step
///
/// Where the method allows it, the steps are made on a GPU (DeviceRun) up to the next that somebody wants to see; while
/// it is looked at, the GPU makes those after it.
class StepLoop {
 public:
  /// Checks the start: throws PhysicsError for overlapping atoms. system is changed by run(); system, config and
  /// timings outlive the simulation. source: says how pairs are found, from step to step, instead of the method; the
  /// other members of the method, such as the processor, stay. None: the method for all steps, with a fitting skin.
  /// from: the state of a run of the same system and configuration, which goes on, with the method, and to the same
  /// bytes where that is the state's; null: it starts.
  StepLoop(System& system, const RunSettings& config, const Method& method, Timings& timings,
           std::unique_ptr<MethodSource> source = nullptr, const RunState* from = nullptr);

  using SwitchHook = std::function<void(const MethodChoice&)>;
  /// Is told each choice of the source that is another than the one before, and the first.
  void on_switch(SwitchHook hook) { on_switch_ = std::move(hook); }

  using SortingHook = std::function<void(std::int64_t step, std::int64_t interval)>;
  /// Is told at how many steps from one to the next a GPU sorts its atoms, and since which step: at the start, and when
  /// it is another than at the look before.
  void on_sorting(SortingHook hook) { on_sorting_ = std::move(hook); }

  void add_observer(std::unique_ptr<Observer> observer) { observers_.push_back(std::move(observer)); }

  /// Runs from step 0, or the state's, to config.steps, or until the integrator has converged, or `stop` says so after
  /// a step; then the observers finish. Throws PhysicsError, OutputError, DeviceError, and std::invalid_argument for a
  /// state of another run.
  RunEnd run(const std::function<bool()>& stop);

  /// Runs on to step `last`, whose state and energies are then known; to be called as often as wanted, instead of
  /// run().
  RunEnd run_to(std::int64_t last, const std::function<bool()>& stop);

  /// Of the complete step that observers see, those that may end the run at it.
  RunState state();

  const Method& method() const { return method_; }  ///< in use
  std::int64_t step() const { return step_; }
  double time() const { return static_cast<double>(step_) * integrator_->timestep(); }
  /// Energies of the last step for which they were computed; always known after run().
  const EnergyRow& energies() const { return row_; }
  const PairSums& pairs() const { return pairs_; }
  const std::vector<Vec3<double>>& force() const { return force_; }
  double largest_force() const;

 private:
  void start();
  void start_or_go_on();
  void go_on_from(const RunState& state);
  RunEnd step_until_end(const std::function<bool()>& stop);
  void ask_for_method();
  bool try_to_switch(const MethodChoice& choice, bool may_be_refused);
  void switch_to(const MethodChoice& choice);
  void use(const Method& method);
  StepSums sums_here();
  void start_steps();
  void step_on_device(bool go_ahead);
  std::int64_t next_seen_step() const;
  bool convergence_asked() const;
  bool may_end_here() const;
  void make_broken_step();
  void take_forces_from_device();
  void tell_sorting();
  void fetch_state();
  bool energies_wanted(std::int64_t step) const;
  void reach_step();
  void show_step(bool energies);
  bool complete_step();
  void make_step();
  void move();
  ForceField::Result host_energies();
  ForceField::Result with_kinetic(ForceField::Result result) const;
  void record_energies(const ForceField::Result& result);
  bool recentering_step() const;
  Moment now() const { return {system_.particles.position, time()}; }

  System& system_;
  const RunSettings& config_;
  Cpu cpu_;
  Timings& timings_;
  std::unique_ptr<MethodSource> source_;  ///< null: one method for all steps
  Method method_;                         ///< in use
  ForceField force_field_;                ///< of the host; beside a GPU for forces that it cannot hold
  std::size_t n_dof_;
  std::unique_ptr<Integrator> integrator_;
  PhysicsGuard guard_;
  std::unique_ptr<DeviceRun> device_;  ///< null where the host makes the steps
  std::vector<double> learnt_;         ///< by the integrator, at the last switch on a GPU
  SortPace sort_pace_;                 ///< likewise
  std::int64_t device_steps_ = 1;      ///< at most so many without the host
  std::int64_t steps_started_ = 0;     ///< on the device, and not yet finished
  Clock clock_ = steady_seconds;
  StepReport report_;         ///< for the source: of the steps since its last order
  std::int64_t ask_at_;       ///< step at which the source is asked again
  bool steps_timed_ = false;  ///< the source wants to know their time
  SwitchHook on_switch_ = [](const MethodChoice&) {};
  SortingHook on_sorting_ = [](std::int64_t, std::int64_t) {};
  std::int64_t told_interval_ = 0;  ///< to on_sorting_; none yet
  std::vector<std::unique_ptr<Observer>> observers_;
  std::vector<Vec3<double>> force_;
  std::unique_ptr<const RunState> from_;  ///< until the first step
  bool started_ = false;
  std::int64_t last_step_;
  std::int64_t step_ = 0;
  std::int64_t state_step_ = -1;  ///< step that system_.particles and force_ belong to
  EnergyRow row_{.step = -1, .time = 0, .energies = {}, .temperature = 0};  ///< of no step yet
  PairSums pairs_;
};

}  // namespace dropmd
