#pragma once

#include <cstdint>
#include <type_traits>

#include "device/communicator/work_share.h"
#include "forces/device_force_term.cuh"
#include "forces/mesh/cuda/gather.cuh"
#include "forces/mesh/cuda/mesh_view.cuh"
#include "forces/mesh/cuda/outside.cuh"
#include "forces/mesh/cuda/spline_tile.cuh"

namespace dropmd {

/// Blocks of the kernel that spreads charges over a mesh. A block has consecutive atoms, which are neighbours in space.
/// A warp takes its atoms two by two: 16 lanes take two rows of eight points of an atom, whose words are in different
/// banks.
struct SpreadTuning {
  static constexpr std::uint32_t kThreads = 256, kWarps = kThreads / 32;
  /// Lanes along z and rows along y that an atom has at a time.
  static constexpr int kLanes = 8, kRows = 2;
  static_assert(kMostSplineOrder <= kLanes);
  /// Atoms whose weights a warp keeps in shared memory at a time.
  static constexpr std::uint32_t kRound = 8;
  /// Rows of 24 words, 8 or 24 modulo 32, so that neighbouring rows of eight points are in different banks. 32 KiB: 256
  /// atoms of a liquid with 0.07 atoms/Å³ in the order of a Hilbert curve take 5,400 words (median) to 6,700 (90 of
  /// 100) at a spacing of 2.4 Å and order 8, where the curve does not leave their region.
  using Shape = TileShape<kThreads, 24, 1, 0, 8192>;

  /// Returns the rounds of a warp: few for few atoms, so that all multiprocessors have some.
  static std::uint32_t rounds_for(std::uint32_t n_atoms) { return n_atoms < 100'000 ? 1 : 32 / kRound; }
  /// Returns the atoms of a block, and the number of blocks.
  static std::uint32_t per_block(std::uint32_t n_atoms) { return kWarps * kRound * rounds_for(n_atoms); }
  static std::uint32_t blocks_for(std::uint32_t n_atoms) {
    return (n_atoms + per_block(n_atoms) - 1) / per_block(n_atoms);
  }
};

#if defined(__CUDACC__)

/// The atom of a thread: the first lanes of each warp have one.
struct SpreadAtom {
  std::uint32_t index;  ///< by storage
  bool exists;

  __device__ SpreadAtom(std::uint32_t rounds, std::uint32_t n_atoms) {
    const std::uint32_t per_warp = rounds * SpreadTuning::kRound, lane = threadIdx.x % 32;
    index = (blockIdx.x * SpreadTuning::kWarps + threadIdx.x / 32) * per_warp + lane;
    exists = lane < per_warp && index < n_atoms;
  }
};

/// The place of a lane among the points of an atom.
struct SpreadLane {
  std::uint32_t atom;  ///< of the two
  int y, z;            ///< first row, and the point in it

  __device__ SpreadLane()
      : atom(threadIdx.x % 32 / 16),
        y(static_cast<int>(threadIdx.x % 16) / SpreadTuning::kLanes),
        z(static_cast<int>(threadIdx.x) % SpreadTuning::kLanes) {}
};

/// Calls set(axis, atom, fraction) in the lanes of a warp for the three axes of the atoms of a round, which are those
/// of the lanes from `first` on. All lanes must call it.
template <int P, class Real, class Set>
__device__ void for_each_spline(const AtomCells<P, Real>& mine, std::uint32_t first, const Set& set) {
  const std::uint32_t lane = threadIdx.x % 32, axis = lane / SpreadTuning::kRound, atom = lane % SpreadTuning::kRound;
  const int from = static_cast<int>(first + atom);
  const Real x = __shfl_sync(0xFFFFFFFFU, mine.x.fraction, from);
  const Real y = __shfl_sync(0xFFFFFFFFU, mine.y.fraction, from);
  const Real z = __shfl_sync(0xFFFFFFFFU, mine.z.fraction, from);
  if (axis < 3) set(axis, atom, axis == 0 ? x : axis == 1 ? y : z);
}

/// Spreads charges as integers. The integer of a charge at a point is a function of the charge and the point alone, so
/// the sums do not depend on the order of the atoms, nor on where they are added: in shared memory if the points of the
/// atoms fit there, else in global memory.
///
/// Two charges take P ⌈P/2⌉ addition instructions in shared memory, each of which takes about four cycles of a
/// multiprocessor of an H200 however few its conflicts (from times, docs/experiments.md): this limits the kernel.
/// (Taking the upper half of integer products instead of conversions was slower.)
template <int P, class Real>
class SpreadBlock {
  using Integer = typename MeshView<Real>::Integer;
  using Word = std::conditional_t<sizeof(Integer) == sizeof(int), int, unsigned long long>;  // as atomicAdd() takes it
  using Tuning = SpreadTuning;
  /// 64-bit additions in shared memory are loops of compare-and-swap, slower than those in global memory.
  static constexpr bool kHasTile = sizeof(Word) == sizeof(int);
  struct NoTile {};
  /// Pairs of rows; with an odd order there is a single one besides.
  static constexpr int kPasses = P / Tuning::kRows;

