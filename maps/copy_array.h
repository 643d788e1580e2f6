#pragma once

#include <cstddef>

#include "core/execution.h"

namespace dropmd {

/// Copies bytes with all threads: the first touch of memory costs more than the copy.
void copy_array(Cpu cpu, void* to, const void* from, std::size_t bytes);

}  // namespace dropmd
