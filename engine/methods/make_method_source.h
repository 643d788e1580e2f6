#pragma once

#include <memory>

#include "engine/methods/method.h"
#include "engine/methods/tuner.h"
#include "engine/model/system.h"
#include "inputs/run_file/run_config.h"

namespace dropmd {

/// What is to be known besides the backend of a tuner, on a CPU or a GPU.
TunerPolicy tuner_policy(Backend backend);

/// Where the run takes its methods from: choices that are made again, the cost model or, where the configuration asks
/// for it, a tuner; null where nothing is open, since method and skin are given or the model allows but one. A tuner
/// also tries edges of cells and forms of lists.
/// guess: with what the run begins, its skin included. replayed: none, or by ascending step. Throws
/// InputError for those that this machine or model does not allow.
std::unique_ptr<MethodSource> make_method_source(const RunConfig& config, const Method& guess, const System& system,
                                                 const std::vector<MethodChoice>& replayed, const TunerPolicy& policy,
                                                 MethodLog log);

}  // namespace dropmd
