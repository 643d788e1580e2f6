#pragma once

#include "engine/actions/action.h"

/// One step, stated once. An executor has an object with a function for each stage; here is their order.
namespace dropmd {

/// From the positions of a step to the complete step, with the actions that are due. For step 0, of which no integrator
/// makes a part, finish() does nothing.
template <class Stages>
void complete_step(Stages& stages) {
  stages.act(StepStage::moved);
  stages.add_terms();
  stages.finish();
  stages.act(StepStage::finished);
}

/// From a complete step to the complete step after it.
template <class Stages>
void make_step(Stages& stages) {
  stages.move();
  complete_step(stages);
}

}  // namespace dropmd
