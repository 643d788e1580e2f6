#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "maps/map_model.h"
#include "maps/mesh/map_mesh_plan.h"

namespace dropmd {

/// Some points of a map, evenly distributed, at which its error is measured: a grid of every so many points along each
/// axis, so that a MapSum can compute their potential directly.
class MapSample {
 public:
  /// apart: distance from a charge, length, below which a point does not count.
  MapSample(Cpu cpu, const MapGrid& grid, MapCharges charges, double apart);

  const MapGrid& grid() const { return sample_; }
  /// Sets the exact potential at the points of grid().
  void set_potential(std::span<const double> potential) { potential_.assign(potential.begin(), potential.end()); }

  /// Returns the root of the mean squared potential over the points that count. If none does, all of them count.
  double rms() const;
  /// Returns the RMS error of a map over rms(); 0 where that is 0. map: [n_points] of the whole grid.
  double error_of(std::span<const double> map) const;

 private:
  /// Calls add(k) for the points k of grid() that count, and returns their number.
  template <class Add>
  std::size_t for_each(const Add& add) const;

  MapGrid sample_;
  std::vector<std::size_t> point_;  ///< [n] index in the whole grid
  std::vector<char> counts_;        ///< [n]
  std::vector<double> potential_;   ///< [n]
};

/// The mesh of a map, and the points at which its potential is known.
struct SampledPlan {
  MapSample sample;
  MapMeshPlan plan;
};

/// Plans a map of a model that has a mesh. direct: sums all charges on the processor of the map.
SampledPlan plan_map(Cpu cpu, const MapModel& model, const MapGrid& grid, MapCharges charges, MapSum& direct,
                     const MapMeshPrices& prices);

}  // namespace dropmd
