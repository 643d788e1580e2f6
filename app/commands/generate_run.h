#pragma once

#include <string>
#include <vector>

#include "app/command.h"

namespace dropmd {

/// Implements `dropmd generate run STRUCTURE`: writes a commented run file to the file of -o or to standard output.
/// With a topology, that of --topology or one beside the structure, it is a run of molecules. files: the words after
/// `run`.
ExitStatus generate_run(const GivenOptions& options, const std::vector<std::string>& files, Streams& streams);

}  // namespace dropmd
