#pragma once

#include <span>

namespace dropmd {

/// Whether the processor has the instructions that this build needs. Without them the first vector instruction would
/// end the program without a message.
bool cpu_suffices();

/// The whole program on the standard streams: runs the command line (without the program's name) and returns the exit
/// status. Changes how the process takes signals.
int run_program(std::span<const char* const> arguments);

}  // namespace dropmd