 public:
  struct Shared {
    struct alignas(16) Weights {
      Real of_point[Tuning::kLanes];
      Real padding[16 / sizeof(Real)];  ///< for stores without bank conflicts
    };
    Weights weight[Tuning::kWarps][Tuning::kRound][3];  ///< those along x times the charge in integers
    std::conditional_t<kHasTile, SplineTile<P, Word, Tuning::Shape>, NoTile> tile;
  };

  __device__ SpreadBlock(Shared& shared, const DeviceMoment<Real>& now, const MeshView<Real>& mesh,
                         std::uint32_t rounds)
      : shared_(shared), now_(now), mesh_(mesh), rounds_(rounds), me_(rounds, now.n_atoms) {}

  /// share: of the blocks; the atoms of other blocks are only looked at, so that all peers know the charges outside.
  __device__ void run(const OutsideView& outside, const ErrorRecordView& errors, const WorkShare& share) {
    find_atom(outside, errors);
    if (!share.has(blockIdx.x, gridDim.x)) return;
    Word* const sums = reinterpret_cast<Word*>(mesh_.sums());
    if constexpr (kHasTile) {
      auto& tile = shared_.tile;
      const auto of_warp = TilePoints<P, Tuning::Shape>::of_warp(atom_, has_charge_);
      if (threadIdx.x % 32 == 0) tile.of_warp[threadIdx.x / 32] = of_warp;
      tile.divide();
      tile.clear();
      __syncthreads();
      if (const auto* const piece = tile.mine(); piece != nullptr) {
        if (piece->at >= 0)
          spread(layout_in_tile(piece->points), tile.word + piece->at);
        else
          spread(layout_in_mesh(mesh_.values), sums);
      }
      __syncthreads();
      tile.for_each_point(mesh_.values, [&](std::size_t at, Word sum) {
        if (sum != 0) atomicAdd(sums + at, sum);
      });
    } else {
      spread(layout_in_mesh(mesh_.values), sums);
    }
  }

 private:
  __device__ void find_atom(const OutsideView& outside, const ErrorRecordView& errors) {
    if (!me_.exists) return;
    const Vec3<double> position = now_.position[me_.index];
    atom_ = AtomCells<P, Real>(mesh_, position);
    const double charge = now_.charge[me_.index];
    charge_ = static_cast<Real>(charge) * mesh_.scale;
    has_charge_ = atom_.inside && charge != 0;
    outside.set(me_.index, !atom_.inside && charge != 0, position);
    if (!atom_.inside && outside.count == nullptr)
      errors.report(static_cast<std::uint8_t>(MeshFault::outside), me_.index);
  }

  /// Adds the charges of the warp's atoms to sums.
  template <class Row>
  __device__ void spread(const PointLayout<Row>& layout, Word* sums) const {
    const SpreadLane lane;
    const int first = has_charge_ ? layout.index(atom_) : kNone;
    for (std::uint32_t round = 0; round < rounds_; ++round) {
      weigh(round * Tuning::kRound);
      for (std::uint32_t k = lane.atom; k < Tuning::kRound; k += 2) {
        const int at = __shfl_sync(0xFFFFFFFFU, first, static_cast<int>(round * Tuning::kRound + k));
        if (at != kNone) spread_one(lane, shared_.weight[threadIdx.x / 32][k], layout, sums + at);
        __syncwarp();
      }
    }
  }

