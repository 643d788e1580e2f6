#pragma once

#include <cstdint>

#include "device/buffer.cuh"
#include "device/cub_scratch.h"
#include "device/cuda.cuh"
#include "device/pinned.cuh"
#include "forces/mesh/mesh_region.h"

namespace dropmd {

/// Finds on a GPU how charges lie in a region of a mesh: copying their positions to the host for that would take as
/// long as many steps.
class DeviceRegionUse {
 public:
  DeviceRegionUse(const Cuda& cuda, std::uint32_t n_atoms);

  /// Device memory in bytes for any number of atoms: the result, and a bound on CUB's scratch.
  static constexpr std::uint64_t kFixedBytes = sizeof(RegionUse) + reduce_scratch_bytes(sizeof(RegionUse));

  /// Returns the use of a region by the atoms that have a charge; waits. position: [n_atoms][3], charge: [n_atoms], in
  /// device memory; order: of the B-splines.
  RegionUse operator()(const Cuda& cuda, const Vec3<double>* position, const double* charge, const MeshRegion& region,
                       int order) const;

 private:
  std::uint32_t n_atoms_;
  DeviceBuffer<RegionUse> d_use_;
  Pinned<RegionUse> h_use_;
  DeviceBuffer<unsigned char> d_scratch_;
};

}  // namespace dropmd
