#pragma once

namespace dropmd {

/// Fused multiply-adds of packs of floats that one thread of this CPU completes in a second, measured in some
/// milliseconds: what bounds arithmetic on the CPU, at the clock of the moment.
double fma_packs_per_second();

}  // namespace dropmd
