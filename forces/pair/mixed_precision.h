#pragma once

#include "forces/pair/pair_model.h"

namespace dropmd {

/// The narrowest switching window of mixed precision, as a fraction of the cutoff. Within the window forces change by
/// their own magnitude, while r² and positions are rounded independently of its width. If all pairs lie in a window of
/// 5%, force errors are 2 to 4.6e-6 of the RMS force, and in one of 2% they are 5 to 10e-6 (lattices of spacing 2.5 σ
/// with random displacements, on a CPU).
inline constexpr double kNarrowestMixedWindow = 0.05;

/// The largest `switch-from` of mixed precision.
inline double last_mixed_switch(double cutoff) { return (1 - kNarrowestMixedWindow) * cutoff; }

/// Returns whether mixed precision keeps its error bounds for a model.
inline bool suits_mixed_precision(const PairModel& model) {
  constexpr double kRounded = 1 + 1e-12;
  return !model.lj || !model.lj->has("switch-from") ||
         model.lj->at("switch-from") <= last_mixed_switch(model.lj->at("cutoff")) * kRounded;
}

}  // namespace dropmd
