#pragma once

#include <cstdint>
#include <type_traits>

#include "forces/device_force_term.cuh"
#include "forces/mesh/cuda/mesh_view.cuh"
#include "forces/mesh/cuda/outside.cuh"

namespace dropmd {

/// A block spreads the charges of consecutive atoms, which are neighbours in space. An item of its work is an atom and
/// an index of its points along x.
struct SpreadTuning {
  static constexpr std::uint32_t kAtoms = 64, kThreads = 256;
  /// Points of a tile in shared memory, 32 KiB: 64 atoms of a liquid with 0.1 atoms/Å³ take about 1,500 at a spacing
  /// of 2 Å with order 6. With 128 atoms and half the tile the kernel took twice as long, since more blocks add to
  /// global memory.
  static constexpr int kTilePoints = 8192;
};

#if defined(__CUDACC__)

/// Spreads charges as integers. The integer of a charge at a point is a function of the charge and the point alone, so
/// the sums do not depend on the order of the atoms, nor on where they are added: in shared memory if the points of the
/// block's atoms fit there, else in global memory.
template <int P, class Real>
class SpreadBlock {
  using Integer = typename MeshView<Real>::Integer;
  using Word = std::conditional_t<sizeof(Integer) == sizeof(int), int, unsigned long long>;  // as atomicAdd() takes it
  static constexpr std::uint32_t kAtoms = SpreadTuning::kAtoms, kThreads = SpreadTuning::kThreads;
  /// 64-bit additions in shared memory are loops of compare-and-swap, slower than those in global memory.
  static constexpr bool kHasTile = sizeof(Word) == sizeof(int);

 public:
  struct Shared {
    Real weight[3][P][kAtoms];  ///< those along x times the charge in integers
    int first[3][kAtoms];       ///< index of the first point in the box
    bool inside[3][kAtoms];
    int low[3], high[3];  ///< points of all atoms: high is the last first point
    Word tile[kHasTile ? SpreadTuning::kTilePoints : 1];
  };

  __device__ SpreadBlock(Shared& shared, const DeviceMoment<Real>& now, const MeshView<Real>& mesh)
      : shared_(shared),
        now_(now),
        mesh_(mesh),
        first_atom_(blockIdx.x * kAtoms),
        n_(min(kAtoms, now.n_atoms - first_atom_)) {}

  __device__ void run(const OutsideView& outside, const ErrorRecordView& errors) const {
    if (threadIdx.x == 0)
      for (std::size_t axis = 0; axis < 3; ++axis) {
        shared_.low[axis] = mesh_.values.points[axis];
        shared_.high[axis] = 0;
      }
    weigh();
    __syncthreads();
    find_bounds(outside, errors);
    __syncthreads();
    const int extent[3] = {shared_.high[0] - shared_.low[0] + P, shared_.high[1] - shared_.low[1] + P,
                           shared_.high[2] - shared_.low[2] + P};
    if (extent[0] < P) return;  // no atom is inside
    Word* const sums = reinterpret_cast<Word*>(mesh_.sums());
    if constexpr (kHasTile)
      if (static_cast<long long>(extent[0]) * extent[1] * extent[2] <= SpreadTuning::kTilePoints)
        return by_tile(extent, sums);
    spread(sums, static_cast<std::size_t>(mesh_.values.length[1]), static_cast<std::size_t>(mesh_.values.length[2]),
           int3{0, 0, 0});
  }

 private:
  /// Computes the weights of all atoms along all axes.
  __device__ void weigh() const {
    for (std::uint32_t item = threadIdx.x; item < 3 * kAtoms; item += kThreads) {
      const std::uint32_t axis = item / kAtoms, atom = item % kAtoms;
      if (atom >= n_) continue;
      const Vec3<double>& position = now_.position[first_atom_ + atom];
      const double x = axis == 0 ? position.x : axis == 1 ? position.y : position.z;
      const auto cell = mesh_.template cell_of<P>(x, static_cast<int>(axis));
      const BSplineWeights<P, Real> spline(cell.cell, cell.fraction);
      const Real factor = axis == 0 ? static_cast<Real>(now_.charge[first_atom_ + atom]) * mesh_.scale : Real(1);
#pragma unroll
      for (int k = 0; k < P; ++k) shared_.weight[axis][k][atom] = spline.weight[k] * factor;
      shared_.first[axis][atom] = spline.first;
      shared_.inside[axis][atom] = cell.inside;
    }
  }

  __device__ bool is_inside(std::uint32_t atom) const {
    return shared_.inside[0][atom] && shared_.inside[1][atom] && shared_.inside[2][atom];
  }

