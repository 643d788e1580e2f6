#include "forces/pair/cpu/cluster_traversal.h"

// One translation unit a precision: they hold every pair physics and compile side by side.
namespace dropmd {

template class ClusterTraversal<double>;

}  // namespace dropmd
