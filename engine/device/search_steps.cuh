#pragma once

#include <memory>
#include <optional>
#include <string>

#include "device/loop_graph.cuh"
#include "device/pinned.cuh"
#include "engine/device/step_launches.cuh"
#include "engine/step/one_step.h"

namespace dropmd {

/// Steps of a run with a neighbour structure, which becomes stale at a step that the host cannot predict: the device
/// therefore performs steps in a loop and rebuilds the structure in an outer loop. For a run without a neighbour
/// structure it only counts the steps.
template <class Real, class Motion>
class SearchSteps {
 public:
  /// Both must outlive this object. skin: of the neighbour structure; with 0 every step makes it stale.
  SearchSteps(DeviceAtoms<Real>& atoms, StepLaunches<Real, Motion>& launches, double skin)
      : atoms_(atoms), launches_(launches), keeps_(skin > 0) {}

  /// Continues from this complete step; waits.
  void begin_at(std::int64_t step) {
    target_ = static_cast<std::uint64_t>(step);
    atoms_.set_clock(target_);
    launches_.begin();
  }

  /// Enqueues the steps from the present complete step up to `last`. If the capacity of the neighbour structure is too
  /// small, they end early: see last_made().
  void make(std::int64_t last) {
    set_target(last);
    launches_.move_and_fill();
    launch_loop();
  }

  /// Limits everything that is enqueued from now on to this step.
  void set_target(std::int64_t step) {
    target_ = static_cast<std::uint64_t>(step);
    set_word_kernel<<<1, 1, 0, atoms_.cuda.get()>>>(atoms_.d_last_step.data(), target_);
    DROPMD_CUDA_LAUNCHED("setting the last step");
  }

  /// Starts a copy of the errors, and of the progress of the steps, to the host.
  void start_reading() {
    atoms_.sums.errors().start_reading();
    if (!atoms_.forces.pairs().searches()) return;
    atoms_.forces.start_reading(atoms_.cuda);
    atoms_.d_clock.store(h_clock_);
  }

  /// Returns whether all enqueued steps were performed, as far as the host has read.
  bool last_made() const {
    return !atoms_.forces.pairs().searches() || *h_clock_ == StepClock(target_, StepClock::complete);
  }

  /// Performs the remaining steps, reallocating the neighbour structure if necessary; waits. Returns false if physics
  /// broke.
  bool make_last() {
    if (!atoms_.forces.pairs().searches()) return true;
    for (std::optional<StepClock> before;;) {
      start_reading();
      if (atoms_.wait()) return false;
      if (last_made()) return true;
      if (atoms_.forces.reallocate(atoms_.cuda))
        launches_.drop_void_graphs();
      else if (before && *before == *h_clock_)
        throw DeviceError("the steps on the GPU are stuck at step " + std::to_string(h_clock_->step()) +
                          " (a defect in dropmd: please report it with the run file)");
      before = *h_clock_;
      launch_loop();
    }
  }

 private:
  /// Number of steps in an iteration of the loop. Those after the structure has become stale are wasted, which is
  /// weighed against the cost of an iteration.
  static constexpr int kStepsPerIteration = 4;

  void launch_loop() {
    launches_.launch_loop([&] { return keeps_ ? loop_with_kept_search() : loop_with_searches(); });
    launches_.complete_atoms();
  }

  LoopGraph loop_with_kept_search() {
    return LoopGraph::nested(
        atoms_.cuda,
        [&](LoopCondition outer, LoopCondition inner) {
          launches_.refresh();
          set_conditions(outer, inner);
        },
        [&](LoopCondition outer, LoopCondition inner) {
          // The outer loop refreshes the neighbour structure.
          FusedStages<Real, Motion, false> stages{launches_};
          for (int k = 0; k < kStepsPerIteration; ++k) make_fused_step(stages);
          set_conditions(outer, inner);
        });
  }

  LoopGraph loop_with_searches() {
    return LoopGraph::once(atoms_.cuda, [&](LoopCondition loop) {
      FusedStages<Real, Motion, true> stages{launches_};
      for (int k = 0; k < kStepsPerIteration; ++k) make_fused_step(stages);
      set_conditions(loop, std::nullopt);
    });
  }

  void set_conditions(LoopCondition outer, std::optional<LoopCondition> inner) {
    loop_condition_kernel<<<1, 1, 0, atoms_.cuda.get()>>>(atoms_.view, outer, inner.value_or(outer), inner.has_value());
    DROPMD_CUDA_LAUNCHED("performing steps on the device");
  }

  DeviceAtoms<Real>& atoms_;
  StepLaunches<Real, Motion>& launches_;
  bool keeps_;                 ///< whether a neighbour structure serves several steps
  Pinned<StepClock> h_clock_;  ///< clock of the first tile
  std::uint64_t target_ = 0;   ///< the last of the steps launched
};

}  // namespace dropmd
