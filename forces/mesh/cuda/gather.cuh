#pragma once

#include <climits>
#include <cstdint>
#include <cub/block/block_reduce.cuh>

#include "core/lanes/lanes.h"
#include "forces/device_force_term.cuh"
#include "forces/mesh/cuda/mesh_view.cuh"

namespace dropmd {

struct GatherTuning {
  static constexpr std::uint32_t kThreads = 128;  ///< an atom each
  /// Shared memory for the points of a block's atoms: 128 atoms of a liquid with 0.1 atoms/Å³ take about 1,900 at a
  /// spacing of 2 Å with order 7.
  static constexpr int kTileBytes = 32768;
};

/// The sum of the mesh's forces on all atoms. There are several counters along each axis, so that blocks seldom contend
/// for one; they are read by one warp.
struct NetForce {
  static constexpr std::uint32_t kCounters = 32;
};

/// Factors of what is gathered.
struct MeshFactors {
  double coulomb;  ///< k_e, energy length/charge²
  double self;     ///< L(0), 1/length
};

/// What is gathered from the mesh for each atom; null: not wanted.
template <class Real>
struct Gathered {
  long long* force = nullptr;         ///< [3][n_atoms] force in quanta, by storage index
  unsigned long long* net = nullptr;  ///< [3][kCounters] sums of the forces
  Real* potential = nullptr;          ///< [n_atoms] φ, charge/length, by storage index
  Vec3<Real>* gradient = nullptr;     ///< [n_atoms] ∇φ, charge/length², by storage index
  double* energy = nullptr;           ///< [n_atoms] ½ k_e q (φ − L(0) q), by host index: the sum has a fixed order
};

#if defined(__CUDACC__)

/// The first points of an atom's B-splines, and its place between points.
template <int P, class Real>
struct AtomCells {
  typename MeshView<Real>::Cell x{}, y{}, z{};
  bool inside = false;  ///< whether the atom is in the box

  AtomCells() = default;
  __device__ AtomCells(const MeshView<Real>& mesh, const Vec3<double>& position)
      : x(mesh.template cell_of<P>(position.x, 0)),
        y(mesh.template cell_of<P>(position.y, 1)),
        z(mesh.template cell_of<P>(position.z, 2)),
        inside(x.inside && y.inside && z.inside) {}
};

/// The points of the atoms of a block, copied to shared memory if they fit there: neighbouring atoms have most points
/// in common, but read them at different times and in different rows.
template <class Real>
struct GatherTile {
  static constexpr int kPoints = GatherTuning::kTileBytes / static_cast<int>(sizeof(Real));

  int low[3], high[3];  ///< points of all atoms: high is the last first point
  Real value[kPoints];

  /// Copies the points and returns whether they fit. All threads of the block must call it.
  template <int P>
  __device__ bool fill(const MeshView<Real>& mesh, const AtomCells<P, Real>& atom) {
    if (threadIdx.x < 3) low[threadIdx.x] = INT_MAX, high[threadIdx.x] = INT_MIN;
    __syncthreads();
    const int first[3] = {atom.x.cell + 1, atom.y.cell + 1, atom.z.cell + 1};
    if (atom.inside)
      for (int axis = 0; axis < 3; ++axis) {
        atomicMin(&low[axis], first[axis]);
        atomicMax(&high[axis], first[axis]);
      }
    __syncthreads();
    if (low[0] > high[0]) return false;  // no atom is inside
    const long long points = static_cast<long long>(extent<P>(0)) * extent<P>(1) * stride_z<P>();
    if (points > kPoints) return false;
    const int rows = extent<P>(0) * extent<P>(1), n_z = extent<P>(2), n_y = extent<P>(1);
    for (int k = static_cast<int>(threadIdx.x); k < rows * n_z; k += static_cast<int>(blockDim.x)) {
      const int row = k / n_z, z = k % n_z;
      value[row * stride_z<P>() + z] =
          mesh.values.value[mesh.values.index(low[0] + row / n_y, low[1] + row % n_y, low[2] + z)];
    }
    __syncthreads();
    return true;
  }

