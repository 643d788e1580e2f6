#pragma once

#include <string>
#include <vector>

#include "app/command.h"

namespace dropmd {

/// The whole program but for `main`: runs the command line (without the program's name), turns every error into one
/// line on streams.err and returns the exit status.
int run_app(const std::vector<std::string>& arguments, Streams& streams);

}  // namespace dropmd
