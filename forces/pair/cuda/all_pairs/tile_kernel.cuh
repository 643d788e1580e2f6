#pragma once

#include <cstdint>
#include <type_traits>

#include "device/communicator/work_share.h"
#include "device/launch.cuh"
#include "device/warp.cuh"
#include "forces/force_sums.cuh"
#include "forces/pair/cuda/all_pairs/tile_forces.cuh"
#include "forces/pair/cuda/all_pairs/tile_warp.cuh"
#include "forces/pair/pair_physics.h"

/// Forces and energies of all pairs. Forces on the i-tile's atoms stay in registers; those on a j-tile's atoms are
/// passed from lane to lane with its rotations and are added to the sums after the last rotation.
namespace dropmd {

/// The share of pairs of i-tiles and j-tiles that may be in contact: few in large droplets, where their code is short
/// rather than fast; many in droplets of a few tiles.
enum class NearPairs { few, many };

/// Computes forces.
template <class Real, class Physics, bool kOneSpecies, bool kExclusions, NearPairs kNearPairs = NearPairs::few>
class ForceWarp : public TileWarp<Real, CoefficientsOf<Physics, Real>, kOneSpecies, kExclusions,
                                  ForceWarp<Real, Physics, kOneSpecies, kExclusions, kNearPairs>> {
  using Base = TileWarp<Real, CoefficientsOf<Physics, Real>, kOneSpecies, kExclusions, ForceWarp>;

 public:
  __device__ ForceWarp(const AtomTilesView<Real>& tiles,
                       const PairTableView<Real, CoefficientsOf<Physics, Real>>& table, const Physics& physics,
                       const ExcludedTilesView& excluded, const ForceSumsView<Real>& sums,
                       WarpSharedMemory<Real, kExclusions>& shared, std::uint32_t lane)
      : Base(tiles, table, excluded, shared, lane), physics_(physics), sums_(sums) {
    if constexpr (kOneSpecies) only_ = table.coefficients[0];
  }

  __device__ void begin_sums() {
#pragma unroll
    for (int a = 0; a < kJTilesPerITile; ++a) force_[a] = {0, 0, 0};
  }

  /// Performs the rotations from `rotation` to `end`, which are whole work items.
  template <PairPath kPath>
  __device__ void rotate(std::uint32_t j_tile, std::uint32_t rotation, std::uint32_t end) {
    // The code of many forms would exceed the instruction cache.
    constexpr bool kShort = kNearPairs == NearPairs::few;
    constexpr int kAtOnce = Physics::kManyForms          ? 1
                            : kPath == PairPath::plain   ? kItemRotations
                            : kPath == PairPath::precise ? (kShort ? 2 : kItemRotations)
                                                         : (kShort ? 1 : 4);
    Vec3<Real> low[kJTilesPerITile] = {};
    if constexpr (kPath != PairPath::plain) {
#pragma unroll
      for (int a = 0; a < kJTilesPerITile; ++a) low[a] = this->i_low_order(a);
    }
    Vec3<Real> back{0, 0, 0};
#pragma unroll 1
    for (std::uint32_t t = rotation; t < end; t += kAtOnce) {
#pragma unroll
      for (int k = 0; k < kAtOnce; ++k) {
        add_pairs<kPath>(static_cast<int>(this->lane_ + t) + k, low, back);
        // The lane that holds this lane's j atom in the next rotation.
        const int next_lane = static_cast<int>(this->lane_ + 1) % 32;
        back = from_lane(back, next_lane);
      }
    }
    const std::uint32_t index = j_tile * kJTileAtoms + (this->lane_ + end) % kJTileAtoms;
    if (kPath != PairPath::masked || index < this->tiles_.n_atoms) sums_.add(index, back);
  }

  __device__ void end_sums() {
#pragma unroll
    for (int a = 0; a < kJTilesPerITile; ++a)
      if (this->i_index(a) < this->tiles_.n_atoms) sums_.add(this->i_index(a), force_[a]);
  }

 private:
  /// Adds the pairs of the lane's atoms of the i-tile with atom `at` of the j-tile. back: force on that atom.
  template <PairPath kPath>
  __device__ void add_pairs(int at, const Vec3<Real> (&low)[kJTilesPerITile], Vec3<Real>& back) {
    const LocalAtom<Real> other = this->shared_.local[at];
    [[maybe_unused]] unsigned pairs = 0;
    if constexpr (kPath == PairPath::masked) pairs = this->pairs_with(at);
    [[maybe_unused]] Vec3<Real> vectors[kJTilesPerITile];
    [[maybe_unused]] Real forces[kJTilesPerITile];
    if constexpr (Physics::kManyForms)
      physics_.forces_over_r(
          [&](int a) {
            vectors[a] = this->template vector<kPath>(a, other, at, low[a]);
            return PairArguments<Real, CoefficientsOf<Physics, Real>>{
                squared_norm(vectors[a]), this->coefficients(a, at), this->atom_[a].charge * other.charge};
          },
          forces);
#pragma unroll
    for (int a = 0; a < kJTilesPerITile; ++a) {
      Vec3<Real> d;
      Real f;
      if constexpr (Physics::kManyForms) {
        d = vectors[a], f = forces[a];
      } else {
        d = this->template vector<kPath>(a, other, at, low[a]);
        CoefficientsOf<Physics, Real> c = only_;
        if constexpr (!kOneSpecies) c = this->coefficients(a, at);
        f = physics_(squared_norm(d), c, this->atom_[a].charge * other.charge).force_over_r;
      }
      if constexpr (kPath == PairPath::masked) f = (pairs >> a & 1U) != 0 ? f : Real(0);
      force_[a] = {lane_fma(f, d.x, force_[a].x), lane_fma(f, d.y, force_[a].y), lane_fma(f, d.z, force_[a].z)};
      back = {lane_fma(-f, d.x, back.x), lane_fma(-f, d.y, back.y), lane_fma(-f, d.z, back.z)};
    }
  }

  const Physics& physics_;
  const ForceSumsView<Real>& sums_;
  CoefficientsOf<Physics, Real> only_{};
  Vec3<Real> force_[kJTilesPerITile];
};

/// Computes energies.
template <class Real, class Physics>
class EnergyWarp : public TileWarp<Real, CoefficientsOf<Physics, Real>, false, true, EnergyWarp<Real, Physics>> {
  using Base = TileWarp<Real, CoefficientsOf<Physics, Real>, false, true, EnergyWarp>;

