#include "forces/mesh/cuda/device_region_use.cuh"

#include <thrust/iterator/counting_iterator.h>
#include <cub/device/device_reduce.cuh>

namespace dropmd {

namespace {

struct AddRegionUses {
  DROPMD_HOST_DEVICE RegionUse operator()(RegionUse a, const RegionUse& b) const {
    a.add(b);
    return a;
  }
};

/// Returns the use of a region by the atom with an index.
struct RegionUseOfAtom {
  const Vec3<double>* position;
  const double* charge;
  MeshRegion region;
  int order;

  DROPMD_HOST_DEVICE RegionUse operator()(std::uint32_t i) const {
    RegionUse use;
    if (charge[i] != 0) use.add(region, order, position[i]);
    return use;
  }
};

void reduce(const Cuda& cuda, void* scratch, std::size_t& bytes, RegionUse* d_use, std::uint32_t n_atoms,
            const RegionUseOfAtom& of_atom) {
  DROPMD_CUDA(cub::DeviceReduce::TransformReduce(scratch, bytes, thrust::counting_iterator<std::uint32_t>(0), d_use,
                                                 n_atoms, AddRegionUses{}, of_atom, RegionUse{}, cuda.get()),
              "finding the charges outside of a mesh");
}

}  // namespace

DeviceRegionUse::DeviceRegionUse(const Cuda& cuda, std::uint32_t n_atoms)
    : n_atoms_(n_atoms), d_use_(cuda.stream), d_scratch_(cuda.stream) {
  d_use_.fit(1);
  std::size_t bytes = 0;
  reduce(cuda, nullptr, bytes, d_use_.data(), n_atoms, {});
  d_scratch_.fit(bytes);
}

RegionUse DeviceRegionUse::operator()(const Cuda& cuda, const Vec3<double>* position, const double* charge,
                                      const MeshRegion& region, int order) const {
  std::size_t bytes = d_scratch_.size();
  reduce(cuda, d_scratch_.data(), bytes, d_use_.data(), n_atoms_, {position, charge, region, order});
  d_use_.store(h_use_);
  cuda.stream.synchronize("finding the charges outside of a mesh");
  return *h_use_;
}

}  // namespace dropmd
