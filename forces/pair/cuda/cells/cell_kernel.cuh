#pragma once

#include <cstdint>

#include "core/step_clock.h"
#include "device/communicator/work_share.h"
#include "device/launch.cuh"
#include "forces/force_sums.cuh"
#include "forces/pair/cuda/block_sums.cuh"
#include "forces/pair/cuda/cells/cell_block.cuh"
#include "forces/pair/cuda/lane_forces.cuh"
#include "forces/pair/cuda/partial_energy.cuh"
#include "forces/pair/pair_physics.h"

/// Forces and energies of the pairs of cells.
namespace dropmd {

/// Computes forces. Those on a sub-cluster stay in registers of the warp; those on the j atoms are summed in shared
/// memory.
template <class Real, class Physics, bool kOneSpecies, bool kExclusions>
class CellForceBlock : public CellBlock<Real, CoefficientsOf<Physics, Real>, kOneSpecies, kExclusions,
                                        CellForceBlock<Real, Physics, kOneSpecies, kExclusions>> {
  using Base = CellBlock<Real, CoefficientsOf<Physics, Real>, kOneSpecies, kExclusions, CellForceBlock>;

 public:
  static constexpr bool kAnyWarp = true;  // sums are integers

  __device__ CellForceBlock(const CellPairsView& cells, const AtomTilesView<Real>& atoms,
                            const PairTableView<Real, CoefficientsOf<Physics, Real>>& table, const Physics& physics,
                            const ForceSumsView<Real>& sums, const CellSharedMemory<Real>& shared)
      : Base(cells, atoms, table, shared), physics_(physics), sums_(sums), met_(shared.sum, sums) {
    if constexpr (kOneSpecies) only_ = table.coefficients[0];
  }

  __device__ void clear(std::uint32_t slot) { met_.clear(slot); }
  __device__ void begin_sub_cluster() { own_.clear(); }

  template <bool kOwnCell>
  __device__ void meet_atom(std::uint32_t slot) {
    const LocalAtom<Real> other = this->shared_.atom[slot];
    Vec3<Real> d[kSubClusterAtoms];
    Real r2[kSubClusterAtoms];
    this->vectors(slot, other, d, r2);
    [[maybe_unused]] const unsigned excluded = this->excluded_with(slot);
    Vec3<Real> back{0, 0, 0};
    [[maybe_unused]] Real forces[kSubClusterAtoms];
    if constexpr (Physics::kManyForms)
      physics_.forces_over_r(
          [&](int k) {
            return PairArguments<Real, CoefficientsOf<Physics, Real>>{r2[k], this->coefficients(k, slot),
                                                                      this->own_atom(k).charge * other.charge};
          },
          forces);
#pragma unroll
    for (std::uint32_t k = 0; k < kSubClusterAtoms; ++k) {
      Real f;
      if constexpr (Physics::kManyForms) {
        f = forces[k];
      } else {
        CoefficientsOf<Physics, Real> c = only_;
        if constexpr (!kOneSpecies) c = this->coefficients(k, slot);
        f = physics_(r2[k], c, this->own_atom(k).charge * other.charge).force_over_r;
      }
      if constexpr (kOwnCell) f = this->is_pair(k, slot) ? f : Real(0);
      if constexpr (kExclusions) f = (excluded >> k & 1U) == 0 ? f : Real(0);
      Vec3<Real>& own = own_.force[k];
      own = {lane_fma(f, d[k].x, own.x), lane_fma(f, d[k].y, own.y), lane_fma(f, d[k].z, own.z)};
      back = {lane_fma(-f, d[k].x, back.x), lane_fma(-f, d[k].y, back.y), lane_fma(-f, d[k].z, back.z)};
    }
    if (!met_.add(slot, back) && slot < this->shared_.slots) add_at_once(sums_, this->shared_.index[slot], back);
  }

  __device__ void end_sub_cluster() {
    const std::uint32_t lane = this->lane(), k = lane / own_.kLanesOfAtom;
    const Vec3<Real> force = own_.of_atom_of_lane(lane);
    if (lane % own_.kLanesOfAtom == 0 && this->own_is_there(k)) sums_.add(this->own_index(k), force);
  }

  /// Adds the sums in shared memory to the global sums.
  __device__ void end_chunk(std::uint32_t n) {
    for (std::uint32_t s = threadIdx.x; s < n; s += blockDim.x) met_.flush(s, [&] { return this->shared_.index[s]; });
  }

 private:
  /// A static function: a member function would force the object's sums out of the registers.
  static __device__ __noinline__ void add_at_once(ForceSumsView<Real> sums, std::uint32_t index, Vec3<Real> force) {
    sums.add(index, force);
  }

  const Physics& physics_;
  const ForceSumsView<Real>& sums_;
  BlockSums<Real, kGroupSubClusters> met_;
  CoefficientsOf<Physics, Real> only_{};
  LaneForces<Real, kSubClusterAtoms> own_;
};

/// Computes energies, with or without exclusions; each thread has its own sums.
template <class Real, class Physics>
class CellEnergyBlock
    : public CellBlock<Real, CoefficientsOf<Physics, Real>, false, true, CellEnergyBlock<Real, Physics>> {
  using Base = CellBlock<Real, CoefficientsOf<Physics, Real>, false, true, CellEnergyBlock>;

 public:
  static constexpr bool kAnyWarp = false;

  __device__ CellEnergyBlock(const CellPairsView& cells, const AtomTilesView<Real>& atoms,
                             const PairTableView<Real, CoefficientsOf<Physics, Real>>& table, const Physics& physics,
                             const CellSharedMemory<Real>& shared)
      : Base(cells, atoms, table, shared), physics_(physics) {}

  __device__ void clear(std::uint32_t) {}
  __device__ void begin_sub_cluster() {}
  __device__ void end_sub_cluster() {}
  __device__ void end_chunk(std::uint32_t) {}

  template <bool kOwnCell>
  __device__ void meet_atom(std::uint32_t slot) {
    const LocalAtom<Real> other = this->shared_.atom[slot];
    Vec3<Real> d[kSubClusterAtoms];
    Real r2[kSubClusterAtoms];
    this->vectors(slot, other, d, r2);
    const unsigned excluded = this->excluded_with(slot);
    Real vdw = 0, coulomb = 0;
#pragma unroll
    for (std::uint32_t k = 0; k < kSubClusterAtoms; ++k) {
      if (!(r2[k] < this->table_.cutoff2) || (kOwnCell && !this->is_pair(k, slot)) || (excluded >> k & 1U) != 0)
        continue;
      const PairResult<Real> pair =
          physics_.for_energies(r2[k], this->coefficients(k, slot), this->own_atom(k).charge * other.charge);
      vdw += pair.vdw;
      coulomb += pair.coulomb;
      ++sum_.within;
    }
    sum_.vdw += vdw;
    sum_.coulomb += coulomb;
  }

  __device__ const PartialEnergy& of_thread() const { return sum_; }

 private:
  const Physics& physics_;
  PartialEnergy sum_{0, 0, 0};
};

/// Computes the forces of the share's cells, with one block per group of a cell's sub-clusters. clock: of the atoms;
/// forces are computed if the atoms have moved, have no forces yet, and the cells are valid; null: always.
template <class Real, class Physics, bool kOneSpecies, bool kExclusions>
__global__ void __launch_bounds__(32 * CellTuning::kMostWarps,
                                  std::is_same_v<Real, float> ? CellTuning::kBlocksPerSm : 1)
    cell_forces_kernel(const __grid_constant__ CellPairsView cells, const __grid_constant__ AtomTilesView<Real> atoms,
                       const __grid_constant__ PairTableView<Real, CoefficientsOf<Physics, Real>> table,
                       const __grid_constant__ Physics physics, const StepClock* clock, WorkShare share,
                       const __grid_constant__ ForceSumsView<Real> sums, std::uint32_t slots) {
  extern __shared__ __align__(32) unsigned char cell_memory[];
  wait_for_kernel_before();
  const std::uint32_t n_cells = cells.state->n_cells;
  if (blockIdx.x >= n_cells || !cells.state->usable() || (clock != nullptr && !clock->moved())) return;
  if (!share.has(blockIdx.x, n_cells)) return;
  CellForceBlock<Real, Physics, kOneSpecies, kExclusions>(
      cells, atoms, table, physics, sums, CellSharedMemory<Real>(cell_memory, slots, cells.n_offsets, cells.sorted))
      .run(blockIdx.x, blockIdx.y);
}

/// Computes the energies of cells. energy: [gridDim.x]; each block takes every gridDim.x-th cell, and the blocks of
/// other shares take none.
template <class Real, class Physics>
__global__ void __launch_bounds__(32 * CellTuning::kMostWarps)
    cell_energies_kernel(const __grid_constant__ CellPairsView cells, const __grid_constant__ AtomTilesView<Real> atoms,
                         const __grid_constant__ PairTableView<Real, CoefficientsOf<Physics, Real>> table,
                         const __grid_constant__ Physics physics, WorkShare share, PartialEnergy* energy,
                         std::uint32_t slots) {
  extern __shared__ __align__(32) unsigned char cell_memory[];
  __shared__ PartialEnergy of_warp[CellTuning::kMostWarps];
  if (!cells.state->usable()) return;
  if (!share.has(blockIdx.x, gridDim.x)) {
    if (threadIdx.x == 0) energy[blockIdx.x] = {0, 0, 0};
    return;
  }
  CellEnergyBlock<Real, Physics> block(cells, atoms, table, physics,
                                       CellSharedMemory<Real>(cell_memory, slots, cells.n_offsets, cells.sorted));
  for (std::uint32_t cell = blockIdx.x; cell < cells.state->n_cells; cell += gridDim.x)
    for (std::uint32_t group = 0; group < cells.groups(); ++group) block.run(cell, group);
  const PartialEnergy mine = sum_of_warp(block.of_thread());
  if (threadIdx.x % 32 == 0) of_warp[threadIdx.x / 32] = mine;
  __syncthreads();
  if (threadIdx.x != 0) return;
  PartialEnergy sum{0, 0, 0};
  for (std::uint32_t w = 0; w < blockDim.x / 32; ++w) sum = sum + of_warp[w];
  energy[blockIdx.x] = sum;
}

}  // namespace dropmd