 public:
  __device__ EnergyWarp(const AtomTilesView<Real>& tiles,
                        const PairTableView<Real, CoefficientsOf<Physics, Real>>& table, const Physics& physics,
                        const ExcludedTilesView& excluded, WarpSharedMemory<Real, true>& shared, std::uint32_t lane)
      : Base(tiles, table, excluded, shared, lane), physics_(physics) {}

  __device__ void begin_sums() {}
  __device__ void end_sums() {}

  template <PairPath kPath>
  __device__ void rotate(std::uint32_t, std::uint32_t rotation, std::uint32_t end) {
    if (kPath == PairPath::plain && this->table_.n_species == 1)
      add_rotations<kPath, true>(rotation, end);
    else
      add_rotations<kPath, false>(rotation, end);
  }

  /// Returns the sum of the whole warp, in lane 0.
  __device__ PartialEnergy sum() const { return sum_of_warp(sum_); }

 private:
  template <PairPath kPath, bool kOneSpecies>
  __device__ void add_rotations(std::uint32_t rotation, std::uint32_t end) {
    const CoefficientsOf<Physics, Real> only = this->table_.coefficients[0];
    Vec3<Real> low[kJTilesPerITile] = {};
    if constexpr (kPath != PairPath::plain) {
#pragma unroll
      for (int a = 0; a < kJTilesPerITile; ++a) low[a] = this->i_low_order(a);
    }
    for (; rotation < end; rotation += kItemRotations) {  // each sum of fp32 terms has 32 pairs
      Real vdw = 0, coulomb = 0;
#pragma unroll 1
      for (std::uint32_t t = rotation; t < rotation + kItemRotations; ++t) {
        const int at = static_cast<int>(this->lane_ + t);
        const LocalAtom<Real> other = this->shared_.local[at];
        [[maybe_unused]] unsigned pairs = 0;
        if constexpr (kPath == PairPath::masked) pairs = this->pairs_with(at);
#pragma unroll
        for (int a = 0; a < kJTilesPerITile; ++a) {
          if (kPath == PairPath::masked && (pairs >> a & 1U) == 0) continue;
          const Real r2 = squared_norm(this->template vector<kPath>(a, other, at, low[a]));
          CoefficientsOf<Physics, Real> c = only;
          if constexpr (!kOneSpecies) c = this->coefficients(a, at);
          const PairResult<Real> pair = physics_.for_energies(r2, c, this->atom_[a].charge * other.charge);
          vdw += pair.vdw;
          coulomb += pair.coulomb;
          sum_.within += r2 < this->table_.cutoff2 ? 1U : 0U;
        }
      }
      sum_.vdw += vdw;
      sum_.coulomb += coulomb;
    }
  }