  template <int P>
  __device__ int extent(int axis) const {
    return high[axis] - low[axis] + P;
  }
  /// Odd, so that rows begin in different banks.
  template <int P>
  __device__ int stride_z() const {
    return extent<P>(2) | 1;
  }
};

/// The potential at an atom, and its gradient in units of the spacing; zero outside of the box.
template <int P, class Real>
struct PotentialAt {
  Real potential = 0;
  Vec3<Real> slope{};

  /// read(k): the value at the k-th word from the atom's first point; next_plane, next_row: words between points along
  /// x and y.
  template <class Read>
  __device__ void add(const AtomCells<P, Real>& atom, int next_plane, int next_row, const Read& read) {
    const BSplineWeights<P, Real> x(atom.x.cell, atom.x.fraction), y(atom.y.cell, atom.y.fraction),
        z(atom.z.cell, atom.z.fraction);
#pragma unroll
    for (int i = 0; i < P; ++i) {
      Real value = 0, slope_y = 0, slope_z = 0;
#pragma unroll
      for (int j = 0; j < P; ++j) {
        Real along = 0, along_slope = 0;
#pragma unroll
        for (int k = 0; k < P; ++k) {
          const Real at = read(i * next_plane + j * next_row + k);
          along = lane_fma(at, z.weight[k], along);
          along_slope = lane_fma(at, z.derivative[k], along_slope);
        }
        value = lane_fma(y.weight[j], along, value);
        slope_y = lane_fma(y.derivative[j], along, slope_y);
        slope_z = lane_fma(y.weight[j], along_slope, slope_z);
      }
      potential = lane_fma(x.weight[i], value, potential);
      slope.x = lane_fma(x.derivative[i], value, slope.x);
      slope.y = lane_fma(x.weight[i], slope_y, slope.y);
      slope.z = lane_fma(x.weight[i], slope_z, slope.z);
    }
  }

