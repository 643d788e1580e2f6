#pragma once

#include <string>
#include <vector>

#include "app/command.h"

namespace dropmd {

/// The whole program except `main`: runs the command line (without the program's name), reports every error on
/// streams.err and returns the exit status.
int run_app(const std::vector<std::string>& arguments, Streams& streams);

}  // namespace dropmd
