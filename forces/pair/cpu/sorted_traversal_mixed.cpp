#include "forces/pair/cpu/sorted_traversal.h"

// One translation unit a precision: they hold every pair physics and compile side by side.
namespace dropmd {

template class SortedTraversal<float>;

}  // namespace dropmd
