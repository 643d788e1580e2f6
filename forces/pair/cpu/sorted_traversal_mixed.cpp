#include "forces/pair/cpu/sorted_traversal.h"

// One translation unit per precision: each holds every pair physics, and they compile in parallel.
namespace dropmd {

template class SortedTraversal<float>;

}  // namespace dropmd
