#include "forces/pair/cpu/cluster_traversal.h"

// One translation unit per precision: each holds every pair physics, and they compile in parallel.
namespace dropmd {

template class ClusterTraversal<float>;

}  // namespace dropmd
