#pragma once

#include "engine/methods/tuner.h"

namespace dropmd {

/// A tuner that decides at the start, by few steps of each candidate: 4 steps of at most 18 on a CPU.
inline TunerPolicy hasty_tuner() {
  TunerPolicy policy;
  policy.least_steps = 1;
  policy.largest_share = 1e9;
  policy.trial_seconds = policy.longest_trial = policy.screen_seconds = 0;
  policy.trial_steps = policy.screen_steps = policy.warm_steps = 2;
  policy.rounds = 1;
  return policy;
}

}  // namespace dropmd
