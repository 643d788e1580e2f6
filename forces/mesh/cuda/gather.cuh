#pragma once

#include <cstdint>
#include <cub/block/block_reduce.cuh>

#include "core/lanes/lanes.h"
#include "forces/device_force_term.cuh"
#include "forces/mesh/cuda/mesh_view.cuh"

namespace dropmd {

struct GatherTuning {
  static constexpr std::uint32_t kThreads = 128;  ///< an atom each
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

/// The potential at an atom, and its gradient in units of the spacing; zero outside of the box.
template <int P, class Real>
struct PotentialAt {
  bool inside = false;  ///< whether the atom is in the box
  Real potential = 0;
  Vec3<Real> slope{};

  __device__ PotentialAt(const MeshView<Real>& mesh, const Vec3<double>& position) {
    const auto cell_x = mesh.template cell_of<P>(position.x, 0), cell_y = mesh.template cell_of<P>(position.y, 1),
               cell_z = mesh.template cell_of<P>(position.z, 2);
    if (!cell_x.inside || !cell_y.inside || !cell_z.inside) return;
    inside = true;
    const BSplineWeights<P, Real> x(cell_x.cell, cell_x.fraction), y(cell_y.cell, cell_y.fraction),
        z(cell_z.cell, cell_z.fraction);
    const Real* plane = mesh.values.value + mesh.values.index(x.first, y.first, z.first);
    const std::size_t next_row = static_cast<std::size_t>(mesh.values.length[2]),
                      next_plane = next_row * static_cast<std::size_t>(mesh.values.length[1]);
#pragma unroll
    for (int i = 0; i < P; ++i, plane += next_plane) {
      Real value = 0, slope_y = 0, slope_z = 0;
      const Real* row = plane;
#pragma unroll
      for (int j = 0; j < P; ++j, row += next_row) {
        Real along = 0, along_slope = 0;
#pragma unroll
        for (int k = 0; k < P; ++k) {
          const Real at = __ldg(row + k);
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
  Vec3<long long> force{0, 0, 0};
  if (index < now.n_atoms) {
    const PotentialAt<P, Real> at(mesh, now.position[index]);
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
          at.inside ? 0.5 * factors.coulomb * charge * (static_cast<double>(at.potential) - factors.self * charge) : 0;
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
