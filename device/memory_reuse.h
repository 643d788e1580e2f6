#pragma once

#include <memory>

namespace dropmd {

/// Returns a guard. While it exists, device memory that is freed and page-locked memory stay with the process and serve
/// the next allocations, as when one run on a device follows another of about the same size. What is not used then is
/// returned when the guard is destroyed. device: its index.
std::shared_ptr<const void> reuse_memory(int device);

}  // namespace dropmd
