#pragma once

#include <functional>

#include "app/command.h"
#include "maps/map_model.h"

namespace dropmd {

/// Calls work(progress), with a progress display unless -q. A signal stops the work; the function then reports it and
/// returns the exit status, else `done`. Signals are caught only during the work.
ExitStatus do_map_work(const GivenOptions& options, Streams& streams,
                       const std::function<void(const MapProgress&)>& work);

}  // namespace dropmd
