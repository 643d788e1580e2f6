#pragma once

#include <cstdint>
#include <cub/block/block_reduce.cuh>
#include <type_traits>

#include "core/lanes/lanes.h"
#include "forces/device_force_term.cuh"
#include "forces/mesh/cuda/mesh_view.cuh"
#include "forces/mesh/cuda/spline_block.cuh"

namespace dropmd {

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

/// Interpolates the potential and its gradient at the atoms of a block.
///
/// Two atoms take P ⌈P/2⌉ instructions that read values from shared memory, and twice as many multiplications.
template <int P, class Real>
class GatherBlock {
  using Tuning = SplineBlock;
  /// In double precision the weights take the memory.
  static constexpr bool kHasTile = sizeof(Real) == sizeof(float);
  struct NoTile {};

 public:
  struct Shared {
    struct alignas(16) Weights {
      Real value[Tuning::kLanes], derivative[Tuning::kLanes];
      Real padding[16 / sizeof(Real)];  ///< for stores without conflicts of banks
    };
    Weights weight[Tuning::kWarps][Tuning::kRound][3];  ///< zero from P on
    std::conditional_t<kHasTile, SplineTile<P, Real>, NoTile> tile;
  };

  /// Of the thread's atom; zero outside of the box.
  struct Result {
    Real potential = 0;
    Vec3<Real> slope{};  ///< gradient in units of the spacing
  };

  __device__ GatherBlock(Shared& shared, const MeshView<Real>& mesh, std::uint32_t rounds)
      : shared_(shared), mesh_(mesh), rounds_(rounds) {}

  /// wanted: whether the result matters. All threads of the block must call it, each with an atom or none.
  __device__ Result at(const AtomCells<P, Real>& atom, bool wanted) const {
    wanted = wanted && atom.inside;
    const Real* const values = mesh_.values.value;
    if constexpr (kHasTile) {
      auto& tile = shared_.tile;
      const TilePoints<P> of_warp = TilePoints<P>::of_warp(atom, wanted);
      if (threadIdx.x % 32 == 0) tile.of_warp[threadIdx.x / 32] = of_warp;
      tile.divide();
      tile.for_each_point(mesh_.values, [&](std::size_t from, Real& word) { word = values[from]; });
      __syncthreads();
      const auto* const piece = tile.mine();
      if (piece == nullptr) return {};
      if (piece->at >= 0) return interpolate(atom, wanted, layout_in_tile(piece->points), tile.word + piece->at);
    }
    return interpolate(atom, wanted, layout_in_mesh(mesh_.values), values);
  }

 private:
  /// Interpolates for the atoms of the warp.
  template <class Row>
  __device__ Result interpolate(const AtomCells<P, Real>& atom, bool wanted, const PointLayout<Row>& layout,
                                const Real* values) const {
    const std::uint32_t warp = threadIdx.x / 32, lane = threadIdx.x % 32;
    const SplineLane place;
    const int first = wanted ? layout.index(atom) : 0;  // any that exists
    Result result;
    for (std::uint32_t round = 0; round < rounds_; ++round) {
      const std::uint32_t first_lane = round * Tuning::kRound;
      weigh(atom, first_lane);
      Real mine = 0;  // component lane % 4 of atom 2 (lane % 16 / 4) + lane / 16 of the round
      for (std::uint32_t k = 0; k < Tuning::kRound / 2; ++k) {
        const std::uint32_t of_round = 2 * k + place.atom;
        const int from = __shfl_sync(0xFFFFFFFFU, first, static_cast<int>(first_lane + of_round));
        const Real component = interpolate_one(place, shared_.weight[warp][of_round], layout, values + from);
        if (lane % 16 / 4 == k) mine = component;
      }
      const int source = static_cast<int>(16 * (lane % 2) + 4 * (lane % Tuning::kRound / 2));
      const Result of_lane{__shfl_sync(0xFFFFFFFFU, mine, source),
                           {__shfl_sync(0xFFFFFFFFU, mine, source + 1), __shfl_sync(0xFFFFFFFFU, mine, source + 2),
                            __shfl_sync(0xFFFFFFFFU, mine, source + 3)}};
      if (wanted && lane - first_lane < Tuning::kRound) result = of_lane;
    }
    return result;
  }

  /// Computes the weights of the atoms of a round.
  __device__ void weigh(const AtomCells<P, Real>& atom, std::uint32_t first_lane) const {
    __syncwarp();  // the last round's weights have been read
    for_each_spline(atom, first_lane, [&](std::uint32_t axis, std::uint32_t k, Real fraction) {
      const BSplineWeights<P, Real> spline(0, fraction);
      typename Shared::Weights weights{};
#pragma unroll
      for (int i = 0; i < P; ++i) weights.value[i] = spline.weight[i], weights.derivative[i] = spline.derivative[i];
      shared_.weight[threadIdx.x / 32][k][axis] = weights;
    });
    __syncwarp();
  }

