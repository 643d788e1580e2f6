#pragma once

#include <memory>
#include <optional>
#include <vector>

#include "core/lanes/simd_lanes.h"  // before the pair forms, whose templates use it
#include "forces/mesh/mesh_potential.h"
#include "forces/pair/coulomb_short_range.h"
#include "maps/cpu_map_sum.h"
#include "maps/mesh/divided_map.h"
#include "maps/mesh/grid_interpolation.h"

namespace dropmd {

/// The parts of a map by a mesh on the CPU.
template <class Real>
class CpuDividedMap final : public DividedMap {
 public:
  CpuDividedMap(Cpu cpu, const MapModel& model) : cpu_(cpu), model_(model) {
    MapModel direct = model;
    direct.mesh.reset();
    direct_ = make_cpu_map_sum<Real>(cpu, direct);
  }

  MapSum& direct() override { return *direct_; }

  MapValues compute(const MapMeshPlan& plan, const MapGrid& grid, MapCharges charges,
                    const MapProgress& progress) override {
    const MapModel pairs = short_range_model(model_, plan.parameters, Form::kMostDegree);
    MapValues values = model_.field ? short_range<true>(pairs, grid, charges, progress)
                                    : short_range<false>(pairs, grid, charges, progress);
    prepare(plan);
    const std::span<const double> on_mesh = mesh_->on_mesh(cpu_, charges.position, charges.charge);
    GridInterpolation(grid, plan.box, plan.parameters.order).add(cpu_, on_mesh, model_.coulomb_constant, values);
    return values;
  }

 private:
  using Form = CoulombShortRange<Real>;

  template <bool kField>
  MapValues short_range(const MapModel& pairs, const MapGrid& grid, MapCharges charges, const MapProgress& progress) {
    return CpuMapSum<Real, Form, true, kField>(cpu_, pairs, Form(pairs.coulomb)).compute(grid, charges, progress);
  }

  /// Makes the mesh that of the plan. The influence function is kept while it stays the same.
  void prepare(const MapMeshPlan& plan) {
    const MeshParameters& p = plan.parameters;
    const std::vector<double> numbers = plan.influence_numbers();
    if (!mesh_ || numbers != numbers_) {
      mesh_.reset();  // frees its memory first
      mesh_.emplace(cpu_, CoulombSplit(p.cutoff, p.bandwidth), plan.box, p.order, plan.extent());
      numbers_ = numbers;
    }
    mesh_->move_to(plan.box.first);
  }

  Cpu cpu_;
  MapModel model_;
  std::unique_ptr<MapSum> direct_;
  std::optional<MeshPotential> mesh_;
  std::vector<double> numbers_;  ///< that determine the mesh, apart from its place
};

template <class Real>
std::unique_ptr<DividedMap> make_divided_map(Cpu cpu, const MapModel& model) {
  return std::make_unique<CpuDividedMap<Real>>(cpu, model);
}

}  // namespace dropmd