  /// Computes the weights of the atoms of a round.
  __device__ void weigh(std::uint32_t first) const {
    const std::uint32_t warp = threadIdx.x / 32, lane = threadIdx.x % 32;
    const Real charge = __shfl_sync(0xFFFFFFFFU, charge_, static_cast<int>(first + lane % Tuning::kRound));
    __syncwarp();  // the last round's weights have been read
    for_each_spline(atom_, first, [&](std::uint32_t axis, std::uint32_t atom, Real fraction) {
      const BSplineWeights<P, Real> spline(0, fraction);
      const Real factor = axis == 0 ? charge : Real(1);
      typename Shared::Weights weights{};
#pragma unroll
      for (int k = 0; k < P; ++k) weights.of_point[k] = spline.weight[k] * factor;
      shared_.weight[warp][atom][axis] = weights;
    });
    __syncwarp();
  }

  /// Adds one charge with 16 lanes; to: its first point.
  template <class Row>
  __device__ void spread_one(const SpreadLane& lane, const typename Shared::Weights (&weight)[3],
                             const PointLayout<Row>& layout, Word* to) const {
    if (lane.z >= P) return;
    const typename Shared::Weights along_x = weight[0];
    Real in_plane[kPasses];
    const Real weight_z = weight[2].of_point[lane.z];
#pragma unroll
    for (int pass = 0; pass < kPasses; ++pass)
      in_plane[pass] = weight[1].of_point[lane.y + pass * Tuning::kRows] * weight_z;
    to += lane.y * layout.next_row + lane.z;
    Word* plane = to;
#pragma unroll
    for (int i = 0; i < P; ++i) {
#pragma unroll
      for (int pass = 0; pass < kPasses; ++pass)
        atomicAdd(plane + pass * Tuning::kRows * layout.next_row, rounded(along_x.of_point[i] * in_plane[pass]));
      plane += layout.next_plane;
    }
    if (P % Tuning::kRows == 0 || lane.y != 0) return;
    const Real last = weight[1].of_point[P - 1] * weight_z;
    to += (P - 1) * layout.next_row;
#pragma unroll
    for (int i = 0; i < P; ++i) {
      atomicAdd(to, rounded(along_x.of_point[i] * last));
      to += layout.next_plane;
    }
  }

  static __device__ Word rounded(float x) { return __float2int_rn(x); }
  static __device__ Word rounded(double x) { return static_cast<Word>(__double2ll_rn(x)); }

  static constexpr int kNone = -1;

  Shared& shared_;
  const DeviceMoment<Real>& now_;
  const MeshView<Real>& mesh_;
  std::uint32_t rounds_;
  SpreadAtom me_;
  AtomCells<P, Real> atom_{};
  Real charge_ = 0;          ///< in integers
  bool has_charge_ = false;  ///< and is in the box
};

template <int P, class Real>
__global__ void __launch_bounds__(SpreadTuning::kThreads)
    spread_kernel(DeviceMoment<Real> now, MeshView<Real> mesh, OutsideView outside, ErrorRecordView errors,
                  std::uint32_t rounds, WorkShare share) {
  __shared__ typename SpreadBlock<P, Real>::Shared shared;
  if (now.wants_forces()) SpreadBlock<P, Real>(shared, now, mesh, rounds).run(outside, errors, share);
}

/// Clears a row of the mesh, (x, y), as far as it is read.
template <class Real>
__device__ void clear_row(const MeshValues<Real>& values, std::uint32_t row) {
  const int x = static_cast<int>(row) / values.rows_read;
  if (x >= values.points[0]) return;
  Real* const first = values.value + values.index(x, static_cast<int>(row) % values.rows_read, 0);
  for (int z = static_cast<int>(threadIdx.x); z < values.values_read; z += static_cast<int>(blockDim.x)) first[z] = 0;
}

/// Sets `wanted` to whether charges will be spread, and clears what they are added to: the mesh, the number of charges
/// outside if it is counted, and the net force.
template <class Real>
__global__ void clear_kernel(DeviceMoment<Real> now, MeshValues<Real> values, std::uint32_t* wanted,
                             std::uint32_t* n_outside, unsigned long long* net) {
  const bool wants = now.wants_forces();
  if (blockIdx.x == 0 && threadIdx.y == 0) {
    for (std::uint32_t k = threadIdx.x; k < 3 * NetForce::kCounters; k += blockDim.x) net[k] = 0;
    if (threadIdx.x == 0) *wanted = wants ? 1 : 0;
    if (threadIdx.x == 0 && n_outside != nullptr) *n_outside = 0;
  }
  if (wants) clear_row(values, blockIdx.x * blockDim.y + threadIdx.y);
}

#endif

}  // namespace dropmd
