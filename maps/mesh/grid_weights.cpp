#include "maps/mesh/grid_weights.h"

#include "forces/mesh/b_spline.h"

namespace dropmd {

namespace {

/// place: of point i, in units of the spacing of the mesh.
template <class Place>
AxisWeights axis_weights(std::int32_t n, double spacing, int order, const Place& place) {
  AxisWeights weights;
  weights.first.reserve(static_cast<std::size_t>(n));
  weights.weight.reserve(static_cast<std::size_t>(n) * static_cast<std::size_t>(order));
  weights.slope.reserve(weights.weight.capacity());
  with_spline_order(order, [&]<int P>() {
    for (std::int32_t i = 0; i < n; ++i) {
      const BSplineWeights<P, double> spline(place(i));
      weights.first.push_back(spline.first);
      weights.weight.insert(weights.weight.end(), spline.weight, spline.weight + P);
      for (const double derivative : spline.derivative) weights.slope.push_back(derivative / spacing);
    }
  });
  return weights;
}

}  // namespace

GridWeights::GridWeights(const MapGrid& grid, const MeshBox& box, int order)
    : x(axis_weights(grid.points.x, box.spacing, order, [&](std::int32_t i) { return box.place(grid.at(i, 0, 0)).x; })),
      y(axis_weights(grid.points.y, box.spacing, order, [&](std::int32_t j) { return box.place(grid.at(0, j, 0)).y; })),
      z(axis_weights(grid.points.z, box.spacing, order,
                     [&](std::int32_t k) { return box.place(grid.at(0, 0, k)).z; })) {}

}  // namespace dropmd