  /// Interpolates for one atom by 16 lanes; from: its first point. Returns the potential in lanes 0, 4, 8 and 12, and
  /// the slopes along x, y and z in the ones that follow.
  template <class Row>
  __device__ Real interpolate_one(const SplineLane& lane, const typename Shared::Weights (&weight)[3],
                                  const PointLayout<Row>& layout, const Real* from) const {
    constexpr int kPasses = (P + Tuning::kRows - 1) / Tuning::kRows;
    const typename Shared::Weights along_x = weight[0];
    Real weight_y[kPasses], derivative_y[kPasses];
#pragma unroll
    for (int pass = 0; pass < kPasses; ++pass) {
      weight_y[pass] = weight[1].value[lane.y + pass * Tuning::kRows];
      derivative_y[pass] = weight[1].derivative[lane.y + pass * Tuning::kRows];
    }
    from += lane.y * layout.next_row + min(lane.z, P - 1);
    const bool has_last = P % Tuning::kRows == 0 || lane.y == 0;
    Real value = 0, slope_x = 0, slope_y = 0;
#pragma unroll
    for (int i = 0; i < P; ++i) {
      Real in_plane = 0, slope_in_plane = 0;
#pragma unroll
      for (int pass = 0; pass < kPasses; ++pass) {
        const Real point = pass + 1 < kPasses || has_last ? from[pass * Tuning::kRows * layout.next_row] : Real(0);
        in_plane = lane_fma(point, weight_y[pass], in_plane);
        slope_in_plane = lane_fma(point, derivative_y[pass], slope_in_plane);
      }
      value = lane_fma(along_x.value[i], in_plane, value);
      slope_x = lane_fma(along_x.derivative[i], in_plane, slope_x);
      slope_y = lane_fma(along_x.value[i], slope_in_plane, slope_y);
      from += layout.next_plane;
    }
    const Real weight_z = weight[2].value[lane.z];
    return sum_of_four(value * weight_z, slope_x * weight_z, slope_y * weight_z, value * weight[2].derivative[lane.z]);
  }

  /// Returns the sum of a, b, c or d over 16 lanes in lanes 0, 1, 2 and 3 modulo 4.
  static __device__ Real sum_of_four(Real a, Real b, Real c, Real d) {
    const bool second = threadIdx.x % 2 != 0, third = threadIdx.x / 2 % 2 != 0;
    const Real one = (second ? b : a) + __shfl_xor_sync(0xFFFFFFFFU, second ? a : b, 1);
    const Real two = (second ? d : c) + __shfl_xor_sync(0xFFFFFFFFU, second ? c : d, 1);
    Real sum = (third ? two : one) + __shfl_xor_sync(0xFFFFFFFFU, third ? one : two, 2);
    for (int mask = 4; mask < 16; mask *= 2) sum += __shfl_xor_sync(0xFFFFFFFFU, sum, mask);
    return sum;
  }

  Shared& shared_;
  const MeshView<Real>& mesh_;
  std::uint32_t rounds_;
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
  using Reduce = cub::BlockReduce<unsigned long long, SplineBlock::kThreads>;
  __shared__ typename Reduce::TempStorage shared[3];
  const unsigned long long sum[3] = {Reduce(shared[0]).Sum(static_cast<unsigned long long>(force.x)),
                                     Reduce(shared[1]).Sum(static_cast<unsigned long long>(force.y)),
                                     Reduce(shared[2]).Sum(static_cast<unsigned long long>(force.z))};
  if (threadIdx.x != 0) return;
  for (std::uint32_t axis = 0; axis < 3; ++axis)
    atomicAdd(net + axis * NetForce::kCounters + blockIdx.x % NetForce::kCounters, sum[axis]);
}

/// Gathers for the atom of a thread.
template <int P, class Real>
__device__ void gather(const DeviceMoment<Real>& now, const MeshView<Real>& mesh, const MeshFactors& factors,
                       const Gathered<Real>& to, const ForceSumsView<Real>& sums, std::uint32_t rounds) {
  __shared__ typename GatherBlock<P, Real>::Shared shared;
  Vec3<long long> force{0, 0, 0};
  AtomCells<P, Real> atom{};
  bool wanted = false;
  const SplineAtom me(rounds, now.n_atoms);
  const std::uint32_t index = me.index;
  if (me.exists) {
    atom = AtomCells<P, Real>(mesh, now.position[index]);
    wanted = now.charge[index] != 0 || to.potential != nullptr || to.gradient != nullptr;
  }
  const auto at = GatherBlock<P, Real>(shared, mesh, rounds).at(atom, wanted);
  if (me.exists) {
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
__global__ void __launch_bounds__(SplineBlock::kThreads)
    gather_kernel(DeviceMoment<Real> now, MeshView<Real> mesh, MeshFactors factors, Gathered<Real> to,
                  ForceSumsView<Real> sums, std::uint32_t rounds) {
  if (now.wants_forces()) gather<P>(now, mesh, factors, to, sums, rounds);
}

/// Returns the net force in quanta. All threads of the block must call it; the block has at least 96 threads.
__device__ inline Vec3<double> net_force(const unsigned long long* net) {
  __shared__ double sum[3];
  static_assert(NetForce::kCounters == 32 && SplineBlock::kThreads >= 96);
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
__global__ void __launch_bounds__(SplineBlock::kThreads)
    add_forces_kernel(DeviceMoment<Real> now, Gathered<Real> from, const double* share, ForceSumsView<Real> sums) {
  if (now.wants_forces()) add_force(now, from, share, sums, blockIdx.x * blockDim.x + threadIdx.x);
}

#endif

}  // namespace dropmd
