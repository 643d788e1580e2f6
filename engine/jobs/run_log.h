#pragma once

#include <cstdint>
#include <optional>
#include <ostream>

#include "engine/methods/method.h"
#include "engine/model/system.h"
#include "inputs/run_file/run_config.h"

namespace dropmd {

/// Writes the line of a run's start: atoms, processor, method, integrator, steps; and, with a topology, its molecules.
/// resumed_from: the step that the run resumes from; nullopt: a new run.
void log_start(std::ostream& out, const RunConfig& config, const Method& method, const System& system,
               std::optional<std::int64_t> resumed_from);

}  // namespace dropmd
