#pragma once

#include <cstdint>
#include <optional>
#include <ostream>
#include <string_view>

#include "engine/jobs/run_job.h"
#include "engine/methods/method.h"
#include "engine/model/system.h"
#include "inputs/run_file/run_config.h"

namespace dropmd {

/// Writes the line of a run's start: atoms, processor, method, integrator, steps; and, with a topology, its molecules.
/// resumed_from: the step that the run resumes from; nullopt: a new run.
void log_start(std::ostream& out, const RunConfig& config, const Method& method, const System& system,
               std::optional<std::int64_t> resumed_from);

/// Writes how a run ended, with its energies and its files.
void log_end(std::ostream& out, const RunSummary& summary, const Units& units);

/// Returns the end in a few words, such as "finished".
std::string_view word_of(RunEnd end);

}  // namespace dropmd
