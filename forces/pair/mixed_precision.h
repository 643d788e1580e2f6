#pragma once

#include "forces/pair/pair_model.h"

namespace dropmd {

/// The narrowest switching window of mixed precision, as a share of the cutoff. Forces in the window change by their
/// own size from one end to the other, while r² and positions are rounded whatever its width. Where all pairs lie in a
/// window of 5%, forces are off by 2 to 4.6e-6 of their RMS, in one of 2% by 5 to 10e-6 (lattices of spacing 2.5 σ with
/// random displacements, on a CPU).
inline constexpr double kNarrowestMixedWindow = 0.05;

/// The largest `switch-from` of mixed precision.
inline double last_mixed_switch(double cutoff) { return (1 - kNarrowestMixedWindow) * cutoff; }

/// Whether mixed precision keeps its bounds for a model.
inline bool suits_mixed_precision(const PairModel& model) {
  constexpr double kRounded = 1 + 1e-12;
  return !model.lj || !model.lj->has("switch-from") ||
         model.lj->at("switch-from") <= last_mixed_switch(model.lj->at("cutoff")) * kRounded;
}

}  // namespace dropmd
