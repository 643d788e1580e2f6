#pragma once

#include <cstdint>

#include "core/run/run_settings.h"
#include "engine/model/system.h"

namespace dropmd {

struct RunConfig;

/// Throws std::invalid_argument if a system has slow forces and the integrator takes no impulses, or if an interval of
/// the settings is not a multiple of its outer steps. (The reader of run files reports the same with its place.)
void require_outer_steps(const System& system, const IntegrationSettings& settings);

/// Throws InputError if the first or the last step of a run, or a --self-check of every so many steps (0: none), is not
/// at an outer step.
void require_outer_steps(const RunConfig& config, const System& system, std::int64_t first,
                         std::int64_t self_check_every);

/// Throws std::invalid_argument if the number of a step is not that of an outer step. what: "the last step".
void require_outer_step(const OuterSteps& outer, std::int64_t step, const char* what);

}  // namespace dropmd
