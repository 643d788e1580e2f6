#pragma once

#include <string>
#include <vector>

#include "app/command.h"

namespace dropmd {

/// `dropmd generate run STRUCTURE`: a commented run file, to the file of -o or to standard output. files: the words
/// behind `run`.
ExitStatus generate_run(const GivenOptions& options, const std::vector<std::string>& files, Streams& streams);

}  // namespace dropmd
