#pragma once

#include "app/command.h"

namespace dropmd {

/// Shows the exception that is being handled, a line for each mistake; to be called in a catch block. Returns the exit
/// status of the program.
ExitStatus show_failure(Streams& streams);

}  // namespace dropmd
