#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "core/run/run_state.h"
#include "engine/device/ordering/mobility.cuh"
#include "engine/device/ordering/reorder_interval.h"
#include "engine/device/ordering/spatial_sort.cuh"

namespace dropmd {

/// Returns the grid of the spatial order for the atoms at the start.
inline CurveGrid curve_grid(const System& system) {
  return {central_anchor(system.particles.position, 1.0), 1.0 / tile_order_edge(system.model)};
}
/// Returns the distance from the anchor, along an axis, beyond which molecules hardly belong to the droplet there:
/// twice the radius of a ball of as many close-packed molecules, which have about the volume of the liquid. Atoms
/// without molecules count as such. cell: edge of the curve's cells, half a contact distance.
inline double far_from_droplet(std::size_t n_molecules, double cell) {
  constexpr double kRadius = 1.106;  // of a ball for one: (3/(4 pi sqrt(2)))^(1/3) contact distances, in cells
  return 2 * kRadius * cell * std::cbrt(static_cast<double>(n_molecules));
}

/// The order of a run's atoms in memory, and when they are sorted again. A fault returns to what save() kept.
class AtomOrder {
 public:
  /// cell: edge of the curve's cells, length.
  AtomOrder(const Stream& stream, std::uint32_t n_atoms, double cell, OrderUse use)
      : sort_(stream, n_atoms),
        mobility_(stream, n_atoms, kCellsOfNeighbors * cell),
        bounds_(sort_bounds(n_atoms, use)) {}

  const ReorderInterval& interval() const { return interval_; }
  void set_interval(const ReorderInterval& interval) { interval_ = interval; }

  /// Enqueues the sorting of the atoms. d_work: see SpatialSort.
  void sort(const Cuda& cuda, const CurveGrid& grid, DeviceState& state, void* d_work) const {
    sort_(cuda, grid, state, d_work);
  }
  /// To be called when the atoms were sorted for a reason other than the end of the interval. anchor: near most of
  /// them.
  void begin(const Cuda& cuda, const DeviceStateView& atoms, const Vec3<double>& anchor, std::int64_t step) {
    mobility_.begin(cuda, atoms, anchor);
    interval_.begin(step, bounds_);
  }
  /// Enqueues, before a sort that is due, the measurement of how far the atoms have moved since the last one.
  void measure(const Cuda& cuda, const DeviceStateView& atoms) { mobility_.measure(cuda, atoms); }
  /// Decides the next interval, after a wait for that measurement.
  void decide_interval() { interval_.sorted(mobility_.locality_loss_read(), bounds_); }

  void save() {
    mobility_.save();
    saved_interval_ = interval_;
  }
  void restore() {
    mobility_.restore();
    interval_ = saved_interval_;
  }

  /// Adds to a state what decides the next intervals; waits.
  void add_to(const Cuda& cuda, DeviceOrder& order) const {
    const std::vector<Vec3<float>> positions = mobility_.noted(cuda);
    order.sorted_positions.clear();
    for (const Vec3<float>& x : positions) order.sorted_positions.push_back({x.x, x.y, x.z});
    order.sorted_anchor = mobility_.anchor();
    order.sorted_at = interval_.last, order.sort_interval = interval_.interval, order.sort_at = interval_.next;
    order.sortings = interval_.sortings;
  }
  /// Continues from such a state; waits.
  void resume(const Cuda& cuda, const DeviceOrder& order) {
    std::vector<Vec3<float>> positions;
    for (const Vec3<double>& x : order.sorted_positions)
      positions.push_back({static_cast<float>(x.x), static_cast<float>(x.y), static_cast<float>(x.z)});
    mobility_.note(cuda, positions, order.sorted_anchor);
    interval_ = {order.sorted_at, bounds_.clamp(static_cast<double>(order.sort_interval)), order.sort_at,
                 order.sortings};
  }

 private:
  /// Distance from one atom to its neighbour, in cells of the curve, whose edge is half a contact distance.
  static constexpr double kCellsOfNeighbors = 2;

  SpatialSort sort_;
  Mobility mobility_;
  SortBounds bounds_;
  ReorderInterval interval_, saved_interval_;
};

}  // namespace dropmd
