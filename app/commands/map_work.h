#pragma once

#include <functional>

#include "app/command.h"
#include "maps/map_model.h"

namespace dropmd {

/// Calls work(progress), with a display of the progress unless -q, and stops it at a signal: it then says so and
/// returns the status to end with, else `done`. Only while the work lasts are signals held.
ExitStatus do_map_work(const GivenOptions& options, Streams& streams,
                       const std::function<void(const MapProgress&)>& work);

}  // namespace dropmd