  /// All threads of a block must call it, each with an atom or none.
  __device__ PotentialAt(GatherTile<Real>& tile, const MeshView<Real>& mesh, const AtomCells<P, Real>& atom) {
    const bool in_tile = tile.template fill<P>(mesh, atom);
    if (!atom.inside) return;
    if (in_tile) {
      const int next_row = tile.template stride_z<P>(), next_plane = next_row * tile.template extent<P>(1);
      const Real* const from = tile.value + (atom.x.cell + 1 - tile.low[0]) * next_plane +
                               (atom.y.cell + 1 - tile.low[1]) * next_row + (atom.z.cell + 1 - tile.low[2]);
      add(atom, next_plane, next_row, [from](int k) { return from[k]; });
    } else {
      const Real* const from = mesh.values.value + mesh.values.index(atom.x.cell + 1, atom.y.cell + 1, atom.z.cell + 1);
      add(atom, mesh.values.length[1] * mesh.values.length[2], mesh.values.length[2],
          [from](int k) { return __ldg(from + k); });
    }
  }
};

/// A force of the mesh of 2^60 quanta or more, or NaN, is reported and left out. The sums may be up to 2^63.
__device__ inline Vec3<long long> whole_quanta(const Vec3<double>& force, double quanta, std::uint32_t index,
                                               const ErrorRecordView& errors) {
  const Vec3<double> f = quanta * force;
  constexpr double kMost = 0x1p60;
  if (abs(f.x) < kMost && abs(f.y) < kMost && abs(f.z) < kMost)
    return {__double2ll_rn(f.x), __double2ll_rn(f.y), __double2ll_rn(f.z)};
  errors.report(static_cast<std::uint8_t>(ForceFault::not_finite), index);
  return {0, 0, 0};
}

/// Adds the forces on the atoms of a block to the net force. All threads of the block must call it.
__device__ inline void add_to_net(unsigned long long* net, const Vec3<long long>& force) {
  using Reduce = cub::BlockReduce<unsigned long long, GatherTuning::kThreads>;
  __shared__ typename Reduce::TempStorage shared[3];
  const unsigned long long sum[3] = {Reduce(shared[0]).Sum(static_cast<unsigned long long>(force.x)),
                                     Reduce(shared[1]).Sum(static_cast<unsigned long long>(force.y)),
                                     Reduce(shared[2]).Sum(static_cast<unsigned long long>(force.z))};
  if (threadIdx.x != 0) return;
  for (std::uint32_t axis = 0; axis < 3; ++axis)
    atomicAdd(net + axis * NetForce::kCounters + blockIdx.x % NetForce::kCounters, sum[axis]);
}

/// Gathers for the atom at a storage index, which may be beyond the last one.
template <int P, class Real>
__device__ void gather(const DeviceMoment<Real>& now, const MeshView<Real>& mesh, const MeshFactors& factors,
                       const Gathered<Real>& to, const ForceSumsView<Real>& sums, std::uint32_t index) {
  __shared__ GatherTile<Real> tile;
  Vec3<long long> force{0, 0, 0};
  const AtomCells<P, Real> atom =
      index < now.n_atoms ? AtomCells<P, Real>(mesh, now.position[index]) : AtomCells<P, Real>();
  const PotentialAt<P, Real> at(tile, mesh, atom);
  if (index < now.n_atoms) {
    const double charge = now.charge[index];
    const double per_spacing = 1 / mesh.spacing;
    const Vec3<double> gradient{static_cast<double>(at.slope.x) * per_spacing,
                                static_cast<double>(at.slope.y) * per_spacing,
                                static_cast<double>(at.slope.z) * per_spacing};
    if (to.potential != nullptr) to.potential[index] = at.potential;
    if (to.gradient != nullptr)
      to.gradient[index] = {static_cast<Real>(gradient.x), static_cast<Real>(gradient.y),
                            static_cast<Real>(gradient.z)};
    if (to.energy != nullptr)
      to.energy[now.host_index[index]] =
          atom.inside ? 0.5 * factors.coulomb * charge * (static_cast<double>(at.potential) - factors.self * charge)
                      : 0;
    if (to.force != nullptr) {
      force =
          whole_quanta((-factors.coulomb * charge) * gradient, static_cast<double>(sums.quanta), index, sums.errors);
      to.force[index] = force.x;
      to.force[std::size_t{now.n_atoms} + index] = force.y;
      to.force[2 * std::size_t{now.n_atoms} + index] = force.z;
    }
  }
  if (to.net != nullptr) add_to_net(to.net, force);
}

template <int P, class Real>
__global__ void __launch_bounds__(GatherTuning::kThreads)
    gather_kernel(DeviceMoment<Real> now, MeshView<Real> mesh, MeshFactors factors, Gathered<Real> to,
                  ForceSumsView<Real> sums) {
  if (now.wants_forces()) gather<P>(now, mesh, factors, to, sums, blockIdx.x * blockDim.x + threadIdx.x);
}

/// Returns the net force in quanta. All threads of the block must call it; the block has at least 96 threads.
__device__ inline Vec3<double> net_force(const unsigned long long* net) {
  __shared__ double sum[3];
  static_assert(NetForce::kCounters == 32 && GatherTuning::kThreads >= 96);
  const std::uint32_t axis = threadIdx.x / 32, lane = threadIdx.x % 32;
  if (axis < 3) {
    unsigned long long one = net[axis * NetForce::kCounters + lane];
    for (int mask = 16; mask > 0; mask /= 2) one += __shfl_xor_sync(0xFFFFFFFFU, one, mask);
    if (lane == 0) sum[axis] = static_cast<double>(static_cast<long long>(one));
  }
  __syncthreads();
  return {sum[0], sum[1], sum[2]};
}

/// Adds the mesh's force on an atom, less its share of the net force, to the sums.
template <class Real>
__device__ void add_force(const DeviceMoment<Real>& now, const Gathered<Real>& from, const double* share,
                          const ForceSumsView<Real>& sums, std::uint32_t index) {
  const Vec3<double> net = net_force(from.net);
  if (index >= now.n_atoms) return;
  const double part = share[now.host_index[index]];
  sums.add_quanta(index, {from.force[index] - __double2ll_rn(net.x * part),
                          from.force[std::size_t{now.n_atoms} + index] - __double2ll_rn(net.y * part),
                          from.force[2 * std::size_t{now.n_atoms} + index] - __double2ll_rn(net.z * part)});
}

template <class Real>
__global__ void __launch_bounds__(GatherTuning::kThreads)
    add_forces_kernel(DeviceMoment<Real> now, Gathered<Real> from, const double* share, ForceSumsView<Real> sums) {
  if (now.wants_forces()) add_force(now, from, share, sums, blockIdx.x * blockDim.x + threadIdx.x);
}

#endif

}  // namespace dropmd
