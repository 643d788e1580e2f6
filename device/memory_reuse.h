#pragma once

#include <memory>

namespace dropmd {

/// Returns a guard. While it exists, freed device memory and freed page-locked memory stay with the process and serve
/// the next allocations, for example when one run on a device follows another of about the same size. What is unused
/// when the guard is destroyed is returned then. device: its index.
std::shared_ptr<const void> reuse_memory(int device);

}  // namespace dropmd
