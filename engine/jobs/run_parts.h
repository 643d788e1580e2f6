#pragma once

#include <vector>

#include "core/run/checkpoint.h"
#include "core/timings.h"
#include "engine/jobs/run_job.h"
#include "engine/methods/method.h"
#include "engine/methods/method_source.h"
#include "engine/model/system.h"
#include "engine/step_loop.h"
#include "inputs/run_file/run_config.h"

namespace dropmd {

/// What a run computes with, prepared from its inputs: without outputs, and in the same way by every process that
/// performs the run.
struct RunParts {
  /// Arguments as of run_job(), which must outlive this object; throws as run_job(). log: receives comments on choices
  /// of methods, from the first step on.
  RunParts(const RunConfig& config, const RunHooks& hooks, const Checkpoint* from, const MethodLog& log);
  RunParts(const RunParts&) = delete;
  RunParts& operator=(const RunParts&) = delete;

  Timings timings;
  System system;
  Method method;                       ///< of the present number of atoms, by rule
  std::vector<MethodChoice> replayed;  ///< choices of another run that this one makes again
  StepLoop loop;
};

}  // namespace dropmd
