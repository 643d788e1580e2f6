#pragma once

#include <cstdint>
#include <type_traits>

#include "core/step_clock.h"
#include "device/launch.cuh"
#include "device/warp.cuh"
#include "forces/force_sums.cuh"
#include "forces/pair/cuda/block_sums.cuh"
#include "forces/pair/cuda/lane_forces.cuh"
#include "forces/pair/cuda/lists/list_block.cuh"
#include "forces/pair/cuda/partial_energy.cuh"
#include "forces/pair/pair_physics.h"

/// Forces and energies of the pairs of a list.
namespace dropmd {

/// Computes forces. Those on a cluster stay in registers of the warp; those on the j atoms are summed in shared memory.
template <class Real, class Physics, bool kOneSpecies>
class ListForceBlock
    : public ListBlock<Real, CoefficientsOf<Physics, Real>, kOneSpecies, ListForceBlock<Real, Physics, kOneSpecies>> {
  using Base = ListBlock<Real, CoefficientsOf<Physics, Real>, kOneSpecies, ListForceBlock>;
  using Other = typename Base::Other;

 public:
  __device__ ListForceBlock(const PairListView& list, const AtomTilesView<Real>& tiles,
                            const PairTableView<Real, CoefficientsOf<Physics, Real>>& table, const Physics& physics,
                            const ForceSumsView<Real>& sums, const ListSharedMemory<Real>& shared)
      : Base(list, tiles, table, shared),
        physics_(physics),
        sums_(sums),
        met_(shared.sum, sums),
        only_(table.coefficients[0]) {}

  __device__ void clear(std::uint32_t slot) { met_.clear(slot); }
  __device__ void begin_cluster() { own_.clear(); }

  template <bool kNear, class Own>
  __device__ void meet_atom(const Other& other) {
    constexpr int kAtOnce = 2;  // own atoms, where the forms are chosen at run time: registers hold no more
    Vec3<Real> back{0, 0, 0};
    [[maybe_unused]] CoefficientsOf<Physics, Real> common = only_;
    if constexpr (!Physics::kManyForms)
      if (this->several_species()) common = this->common_coefficients(other);
    [[maybe_unused]] Vec3<Real> vectors[kAtOnce];
    [[maybe_unused]] Real forces[kAtOnce];
#pragma unroll
    for (int k = Own::kBegin; k < Own::kEnd; ++k) {
      Vec3<Real> d;
      Real f;
      if constexpr (Physics::kManyForms) {
        const int first = k - (k - Own::kBegin) % kAtOnce;
        if (k == first)
          physics_.forces_over_r(
              [&](int i) {
                vectors[i] = this->template vector<kNear>(first + i, this->own_atom(first + i), other);
                return PairArguments<Real, CoefficientsOf<Physics, Real>>{
                    squared_norm(vectors[i]), this->several_species() ? this->coefficients(first + i, other) : only_,
                    this->own_atom(first + i).charge * other.atom.charge};
              },
              forces);
        d = vectors[k - first], f = forces[k - first];
      } else {
        const LocalAtom<Real> own = this->own_atom(k);
        d = this->template vector<kNear>(k, own, other);
        f = physics_(
                squared_norm(d), this->has_vdw(k), [&] { return coefficients_in_branch(k, other, common); },
                own.charge * other.atom.charge)
                .force_over_r;
      }
      if constexpr (kNear) f = this->is_pair(k, other) ? f : Real(0);
      Vec3<Real>& to = own_.force[k];
      to = {lane_fma(f, d.x, to.x), lane_fma(f, d.y, to.y), lane_fma(f, d.z, to.z)};
      back = {lane_fma(-f, d.x, back.x), lane_fma(-f, d.y, back.y), lane_fma(-f, d.z, back.z)};
      if (k == Own::kBegin + 1) this->read_ahead();
    }
    if (!met_.add(other.slot, back) && other.slot < this->slots_)  // else it is padding, whose force is NaN
      add_at_once(sums_, this->storage_index_of(other.slot), back);
  }

  __device__ void end_cluster() {
    const unsigned lane = this->lane();
    const Vec3<Real> force = own_.of_atom_of_lane(lane);
    const std::uint32_t index = this->own_index(static_cast<int>(lane / own_.kLanesOfAtom));
    if (lane % own_.kLanesOfAtom == 0 && index < this->tiles_.n_atoms) sums_.add(index, force);
  }

  /// Adds the sums in shared memory to the global sums.
  __device__ void end_item(std::uint32_t end) {
#pragma unroll 4
    for (std::uint32_t s = threadIdx.x; s < end; s += blockDim.x)
      met_.flush(s, [&] { return this->storage_index_of(s); });
  }

 private:
  /// A static function: a member function would force the object's sums out of the registers.
  static __device__ __noinline__ void add_at_once(ForceSumsView<Real> sums, std::uint32_t index, Vec3<Real> force) {
    sums.add(index, force);
  }

  /// Returns the coefficients of a pair whose own atom, the same for all lanes, has a van der Waals term. common: those
  /// of the atoms in the common row. The barriers make the compiler use branches to skip that term for other atoms,
  /// such as most hydrogens, and to skip the second lookup; otherwise it would issue their instructions for every atom,
  /// without effect.
  __device__ CoefficientsOf<Physics, Real> coefficients_in_branch(int k, const Other& other,
                                                                  const CoefficientsOf<Physics, Real>& common) const {
    if (!this->several_species()) return only_;
    __syncwarp();
    if ((this->in_common_row_ >> k & 1U) != 0) return common;
    __syncwarp();
    return this->coefficients(k, other);
  }

  const Physics& physics_;
  const ForceSumsView<Real>& sums_;
  BlockSums<Real, kTileClusters> met_;
  CoefficientsOf<Physics, Real> only_;
  LaneForces<Real, kClusterAtoms> own_;
};

/// Computes energies; each thread has its own sums.
template <class Real, class Physics>
class ListEnergyBlock : public ListBlock<Real, CoefficientsOf<Physics, Real>, false, ListEnergyBlock<Real, Physics>> {
  using Base = ListBlock<Real, CoefficientsOf<Physics, Real>, false, ListEnergyBlock>;
  using Other = typename Base::Other;

