#include "forces/list_forces_impl.cuh"

namespace dropmd {

template class ListForces<float>;

}  // namespace dropmd