  const Physics& physics_;
  PartialEnergy sum_{0, 0, 0};
};

/// Computes the forces of all pairs. items: [blocks · warps] of all GPUs, which take the blocks in turn.
template <class Real, class Physics, bool kOneSpecies, bool kExclusions>
__global__ void __launch_bounds__(32 * TileTuning<Real>::kWarps, TileTuning<Real>::kBlocksPerSm)
    tile_forces_kernel(const __grid_constant__ AtomTilesView<Real> tiles,
                       const __grid_constant__ PairTableView<Real, CoefficientsOf<Physics, Real>> table,
                       const __grid_constant__ Physics physics, const __grid_constant__ ExcludedTilesView excluded,
                       const WarpItems* items, WorkShare share, const __grid_constant__ ForceSumsView<Real> sums) {
  __shared__ WarpSharedMemory<Real, kExclusions> shared[TileTuning<Real>::kWarps];
  const WarpItems mine = items[(share.turn(blockIdx.x) * blockDim.x + threadIdx.x) / 32];
  wait_for_kernel_before();
  ForceWarp<Real, Physics, kOneSpecies, kExclusions>(tiles, table, physics, excluded, sums, shared[threadIdx.x / 32],
                                                     threadIdx.x % 32)
      .run(mine);
}

/// Computes the energies of all pairs. energy, items: [blocks · warps] of all GPUs; those of others are zero.
template <class Real, class Physics>
__global__ void __launch_bounds__(32 * TileTuning<Real>::kWarps)
    tile_energies_kernel(const __grid_constant__ AtomTilesView<Real> tiles,
                         const __grid_constant__ PairTableView<Real, CoefficientsOf<Physics, Real>> table,
                         const __grid_constant__ Physics physics, const __grid_constant__ ExcludedTilesView excluded,
                         const WarpItems* items, WorkShare share, PartialEnergy* energy) {
  __shared__ WarpSharedMemory<Real, true> shared[TileTuning<Real>::kWarps];
  const std::uint32_t warp = (blockIdx.x * blockDim.x + threadIdx.x) / 32;
  if (blockIdx.x % share.size != share.rank) {
    if (threadIdx.x % 32 == 0) energy[warp] = {0, 0, 0};
    return;
  }
  EnergyWarp<Real, Physics> mine(tiles, table, physics, excluded, shared[threadIdx.x / 32], threadIdx.x % 32);
  mine.run(items[warp]);
  const PartialEnergy sum = mine.sum();
  if (threadIdx.x % 32 == 0) energy[warp] = sum;
}

}  // namespace dropmd
