#pragma once

#include "core/run/run_settings.h"
#include "engine/methods/method_source.h"
#include "engine/model/system.h"

namespace dropmd {

/// What the time of a step depends on besides the method, the model and the device.
struct Workload {
  double atoms = 0;
  double pairs = 0;         ///< within the larger cutoff, each counted once
  double fastest_move = 0;  ///< length that the fastest atom moves in a step
};

/// The speed of the fastest atom, length/time.
double largest_speed(const Particles& particles);

/// From the sums of a step. The fastest atom is the one of the moment, or of the lightest atoms at the thermostat's
/// temperature where that is faster.
Workload workload_of(const System& system, const RunSettings& config, const StepSums& sums);

/// At the start. Pairs are counted around a sample of the atoms, the same one for every number of threads.
Workload workload_at_start(const System& system, const RunSettings& config, Cpu cpu);

}  // namespace dropmd
