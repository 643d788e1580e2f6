#include "maps/mesh/grid_interpolation.h"

#include <cstddef>
#include <vector>

#include "core/parallel_for.h"
#include "forces/mesh/b_spline.h"

namespace dropmd {

namespace {

template <int P>
double sum_of(const double* values, const double* weight) {
  double sum = 0;
  for (int k = 0; k < P; ++k) sum += values[k] * weight[k];
  return sum;
}

/// One plane of a map after another, by one thread.
template <int P>
class Plane {
 public:
  Plane(const MapGrid& grid, const MeshBox& box, const GridWeights& weights, std::span<const double> mesh, bool field)
      : grid_(grid), weights_(weights), mesh_(mesh), field_(field) {
    nx_ = static_cast<std::size_t>(box.points[0]), ny_ = static_cast<std::size_t>(box.points[1]);
    next_row_ = mesh.size() / (nx_ * ny_);
    plane_.resize(nx_ * ny_);
    row_.resize(nx_);
    if (!field_) return;
    plane_slope_.resize(nx_ * ny_);
    row_slope_y_.resize(nx_);
    row_slope_z_.resize(nx_);
  }

  void add(std::int32_t k, double scale, MapValues& values) {
    combine_planes(static_cast<std::size_t>(k));
    for (std::int32_t j = 0; j < grid_.points.y; ++j) {
      combine_lines(static_cast<std::size_t>(j));
      double* const potential = &values.potential[grid_.number(0, j, k)];
      for (std::size_t i = 0; i < weights_.x.first.size(); ++i)
        potential[i] += scale * sum_of<P>(&row_[first_x(i)], &weights_.x.weight[i * P]);
      if (!field_) continue;
      Vec3<double>* const field = &values.field[grid_.number(0, j, k)];
      for (std::size_t i = 0; i < weights_.x.first.size(); ++i) {
        const double* const weight = &weights_.x.weight[i * P];
        field[i] -= scale * Vec3<double>{sum_of<P>(&row_[first_x(i)], &weights_.x.slope[i * P]),
                                         sum_of<P>(&row_slope_y_[first_x(i)], weight),
                                         sum_of<P>(&row_slope_z_[first_x(i)], weight)};
      }
    }
  }

 private:
  std::size_t first_x(std::size_t i) const { return static_cast<std::size_t>(weights_.x.first[i]); }

  /// Interpolates along z.
  void combine_planes(std::size_t k) {
    const double* const from = &mesh_[static_cast<std::size_t>(weights_.z.first[k])];
    for (std::size_t row = 0; row < nx_ * ny_; ++row)
      plane_[row] = sum_of<P>(from + row * next_row_, &weights_.z.weight[k * P]);
    if (!field_) return;
    for (std::size_t row = 0; row < nx_ * ny_; ++row)
      plane_slope_[row] = sum_of<P>(from + row * next_row_, &weights_.z.slope[k * P]);
  }

  /// Interpolates along y.
  void combine_lines(std::size_t j) {
    const auto first = static_cast<std::size_t>(weights_.y.first[j]);
    const double* const weight = &weights_.y.weight[j * P];
    for (std::size_t x = 0; x < nx_; ++x) row_[x] = sum_of<P>(&plane_[x * ny_ + first], weight);
    if (!field_) return;
    for (std::size_t x = 0; x < nx_; ++x) {
      row_slope_y_[x] = sum_of<P>(&plane_[x * ny_ + first], &weights_.y.slope[j * P]);
      row_slope_z_[x] = sum_of<P>(&plane_slope_[x * ny_ + first], weight);
    }
  }

  const MapGrid& grid_;
  const GridWeights& weights_;
  std::span<const double> mesh_;
  bool field_;
  std::size_t nx_, ny_, next_row_;
  std::vector<double> plane_, plane_slope_;              ///< [n_x][n_y] of the mesh
  std::vector<double> row_, row_slope_y_, row_slope_z_;  ///< [n_x]
};

}  // namespace

void GridInterpolation::add(Cpu cpu, std::span<const double> mesh, double scale, MapValues& values) const {
  with_spline_order(order_, [&]<int P>() {
    parallel_for_with(
        cpu, static_cast<std::size_t>(grid_.points.z), 1,
        [&] { return Plane<P>(grid_, box_, weights_, mesh, !values.field.empty()); },
        [&](Plane<P>& plane, std::size_t k) { plane.add(static_cast<std::int32_t>(k), scale, values); });
  });
}

}  // namespace dropmd
