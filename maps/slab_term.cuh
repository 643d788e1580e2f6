#pragma once

#include "device/cuda.cuh"
#include "maps/map_slab.cuh"

namespace dropmd {

/// What a map on a GPU has besides the sum over its atoms. It is added slab by slab, so that memory stays bounded.
class SlabTerm {
 public:
  virtual ~SlabTerm() = default;
  /// Allocates what slabs of these points, or of fewer planes, need; may wait. Called while no slab is being computed.
  virtual void allocate(const Vec3<std::int32_t>& points) = 0;
  /// Enqueues an addition to the potential of a slab, and to its field if it has one.
  virtual void add(const Cuda& cuda, const MapSlab& slab) = 0;
};

}  // namespace dropmd
