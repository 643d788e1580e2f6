#pragma once

namespace dropmd {

/// Returns the number of fused multiply-adds of float packs that one thread of this CPU completes per second, measured
/// in some milliseconds: the bound of arithmetic on the CPU at its present clock.
double fma_packs_per_second();

}  // namespace dropmd
