#include "forces/pair/cpu/cpu_traversal.h"

// One translation unit per precision: each holds every pair physics, and they compile in parallel.
namespace dropmd {

template class CpuTraversal<float>;

}  // namespace dropmd
