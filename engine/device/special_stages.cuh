#pragma once

#include <cstdint>

#include "engine/actions/action_list.h"
#include "engine/device/search_steps.cuh"
#include "engine/device/step_maker.cuh"
#include "engine/step/one_step.h"

namespace dropmd {

/// The stages of a step that is performed apart, with all actions, launched one by one (engine/step/one_step.h). Act: a
/// function that enqueues an action; WaitFor: one that waits until the host knows the action's result.
template <class Real, class Motion, class Act, class WaitFor>
struct SpecialStages {
  StepLaunches<Real, Motion>& launches;
  SearchSteps<Real, Motion>& search_steps;
  StepMaker& maker;
  const ActionList& actions;
  Act act_on;
  WaitFor wait_for;
  std::int64_t step;
  bool searches;
  bool finds_scale;  ///< of the force sums, with everything rebuilt for the positions

  void move() {
    if (searches) {
      search_steps.set_target(step);
      launches.move_and_fill();
    } else {
      launches.move();
    }
  }
  void act(StepStage stage) { actions.for_each_due(stage, step, act_on); }
  void place_sites() {
    if (!searches) launches.place_sites();  // with a search, they followed the move
  }
  void refresh() {
    if (searches && !finds_scale)
      launches.refresh();
    else
      maker.refresh();
  }
  void add_terms() {
    if (finds_scale)
      maker.add_terms_in_fitting_scale(step);  // waits
    else if (searches)
      launches.add_forces();
    else
      maker.add_terms(step);
  }
  void finish() {
    launches.finish_step();
    actions.for_each_due(step, [&]<class One>(const One& action) {
      if constexpr (One::kHostWaits) wait_for(action);
    });
  }
};

}  // namespace dropmd
