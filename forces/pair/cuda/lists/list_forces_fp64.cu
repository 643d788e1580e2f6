#include "forces/pair/cuda/lists/list_forces_impl.cuh"

namespace dropmd {

template class ListForces<double>;

}  // namespace dropmd