  __device__ void find_bounds(const OutsideView& outside, const ErrorRecordView& errors) const {
    if (threadIdx.x >= n_) return;
    const bool inside = is_inside(threadIdx.x);
    outside.set(first_atom_ + threadIdx.x, !inside && now_.charge[first_atom_ + threadIdx.x] != 0);
    if (!inside) {
      if (outside.count == nullptr)
        errors.report(static_cast<std::uint8_t>(MeshFault::outside), first_atom_ + threadIdx.x);
      return;
    }
    for (int axis = 0; axis < 3; ++axis) {
      atomicMin(&shared_.low[axis], shared_.first[axis][threadIdx.x]);
      atomicMax(&shared_.high[axis], shared_.first[axis][threadIdx.x]);
    }
  }

  /// Adds the charges to sums with strides along x (in rows) and y; origin: the first point of the sums.
  __device__ void spread(Word* sums, std::size_t rows, std::size_t row, int3 origin) const {
    for (std::uint32_t item = threadIdx.x; item < P * kAtoms; item += kThreads) {
      const std::uint32_t atom = item % kAtoms, i = item / kAtoms;
      if (atom >= n_ || !is_inside(atom)) continue;
      Real weight_z[P];
#pragma unroll
      for (int k = 0; k < P; ++k) weight_z[k] = shared_.weight[2][k][atom];
      const Real charge_x = shared_.weight[0][i][atom];
      const std::size_t x = static_cast<std::size_t>(shared_.first[0][atom] - origin.x) + i;
      Word* to = sums + (x * rows + static_cast<std::size_t>(shared_.first[1][atom] - origin.y)) * row +
                 (shared_.first[2][atom] - origin.z);
#pragma unroll
      for (int j = 0; j < P; ++j) {
        const Real charge = charge_x * shared_.weight[1][j][atom];
#pragma unroll
        for (int k = 0; k < P; ++k) atomicAdd(to + k, rounded(charge * weight_z[k]));
        to += row;
      }
    }
  }

  __device__ void by_tile(const int (&extent)[3], Word* sums) const {
    const int n_points = extent[0] * extent[1] * extent[2];
    const int3 origin{shared_.low[0], shared_.low[1], shared_.low[2]};
    for (int k = static_cast<int>(threadIdx.x); k < n_points; k += static_cast<int>(kThreads)) shared_.tile[k] = 0;
    __syncthreads();
    spread(shared_.tile, static_cast<std::size_t>(extent[1]), static_cast<std::size_t>(extent[2]), origin);
    __syncthreads();
    for (int k = static_cast<int>(threadIdx.x); k < n_points; k += static_cast<int>(kThreads)) {
      if (shared_.tile[k] == 0) continue;
      const int z = k % extent[2], y = k / extent[2] % extent[1], x = k / extent[2] / extent[1];
      atomicAdd(sums + mesh_.values.index(origin.x + x, origin.y + y, origin.z + z), shared_.tile[k]);
    }
  }

  static __device__ Word rounded(float x) { return __float2int_rn(x); }
  static __device__ Word rounded(double x) { return static_cast<Word>(__double2ll_rn(x)); }

  Shared& shared_;
  const DeviceMoment<Real>& now_;
  const MeshView<Real>& mesh_;
  std::uint32_t first_atom_, n_;
};

template <int P, class Real>
__global__ void __launch_bounds__(SpreadTuning::kThreads)
    spread_kernel(DeviceMoment<Real> now, MeshView<Real> mesh, OutsideView outside, ErrorRecordView errors) {
  __shared__ typename SpreadBlock<P, Real>::Shared shared;
  if (now.wants_forces()) SpreadBlock<P, Real>(shared, now, mesh).run(outside, errors);
}

/// Replaces the sums of charges at the points of a row (x, y) of the box by their values.
template <class Real>
__device__ void row_to_real(const MeshView<Real>& mesh, std::uint32_t row, const ErrorRecordView& errors) {
  constexpr auto kMost = typename MeshView<Real>::Integer{1} << MeshInteger<Real>::kRangeBits;
  const auto& points = mesh.values.points;
  const std::size_t at = mesh.values.index(static_cast<int>(row) / points[1], static_cast<int>(row) % points[1], 0);
  const Real per_scale = 1 / mesh.scale;
  for (int z = static_cast<int>(threadIdx.x); z < points[2]; z += static_cast<int>(blockDim.x)) {
    const auto sum = mesh.sums()[at + static_cast<std::size_t>(z)];
    if (sum >= kMost || sum <= -kMost)
      errors.report(static_cast<std::uint8_t>(MeshFault::too_much_charge),
                    static_cast<std::int64_t>(row) * points[2] + z);
    mesh.values.value[at + static_cast<std::size_t>(z)] = static_cast<Real>(sum) * per_scale;
  }
}

template <class Real>
__global__ void to_real_kernel(MeshView<Real> mesh, ErrorRecordView errors) {
  const std::uint32_t row = blockIdx.x * blockDim.y + threadIdx.y;
  if (row < static_cast<std::uint32_t>(mesh.values.points[0]) * static_cast<std::uint32_t>(mesh.values.points[1]))
    row_to_real(mesh, row, errors);
}

#endif

}  // namespace dropmd
