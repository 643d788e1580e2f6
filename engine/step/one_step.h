#pragma once

/// One step, stated once. An executor has an object with a function for each stage; here is their order.
namespace dropmd {

/// From the positions of a step to the complete step. For step 0, of which no integrator makes a part, finish() does
/// nothing.
template <class Stages>
void complete_step(Stages& stages) {
  stages.recenter();
  stages.add_terms();
  stages.finish();
  stages.remove_momentum();
}

/// From a complete step to the complete step after it.
template <class Stages>
void make_step(Stages& stages) {
  stages.move();
  complete_step(stages);
}

}  // namespace dropmd
