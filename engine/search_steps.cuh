#pragma once

#include "device/pinned.cuh"
#include "engine/list_pace.h"
#include "engine/step_launches.cuh"

namespace dropmd {

/// Steps with a search for neighbours, enqueued in advance. It goes stale in the midst of them, nobody knows when: what
/// is launched of a piece then does nothing, and the next piece begins with a new search. Pieces should do for most of
/// such steps; last_made() says whether they did. Of a run without a search it only counts the steps.
template <class Real, class Motion>
class SearchSteps {
 public:
  /// Both outlive this. skin: of the search.
  SearchSteps(DeviceAtoms<Real>& atoms, StepLaunches<Real, Motion>& launches, double skin)
      : atoms_(atoms), launches_(launches), piece_steps_(piece_steps(skin)), pace_(piece_steps_) {}

  /// Goes on from this complete step; waits.
  void begin_at(std::int64_t step) {
    target_ = static_cast<std::uint64_t>(step);
    atoms_.set_clock(target_);
  }

  /// Enqueues the steps after `from`, n of them.
  void make(std::int64_t from, std::int64_t n) {
    pace_.begin(static_cast<std::uint64_t>(from), atoms_.pairs->builds());
    set_target(from + n);
    launches_.move_and_fill();
    launch_pieces(n);
  }

  /// What is enqueued from here on ends at this step, however much it is.
  void set_target(std::int64_t step) {
    target_ = static_cast<std::uint64_t>(step);
    set_word_kernel<<<1, 1, 0, atoms_.cuda.get()>>>(atoms_.d_last_step.data(), target_);
    DROPMD_CUDA_LAUNCHED("setting the last step");
  }

  /// Starts a copy of the errors, and of how far the steps have come, to the host.
  void start_reading() {
    atoms_.sums.errors().start_reading();
    if (!atoms_.pairs->searches()) return;
    atoms_.pairs->start_reading();
    atoms_.d_clock.download({h_clock_.get(), 1});
  }

  /// Whether all steps that were enqueued are made, as far as the host has read.
  bool last_made() const { return !atoms_.pairs->searches() || *h_clock_ == StepClock(target_, StepClock::complete); }

  /// Makes what is left of them, with room for the search where there was none; waits. False if something broke.
  bool make_last() {
    if (!atoms_.pairs->searches()) return true;
    for (;;) {
      start_reading();
      if (atoms_.wait()) return false;
      if (last_made()) {
        count_builds();
        return true;
      }
      if (atoms_.pairs->grow(atoms_.cuda)) launches_.drop_void_graphs();
      launch_pieces(static_cast<std::int64_t>(target_ - h_clock_->step()) + 1);
    }
  }

  /// As they were read.
  void count_builds() { pace_.count(h_clock_->step(), atoms_.pairs->builds()); }

 private:
  void launch_pieces(std::int64_t n) {
    const std::int64_t pieces = pace_.pieces(n);
    for (std::int64_t i = 0; i < pieces; ++i)
      launches_.launch_graph([&] {
        atoms_.pairs->build_if_stale(atoms_.cuda, atoms_.view.tiles);
        for (std::int64_t k = 0; k < piece_steps_; ++k) {
          launches_.add_forces();
          launches_.finish_and_move();
        }
      });
  }

  DeviceAtoms<Real>& atoms_;
  StepLaunches<Real, Motion>& launches_;
  std::int64_t piece_steps_;
  ListPace pace_;
  Pinned<StepClock> h_clock_;  ///< of the first tile
  std::uint64_t target_ = 0;   ///< the last of the steps launched
};

}  // namespace dropmd
