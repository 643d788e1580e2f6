#pragma once

#include <cuda_pipeline_primitives.h>
#include <cstdint>

#include "core/lanes/lanes.h"
#include "device/communicator/work_share.h"
#include "device/warp.cuh"
#include "forces/device_force_term.cuh"
#include "forces/mesh/cuda/mesh_view.cuh"
#include "forces/mesh/cuda/spline_tile.cuh"

namespace dropmd {

/// The sum of the mesh's forces on all atoms. There are several counters along each axis, so that warps seldom contend
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

/// Blocks of the kernels that interpolate from a mesh. A block has consecutive atoms, which are neighbours in space.
struct GatherTuning {
  static constexpr std::uint32_t kThreads = 128;
  /// With rows of 28 words and planes of 16 modulo 32, the first points of atoms in 2 × 4 × 4 neighbouring cells along
  /// x, y and z are in different banks. 32 KiB.
  template <class Real>
  using Shape = TileShape<kThreads, 28, 32, 16, 32768 / sizeof(Real)>;

  static std::uint32_t blocks_for(std::uint32_t n_atoms) { return (n_atoms + kThreads - 1) / kThreads; }
};

#if defined(__CUDACC__)

/// Interpolates the potential and its gradient at the atoms of a block, one per thread, from a copy in shared memory of
/// the points that they touch.
///
/// An atom takes P³ values and 2P³ + 3P² + 4P multiplications. Many threads of a warp, whose atoms are neighbours, read
/// the same word, which counts once.
template <int P, class Real>
class GatherBlock {
  using Shape = GatherTuning::Shape<Real>;

 public:
  using Tile = SplineTile<P, Real, Shape>;

  /// Of the thread's atom; zero outside of the box.
  struct Result {
    Real potential = 0;
    Vec3<Real> slope{};  ///< gradient in units of the spacing
  };

  __device__ GatherBlock(Tile& tile, const MeshView<Real>& mesh) : tile_(tile), mesh_(mesh) {}

  /// wanted: whether the result matters. All threads of the block must call it, each with an atom or none.
  __device__ Result at(const AtomCells<P, Real>& atom, bool wanted) const {
    wanted = wanted && atom.inside;
    const Real* const values = mesh_.values.value;
    const auto of_warp = TilePoints<P, Shape>::of_warp(atom, wanted);
    if (threadIdx.x % 32 == 0) tile_.of_warp[threadIdx.x / 32] = of_warp;
    tile_.divide();
    // Asynchronous, so that no copy waits for another.
    tile_.for_each_point(mesh_.values, [&](std::size_t from, Real& word) {
      __pipeline_memcpy_async(&word, values + from, sizeof(Real));
    });
    __pipeline_commit();
    __pipeline_wait_prior(0);
    __syncthreads();
    if (!wanted) return {};
    const auto& piece = *tile_.mine();
    if (piece.at >= 0) return interpolate(atom, layout_in_tile(piece.points), tile_.word + piece.at);
    return interpolate(atom, layout_in_mesh(mesh_.values), values);
  }

 private:
  template <class Row>
  static __device__ Result interpolate(const AtomCells<P, Real>& atom, const PointLayout<Row>& layout,
                                       const Real* values) {
    const BSplineWeights<P, Real> x(0, atom.x.fraction), y(0, atom.y.fraction), z(0, atom.z.fraction);
    const Real* plane = values + layout.index(atom);
    Result sum;
#pragma unroll
    for (int i = 0; i < P; ++i) {
      Real value = 0, slope_y = 0, slope_z = 0;
#pragma unroll
      for (int j = 0; j < P; ++j) {
        Real of_row = 0, slope = 0;
#pragma unroll
        for (int k = 0; k < P; ++k) {
          const Real point = plane[j * layout.next_row + k];
          of_row = lane_fma(point, z.weight[k], of_row);
          slope = lane_fma(point, z.derivative[k], slope);
        }
        value = lane_fma(of_row, y.weight[j], value);
        slope_y = lane_fma(of_row, y.derivative[j], slope_y);
        slope_z = lane_fma(slope, y.weight[j], slope_z);
      }
      sum.potential = lane_fma(value, x.weight[i], sum.potential);
      sum.slope.x = lane_fma(value, x.derivative[i], sum.slope.x);
      sum.slope.y = lane_fma(slope_y, x.weight[i], sum.slope.y);
      sum.slope.z = lane_fma(slope_z, x.weight[i], sum.slope.z);
      plane += layout.next_plane;
    }
    return sum;
  }

  Tile& tile_;
  const MeshView<Real>& mesh_;
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

/// Adds the forces on the atoms of a warp to the net force. All lanes must call it.
__device__ inline void add_to_net(unsigned long long* net, Vec3<long long> force) {
  for (int mask = 16; mask > 0; mask /= 2) force += from_lane_xor(force, mask);
  if (threadIdx.x % 32 != 0) return;
  const std::uint32_t counter = (blockIdx.x * GatherTuning::kThreads + threadIdx.x) / 32 % NetForce::kCounters;
  atomicAdd(net + counter, static_cast<unsigned long long>(force.x));
  atomicAdd(net + NetForce::kCounters + counter, static_cast<unsigned long long>(force.y));
  atomicAdd(net + 2 * NetForce::kCounters + counter, static_cast<unsigned long long>(force.z));
}

/// Gathers for the atom of a thread.
template <int P, class Real>
__device__ void gather(const DeviceMoment<Real>& now, const MeshView<Real>& mesh, const MeshFactors& factors,
                       const Gathered<Real>& to, const ForceSumsView<Real>& sums) {
  __shared__ typename GatherBlock<P, Real>::Tile tile;
  Vec3<long long> force{0, 0, 0};
  AtomCells<P, Real> atom{};
  bool wanted = false;
  const std::uint32_t index = blockIdx.x * GatherTuning::kThreads + threadIdx.x;
  const bool exists = index < now.n_atoms;
  if (exists) {
    atom = AtomCells<P, Real>(mesh, now.position[index]);
    wanted = now.charge[index] != 0 || to.potential != nullptr || to.gradient != nullptr;
  }
  const auto at = GatherBlock<P, Real>(tile, mesh).at(atom, wanted);
  if (exists) {
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

/// share: of the blocks.
template <int P, class Real>
__global__ void __launch_bounds__(GatherTuning::kThreads)
    gather_kernel(DeviceMoment<Real> now, MeshView<Real> mesh, MeshFactors factors, Gathered<Real> to,
                  ForceSumsView<Real> sums, WorkShare share) {
  if (now.wants_forces() && share.has(blockIdx.x, gridDim.x)) gather<P>(now, mesh, factors, to, sums);
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

/// Adds the mesh's forces on the atoms of the blocks of gather_kernel. mass_share: [n_atoms] by host index.
template <class Real>
__global__ void __launch_bounds__(GatherTuning::kThreads)
    add_forces_kernel(DeviceMoment<Real> now, Gathered<Real> from, const double* mass_share, ForceSumsView<Real> sums,
                      WorkShare share) {
  if (now.wants_forces() && share.has(blockIdx.x, gridDim.x))
    add_force(now, from, mass_share, sums, blockIdx.x * blockDim.x + threadIdx.x);
}

#endif

}  // namespace dropmd