 public:
  __device__ ListEnergyBlock(const PairListView& list, const AtomTilesView<Real>& tiles,
                             const PairTableView<Real, CoefficientsOf<Physics, Real>>& table, const Physics& physics,
                             const ListSharedMemory<Real>& shared)
      : Base(list, tiles, table, shared), physics_(physics), only_(table.coefficients[0]) {}

  __device__ void clear(std::uint32_t) {}
  __device__ void begin_cluster() {}
  __device__ void end_cluster() {}
  __device__ void end_item(std::uint32_t) {}

  template <bool kNear, class Own>
  __device__ void meet_atom(const Other& other) {
    Real vdw = 0, coulomb = 0;
    std::uint32_t within = 0;
    this->read_ahead();
#pragma unroll
    for (int k = Own::kBegin; k < Own::kEnd; ++k) {
      const LocalAtom<Real> own = this->own_atom(k);
      const Real r2 = squared_norm(this->template vector<kNear>(k, own, other));
      const bool is_within = r2 < this->table_.cutoff2 && (!kNear || this->is_pair(k, other));
      CoefficientsOf<Physics, Real> c = only_;
      if (this->several_species()) c = this->coefficients(k, other);
      const PairResult<Real> pair = physics_.for_energies(r2, c, own.charge * other.atom.charge);
      vdw += is_within ? pair.vdw : Real(0);
      coulomb += is_within ? pair.coulomb : Real(0);
      within += is_within ? 1 : 0;
    }
    sum_.vdw += vdw;
    sum_.coulomb += coulomb;
    sum_.within += within;
  }

  __device__ const PartialEnergy& of_thread() const { return sum_; }

 private:
  const Physics& physics_;
  CoefficientsOf<Physics, Real> only_;
  PartialEnergy sum_{0, 0, 0};
};

/// Computes the forces of a list, with one block per item. clock: of the atoms; forces are computed if the atoms have
/// moved, have no forces yet, and the list is valid; null: always.
template <class Real, class Physics, bool kOneSpecies>
__global__ void __launch_bounds__(32 * ListTuning<Real>::kWarps, ListTuning<Real>::kBlocksPerSm)
    list_forces_kernel(const __grid_constant__ PairListView list, const __grid_constant__ AtomTilesView<Real> tiles,
                       const __grid_constant__ PairTableView<Real, CoefficientsOf<Physics, Real>> table,
                       const __grid_constant__ Physics physics, const StepClock* clock,
                       const __grid_constant__ ForceSumsView<Real> sums) {
  extern __shared__ __align__(32) unsigned char list_memory[];
  wait_for_kernel_before();
  ListForceBlock<Real, Physics, kOneSpecies>(list, tiles, table, physics, sums,
                                             ListSharedMemory<Real>(list_memory, list.slots()))
      .run(blockIdx.x,
           [&] { return blockIdx.x < list.state->n_items && list.usable() && (clock == nullptr || clock->moved()); });
}

/// Computes the energies of a list. energy: [n_tiles][kEnergyBlocksPerTile]; each block processes some of a tile's
/// items, one after another. Those of tiles that another GPU has are zero.
template <class Real, class Physics>
__global__ void __launch_bounds__(32 * ListTuning<Real>::kWarps, ListTuning<Real>::kBlocksPerSm)
    list_energies_kernel(const __grid_constant__ PairListView list, const __grid_constant__ AtomTilesView<Real> tiles,
                         const __grid_constant__ PairTableView<Real, CoefficientsOf<Physics, Real>> table,
                         const __grid_constant__ Physics physics, PartialEnergy* energy) {
  extern __shared__ __align__(32) unsigned char list_memory[];
  __shared__ PartialEnergy of_warp[ListTuning<Real>::kWarps];
  if (!list.usable()) return;
  if (!list.has_tile(blockIdx.x / kEnergyBlocksPerTile)) {
    if (threadIdx.x == 0) energy[blockIdx.x] = {0, 0, 0};
    return;
  }
  const TileItems items = list.tile_items[blockIdx.x / kEnergyBlocksPerTile];
  ListEnergyBlock<Real, Physics> block(list, tiles, table, physics, ListSharedMemory<Real>(list_memory, list.slots()));
  for (std::uint32_t item = blockIdx.x % kEnergyBlocksPerTile; item < items.n; item += kEnergyBlocksPerTile) {
    block.run(items.first + item, [] { return true; });
    __syncthreads();
  }
  const PartialEnergy mine = sum_of_warp(block.of_thread());
  if (threadIdx.x % 32 == 0) of_warp[threadIdx.x / 32] = mine;
  __syncthreads();
  if (threadIdx.x != 0) return;
  PartialEnergy sum{0, 0, 0};
  for (const PartialEnergy& part : of_warp) sum = sum + part;
  energy[blockIdx.x] = sum;
}

}  // namespace dropmd
