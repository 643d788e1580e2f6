#pragma once

#include <memory>

#include "maps/map_model.h"
#include "maps/mesh/map_mesh_plan.h"

namespace dropmd {

/// The parts of a map by a mesh on one processor.
class DividedMap {
 public:
  virtual ~DividedMap() = default;

  /// The sum over all charges, for what is not on the mesh.
  virtual MapSum& direct() = 0;
  /// Computes the map of charges that the mesh holds: their short-range part within the cutoff, which is the pair form
  /// of the plan's split, and the rest by the mesh. Throws as MapSum::compute().
  virtual MapValues compute(const MapMeshPlan& plan, const MapGrid& grid, MapCharges charges,
                            const MapProgress& progress) = 0;
  /// Seconds that the kernels of the last compute() took on a device.
  virtual double device_seconds() const { return 0; }
};

/// Returns the model of the short-range part of a map. most_degree: of its polynomial.
MapModel short_range_model(const MapModel& model, const MeshParameters& parameters, int most_degree);

/// Constructs the parts on the CPU. Real: float (mixed precision) or double; the mesh is in fp64.
template <class Real>
std::unique_ptr<DividedMap> make_divided_map(Cpu cpu, const MapModel& model);

/// Constructs the computation of maps by a mesh, which a plan for the grid and the charges divides into these parts.
/// Throws InputError if the precision does not allow the accuracy.
std::unique_ptr<MapSum> make_mesh_map_sum(Cpu cpu, Precision precision, const MapModel& model,
                                          std::unique_ptr<DividedMap> parts, const MapMeshPrices& prices);

}  // namespace dropmd
