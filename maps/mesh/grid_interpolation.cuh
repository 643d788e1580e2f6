#pragma once

#include <cstdint>

#include "forces/mesh/cuda/transforms/mesh_transforms.cuh"
#include "maps/map_slab.cuh"

/// GridInterpolation on a GPU, for the planes of a slab: one kernel for each axis, in this order.
namespace dropmd {

/// AxisWeights in device memory, whose arrays run over the points first.
template <class Real>
struct AxisView {
  const int* first;    ///< [n]
  const Real* weight;  ///< [P][n]
  const Real* slope;   ///< [P][n] or null
  std::int32_t n;
};

/// What the kernels read and write.
template <class Real>
struct InterpolationView {
  MeshValues<Real> mesh;
  int order;  ///< P
  AxisView<Real> x, y, z;
  /// Interpolated along z: [planes of the slab][n_y of the mesh][n_x of the mesh]; the derivative or null.
  Real *plane, *plane_slope;
  /// Interpolated along z and y: [planes of the slab][n_y of the map][n_x of the mesh]; the derivatives along y and z
  /// or null.
  Real *row, *row_slope_y, *row_slope_z;
};

struct InterpolationTuning {
  static constexpr std::uint32_t kThreads = 256;  ///< a value each
};

#if defined(__CUDACC__)

/// Returns Σ_k values[k stride] weight[k n] for the weights of one point.
template <class Real>
__device__ Real spline_sum(int order, const Real* values, std::size_t stride, const Real* weight, std::int32_t n) {
  Real sum = 0;
  for (int k = 0; k < order; ++k)
    sum = lane_fma(values[static_cast<std::size_t>(k) * stride], weight[static_cast<std::size_t>(k) * n], sum);
  return sum;
}

/// Interpolates along z for one point (x, y) of the mesh and one plane of the slab. index: of the result.
template <class Real>
__device__ void interpolate_plane(const InterpolationView<Real>& view, std::int32_t first_plane, std::size_t index) {
  const auto n_x = static_cast<std::size_t>(view.mesh.points[0]), n_y = static_cast<std::size_t>(view.mesh.points[1]);
  const auto x = static_cast<int>(index % n_x), y = static_cast<int>(index / n_x % n_y);
  const std::size_t k = static_cast<std::size_t>(first_plane) + index / (n_x * n_y);
  const Real* const values = view.mesh.value + view.mesh.index(x, y, view.z.first[k]);
  view.plane[index] = spline_sum(view.order, values, 1, view.z.weight + k, view.z.n);
  if (view.plane_slope != nullptr)
    view.plane_slope[index] = spline_sum(view.order, values, 1, view.z.slope + k, view.z.n);
}

/// Interpolates along y for one point x of the mesh and one row of the slab.
template <class Real>
__device__ void interpolate_row(const InterpolationView<Real>& view, std::size_t index) {
  const auto n_x = static_cast<std::size_t>(view.mesh.points[0]), n_y = static_cast<std::size_t>(view.mesh.points[1]);
  const std::size_t x = index % n_x, j = index / n_x % view.y.n, k = index / n_x / view.y.n;
  const std::size_t from = (k * n_y + view.y.first[j]) * n_x + x;
  view.row[index] = spline_sum(view.order, view.plane + from, n_x, view.y.weight + j, view.y.n);
  if (view.plane_slope == nullptr) return;
  view.row_slope_y[index] = spline_sum(view.order, view.plane + from, n_x, view.y.slope + j, view.y.n);
  view.row_slope_z[index] = spline_sum(view.order, view.plane_slope + from, n_x, view.y.weight + j, view.y.n);
}

/// Interpolates along x and adds to one point of the slab.
template <class Real>
__device__ void interpolate_point(const InterpolationView<Real>& view, const MapSlab& slab, std::size_t index) {
  const std::size_t i = index % view.x.n, row = index / view.x.n;
  const std::size_t from = row * view.mesh.points[0] + view.x.first[i];
  const Real* const weight = view.x.weight + i;
  slab.potential[index] +=
      slab.scale * static_cast<double>(spline_sum(view.order, view.row + from, 1, weight, view.x.n));
  if (slab.field == nullptr) return;
  const auto of = [&](const Real* values, const Real* by) {
    return static_cast<double>(spline_sum(view.order, values + from, 1, by, view.x.n));
  };
  slab.field[index] -= slab.scale * Vec3<double>{of(view.row, view.x.slope + i), of(view.row_slope_y, weight),
                                                 of(view.row_slope_z, weight)};
}

inline __device__ std::size_t thread_index() {
  return static_cast<std::size_t>(blockIdx.x) * InterpolationTuning::kThreads + threadIdx.x;
}

template <class Real>
__global__ void __launch_bounds__(InterpolationTuning::kThreads)
    interpolate_planes_kernel(InterpolationView<Real> view, std::int32_t first_plane, std::size_t n) {
  if (thread_index() < n) interpolate_plane(view, first_plane, thread_index());
}

template <class Real>
__global__ void __launch_bounds__(InterpolationTuning::kThreads)
    interpolate_rows_kernel(InterpolationView<Real> view, std::size_t n) {
  if (thread_index() < n) interpolate_row(view, thread_index());
}

template <class Real>
__global__ void __launch_bounds__(InterpolationTuning::kThreads)
    interpolate_points_kernel(InterpolationView<Real> view, MapSlab slab, std::size_t n) {
  if (thread_index() < n) interpolate_point(view, slab, thread_index());
}

#endif

}  // namespace dropmd
