#include "forces/pair/cuda/cells/cell_forces_impl.cuh"

namespace dropmd {

template class CellForces<double>;

}  // namespace dropmd
