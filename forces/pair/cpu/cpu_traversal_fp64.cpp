#include "forces/pair/cpu/cpu_traversal.h"

// One translation unit a precision: they hold every pair physics and compile side by side.
namespace dropmd {

template class CpuTraversal<double>;

}  // namespace dropmd
