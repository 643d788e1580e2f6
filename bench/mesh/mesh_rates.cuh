#pragma once

#include "bench/mesh/mesh_limits.h"
#include "device/cuda.cuh"

namespace dropmd {

/// Measures the rates of a GPU, in some milliseconds: copies in its memory, atomic additions to a mesh as the spreading
/// of charges makes them (32-bit ones in shared memory for float, 64-bit ones in global memory for double), and
/// multiply-adds of Real.
template <class Real>
MeshRates measure_mesh_rates(const Cuda& cuda);

extern template MeshRates measure_mesh_rates<float>(const Cuda& cuda);
extern template MeshRates measure_mesh_rates<double>(const Cuda& cuda);

}  // namespace dropmd
