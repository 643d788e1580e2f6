#pragma once

#include <memory>

#include "engine/methods/method.h"
#include "engine/methods/tuner.h"
#include "engine/model/system.h"
#include "inputs/run_file/run_config.h"

namespace dropmd {

/// Returns the parameters of a tuner on a CPU or a GPU.
TunerPolicy tuner_policy(Backend backend);

/// Returns where the run takes its methods from: choices to be replayed, the cost model or, if the configuration
/// requests it, a tuner; null if nothing is open, since method and skin are given or the model allows only one. A tuner
/// also tries edges of cells and forms of lists. guess: the initial method, with its skin. replayed: empty, or choices
/// by ascending step. Throws InputError for choices that this machine or model does not allow.
std::unique_ptr<MethodSource> make_method_source(const RunConfig& config, const Method& guess, const System& system,
                                                 const std::vector<MethodChoice>& replayed, const TunerPolicy& policy,
                                                 MethodLog log);

}  // namespace dropmd
