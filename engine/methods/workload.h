#pragma once

#include "core/run/run_settings.h"
#include "engine/methods/method_source.h"
#include "engine/model/system.h"

namespace dropmd {

/// What determines the time of a step besides the method, the model and the device.
struct Workload {
  double atoms = 0;
  double pairs = 0;         ///< pairs within the larger cutoff, each counted once
  double fastest_move = 0;  ///< distance that the fastest atom moves in a step, length
};

/// Returns the speed of the fastest atom, length/time.
double largest_speed(const Particles& particles);

/// Returns the workload from the sums of a step. The fastest atom is that of the present step or, if faster, that of
/// the lightest atoms at the thermostat's temperature.
Workload workload_of(const System& system, const RunSettings& config, const StepSums& sums);

/// Returns the workload at the start. Pairs are counted around a sample of the atoms, which is the same for every
/// number of threads.
Workload workload_at_start(const System& system, const RunSettings& config, Cpu cpu);

}  // namespace dropmd
