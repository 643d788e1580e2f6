#pragma once

#include <memory>

#include "forces/pair/coulomb_short_range.h"
#include "maps/cuda_map_sum.cuh"
#include "maps/mesh/device_grid_mesh.cuh"
#include "maps/mesh/divided_map.h"

namespace dropmd {

/// The parts of a map by a mesh on a GPU: the mesh is added to each slab when its pairs have been summed.
template <class Real>
class CudaDividedMap final : public DividedMap {
 public:
  CudaDividedMap(int device, Cpu cpu, const MapModel& model)
      : device_(device), cpu_(cpu), model_(model), mesh_((require_device(device), device)) {
    MapModel direct = model;
    direct.mesh.reset();
    direct_ = make_map_sum_cuda<Real>(device, cpu, direct);
  }

  MapSum& direct() override { return *direct_; }

  MapValues compute(const MapMeshPlan& plan, const MapGrid& grid, MapCharges charges,
                    const MapProgress& progress) override {
    const SortedCharges sorted(cpu_, charges, 4 * plan.parameters.spacing);
    mesh_.prepare(cpu_, plan, grid, sorted.atoms(), model_.field);
    const MapModel pairs = short_range_model(model_, plan.parameters, Form::kMostDegree);
    if (!pairs_ || pairs.coulomb.values != values_) {
      pairs_ = model_.field ? make_pairs<true>(pairs) : make_pairs<false>(pairs);
      values_ = pairs.coulomb.values;
    }
    return pairs_->compute(grid, charges, progress);
  }

  double device_seconds() const override { return mesh_.seconds() + (pairs_ ? pairs_->device_seconds() : 0); }

 private:
  using Form = CoulombShortRange<Real>;

  template <bool kField>
  std::unique_ptr<MapSum> make_pairs(const MapModel& pairs) {
    return std::make_unique<CudaMapSum<Real, Form, true, kField>>(device_, cpu_, pairs, Form(pairs.coulomb), &mesh_);
  }

  int device_;
  Cpu cpu_;
  MapModel model_;
  std::unique_ptr<MapSum> direct_;
  DeviceGridMesh<Real> mesh_;
  std::unique_ptr<MapSum> pairs_;
  decltype(FormChoice::values) values_;  ///< of pairs_
};

template <class Real>
std::unique_ptr<DividedMap> make_divided_map_cuda(int device, Cpu cpu, const MapModel& model) {
  return std::make_unique<CudaDividedMap<Real>>(device, cpu, model);
}

}  // namespace dropmd
