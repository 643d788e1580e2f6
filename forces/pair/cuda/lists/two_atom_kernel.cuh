#pragma once

#include <cstdint>

#include "core/step_clock.h"
#include "device/launch.cuh"
#include "forces/force_sums.cuh"
#include "forces/pair/cuda/device_pair_table.cuh"
#include "forces/pair/cuda/partial_energy.cuh"
#include "forces/pair/pair_physics.h"
#include "neighbor/atom_tiles.cuh"
#include "neighbor/lists/two_atom_list_view.cuh"

/// Forces and energies of the pairs of a list of two-atom clusters: the atoms of all slots are loaded into shared
/// memory, then each lane processes the list of its two atoms.
namespace dropmd {

/// An atom in shared memory: fixed-point coordinates relative to the block's centre; in a wide block only the storage
/// index, in x.
struct alignas(16) TwoAtomSlot {
  std::int32_t x, y, z;
  std::uint32_t species;
};

/// The lane's two atoms and another one in a slot. Differences are exact to the resolution of the quantum.
class LocalPair {
 public:
  using Other = TwoAtomSlot;

  __device__ LocalPair(const TwoAtomBlock& block, const TwoAtomSlot* j_atoms, const Vec3<double> (&own)[2],
                       const std::uint32_t (&species)[2])
      : j_atoms_(j_atoms),
        scale_(block.quantum),
        own_{slot_of(block, own[0], species[0]), slot_of(block, own[1], species[1])} {}

  static __device__ TwoAtomSlot slot_of(const TwoAtomBlock& block, const Vec3<double>& position,
                                        std::uint32_t species) {
    const double quanta = 1.0 / double{block.quantum};
    const Vec3<double> d = quanta * (position - block.centre);
    return {__double2int_rn(d.x), __double2int_rn(d.y), __double2int_rn(d.z), species};
  }
  static __device__ TwoAtomSlot no_atom() { return {kNoCoordinate, kNoCoordinate, kNoCoordinate, 0}; }

  __device__ Other other(std::uint32_t slot) const { return j_atoms_[slot]; }
  __device__ Other second() const { return own_[1]; }
  static __device__ std::uint32_t species(const Other& other) { return other.species; }
  /// Returns the vector in quanta; lengths are scale() times that.
  __device__ Vec3<float> vector(int k, const Other& other) const {
    const auto minus = [](std::int32_t a, std::int32_t b) {
      return static_cast<float>(
          static_cast<std::int32_t>(static_cast<std::uint32_t>(a) - static_cast<std::uint32_t>(b)));
    };
    return {minus(own_[k].x, other.x), minus(own_[k].y, other.y), minus(own_[k].z, other.z)};
  }
  __device__ float scale() const { return scale_; }

 private:
  const TwoAtomSlot* j_atoms_;
  float scale_;
  TwoAtomSlot own_[2];
};

/// The same for blocks whose atoms are too far apart for fixed point.
class WidePair {
 public:
  struct Other {
    Vec3<double> position;
    std::uint32_t species;
  };

  __device__ WidePair(const AtomTilesView<float>& atoms, const TwoAtomSlot* j_atoms, const Vec3<double> (&own)[2],
                      const std::uint32_t (&species)[2])
      : atoms_(atoms), j_atoms_(j_atoms), own_{own[0], own[1]}, species_of_second_(species[1]) {}

  __device__ Other atom_at(std::uint32_t index) const { return {atoms_.position[index], atoms_.species[index]}; }
  __device__ Other other(std::uint32_t slot) const {
    const auto index = static_cast<std::uint32_t>(j_atoms_[slot].x);
    constexpr double kFar = 4 * kFarthest;
    return index < atoms_.n_atoms ? atom_at(index) : Other{{kFar, kFar, kFar}, 0};
  }
  __device__ Other second() const { return {own_[1], species_of_second_}; }
  static __device__ std::uint32_t species(const Other& other) { return other.species; }
  __device__ Vec3<float> vector(int k, const Other& other) const {
    return near_enough<float>(own_[k] - other.position);
  }
  static __device__ float scale() { return 1.0F; }

 private:
  const AtomTilesView<float>& atoms_;
  const TwoAtomSlot* j_atoms_;
  Vec3<double> own_[2];
  std::uint32_t species_of_second_;
};

/// Iterates a block over its lists. kExclusions: whether pairs may be left out.
template <bool kOneSpecies, bool kExclusions>
class TwoAtomWalk {
 public:
  __device__ TwoAtomWalk(const TwoAtomListView& list, const AtomTilesView<float>& atoms,
                         const PairTableView<float>& table, TwoAtomSlot* j_atoms)
      : list_(list), atoms_(atoms), table_(table), j_atoms_(j_atoms), block_(list.block[blockIdx.x]) {
    index_ = blockIdx.x * kTwoAtomBlockAtoms + 2 * threadIdx.x;
    for (std::uint32_t k = 0; k < 2; ++k) {
      const std::uint32_t index = min(index_ + k, atoms.n_atoms - 1);
      own_[k] = atoms.position[index];
      species_[k] = kOneSpecies ? 0 : atoms.species[index];
    }
  }

  /// Storage index of the lane's atom k; it may be past the last atom.
  __device__ std::uint32_t index(int k) const { return index_ + k; }
  __device__ bool is_atom(int k) const { return index(k) < atoms_.n_atoms; }
  /// Length of the unit of vectors between atoms.
  __device__ float scale() const { return block_.buffer == TwoAtomBuffer::local ? block_.quantum : WidePair::scale(); }
  __device__ LjCoefficients<float> coefficients(int k, std::uint32_t species) const {
    return table_.coefficients[kOneSpecies ? 0 : species_[k] * table_.n_species + species];
  }

  /// Loads the atoms of all slots into shared memory. All threads of a block must call it.
  __device__ void fetch() const {
    if (block_.buffer == TwoAtomBuffer::overfull) return;
    constexpr std::uint32_t kAtOnce = 4;  // loads of a thread in flight at once
    for (std::uint32_t from = threadIdx.x; from < block_.n_slots; from += kAtOnce * blockDim.x) {
      std::uint32_t indices[kAtOnce];
      Vec3<double> x[kAtOnce];
#pragma unroll
      for (std::uint32_t k = 0; k < kAtOnce; ++k) indices[k] = index_in(min(from + k * blockDim.x, block_.n_slots - 1));
#pragma unroll
      for (std::uint32_t k = 0; k < kAtOnce; ++k) x[k] = atoms_.position[indices[k]];
#pragma unroll
      for (std::uint32_t k = 0; k < kAtOnce; ++k) {
        const std::uint32_t s = from + k * blockDim.x;
        if (s >= block_.n_slots) break;
        const std::uint32_t species = kOneSpecies ? 0 : atoms_.species[indices[k]];
        j_atoms_[s] = block_.buffer == TwoAtomBuffer::local
                          ? LocalPair::slot_of(block_, x[k], species)
                          : TwoAtomSlot{static_cast<std::int32_t>(indices[k]), 0, 0, 0};
      }
    }
    if (threadIdx.x == 0)
      j_atoms_[block_.n_slots] =
          block_.buffer == TwoAtomBuffer::local ? LocalPair::no_atom() : TwoAtomSlot{-1, 0, 0, 0};
  }

  /// Calls use(pair, k, other, counts, storage_index_of) for each of the lane's two atoms with another atom, and
  /// use_pair(pair) for the pair that the two form. counts: whether the pair is not excluded.
  template <class Use, class UsePair>
  __device__ void run(const Use& use, const UsePair& use_pair) const {
    if (blockIdx.x * kTwoAtomBlockAtoms + threadIdx.x / 32 * kTileAtoms >= atoms_.n_atoms) return;
    if (block_.buffer == TwoAtomBuffer::local) {
      const LocalPair pair(block_, j_atoms_, own_, species_);
      through_list(pair, use);
      if (are_pair()) use_pair(pair);
    } else {
      const WidePair pair(atoms_, j_atoms_, own_, species_);
      if (block_.buffer == TwoAtomBuffer::wide)
        through_list(pair, use);
      else
        through_all(pair, use);
      if (are_pair()) use_pair(pair);
    }
  }

 private:
  __device__ std::uint32_t index_in(std::uint32_t slot) const {
    return TwoAtomListView::storage_index_of(list_.slot[std::size_t{blockIdx.x} * list_.max_slots + slot]);
  }

  /// Returns one bit for each of the lane's two atoms that is excluded with another.
  __device__ unsigned excluded_with(std::uint32_t index) const {
    if constexpr (!kExclusions) return 0;
    if (!atoms_.excluded.any()) return 0;
    return atoms_.excluded.bits_of_row(2, index, index_);
  }
  /// Returns whether the lane's two atoms form a pair that counts.
  __device__ bool are_pair() const { return is_atom(1) && (excluded_with(index(1)) & 1U) == 0; }

  template <class Pair, class Use>
  __device__ void through_list(const Pair& pair, const Use& use) const {
    const std::uint32_t tile = blockIdx.x * kTwoAtomWarps + threadIdx.x / 32;
    const TwoAtomWord* word = list_.words(tile) + threadIdx.x % 32;
    TwoAtomWord next = *word;
#pragma unroll 1
    for (std::uint32_t n = list_.n_words[tile]; n > 0; --n) {
      const TwoAtomWord now = next;
      next = *(word += 32);
#pragma unroll
      for (int e = 0; e < kWordEntries; ++e) {
        const std::uint32_t entry = now.entry[e], slot = kExclusions ? entry & kMostTwoAtomSlots : entry;
        const unsigned excluded = kExclusions ? entry >> kTwoAtomSlotBits : 0;
        const auto other = pair.other(slot);
        const auto storage_index_of = [&] { return slot < block_.n_slots ? index_in(slot) : atoms_.n_atoms; };
        use(pair, 0, other, (excluded & 1U) == 0, storage_index_of);
        use(pair, 1, other, (excluded & 2U) == 0, storage_index_of);
      }
    }
  }

  template <class Use>
  __device__ void through_all(const WidePair& pair, const Use& use) const {
#pragma unroll 1
    for (std::uint32_t j = 0; j < atoms_.n_atoms; ++j) {
      if (j - index_ < 2) continue;
      const auto other = pair.atom_at(j);
      const unsigned excluded = excluded_with(j);
      const auto storage_index_of = [&] { return j; };
      use(pair, 0, other, (excluded & 1U) == 0, storage_index_of);
      use(pair, 1, other, (excluded & 2U) == 0, storage_index_of);
    }
  }

  const TwoAtomListView& list_;
  const AtomTilesView<float>& atoms_;
  const PairTableView<float>& table_;
  TwoAtomSlot* j_atoms_;
  TwoAtomBlock block_;
  std::uint32_t index_ = 0;
  Vec3<double> own_[2];
  std::uint32_t species_[2];
};

/// Number of blocks that the registers of a multiprocessor must allow.
inline constexpr int kTwoAtomBlocksPerSm = 8;

template <class Physics, bool kOneSpecies, bool kExclusions>
__global__ void __launch_bounds__(32 * kTwoAtomWarps, kTwoAtomBlocksPerSm)
    two_atom_forces_kernel(const __grid_constant__ TwoAtomListView list,
                           const __grid_constant__ AtomTilesView<float> atoms,
                           const __grid_constant__ PairTableView<float> table, const __grid_constant__ Physics physics,
                           const StepClock* clock, const __grid_constant__ ForceSumsView<float> sums) {
  extern __shared__ TwoAtomSlot j_atoms[];
  wait_for_kernel_before();
  if (!list.has_block(blockIdx.x)) return;
  if (!list.usable() || (clock != nullptr && !clock->moved())) return;
  TwoAtomWalk<kOneSpecies, kExclusions> walk(list, atoms, table, j_atoms);
  walk.fetch();
  __syncthreads();
  Vec3<float> force[2] = {};  // times the unit of vectors
  const LjCoefficients<float> only = table.coefficients[0];
  const auto of_pair = [&](const auto& pair, int k, const auto& other, Vec3<float>& d) {
    d = pair.vector(k, other);
    const float r2 = pair.scale() * pair.scale() * squared_norm(d);
    const LjCoefficients<float> c = kOneSpecies ? only : walk.coefficients(k, pair.species(other));
    return physics(r2, c, 0.0F).force_over_r;
  };
  walk.run(
      [&](const auto& pair, int k, const auto& other, bool counts, const auto&) {
        Vec3<float> d;
        float f = of_pair(pair, k, other, d);
        if constexpr (kExclusions) f = counts ? f : 0.0F;
        force[k] = {lane_fma(f, d.x, force[k].x), lane_fma(f, d.y, force[k].y), lane_fma(f, d.z, force[k].z)};
      },
      [&](const auto& pair) {
        Vec3<float> d;
        const float f = of_pair(pair, 0, pair.second(), d);
        force[0] = {lane_fma(f, d.x, force[0].x), lane_fma(f, d.y, force[0].y), lane_fma(f, d.z, force[0].z)};
        force[1] = {lane_fma(-f, d.x, force[1].x), lane_fma(-f, d.y, force[1].y), lane_fma(-f, d.z, force[1].z)};
      });
  for (int k = 0; k < 2; ++k)
    if (walk.is_atom(k)) sums.add(walk.index(k), walk.scale() * force[k]);
}

/// Computes the energies, with or without exclusions. energy: [n_blocks]; those of other shares are zero.
template <class Physics>
__global__ void __launch_bounds__(32 * kTwoAtomWarps)
    two_atom_energies_kernel(const __grid_constant__ TwoAtomListView list,
                             const __grid_constant__ AtomTilesView<float> atoms,
                             const __grid_constant__ PairTableView<float> table,
                             const __grid_constant__ Physics physics, PartialEnergy* energy) {
  extern __shared__ TwoAtomSlot j_atoms[];
  __shared__ PartialEnergy of_warp[kTwoAtomWarps];
  if (!list.usable()) return;
  if (!list.has_block(blockIdx.x)) {
    if (threadIdx.x == 0) energy[blockIdx.x] = {0, 0, 0};
    return;
  }
  TwoAtomWalk<false, true> walk(list, atoms, table, j_atoms);
  walk.fetch();
  __syncthreads();
  PartialEnergy sum{0, 0, 0};
  const auto add = [&](const auto& pair, int k, const auto& other) {
    const float r2 = pair.scale() * pair.scale() * squared_norm(pair.vector(k, other));
    if (!(r2 < table.cutoff2)) return;
    sum = sum + PartialEnergy{physics.for_energies(r2, walk.coefficients(k, pair.species(other)), 0.0F).vdw, 0, 1};
  };
  walk.run(
      [&](const auto& pair, int k, const auto& other, bool counts, const auto& storage_index_of) {
        // The pair is counted by the atom with the lower index.
        const std::uint32_t index = storage_index_of();
        if (counts && index < atoms.n_atoms && walk.index(k) < index) add(pair, k, other);
      },
      [&](const auto& pair) { add(pair, 0, pair.second()); });
  sum = sum_of_warp(sum);
  if (threadIdx.x % 32 == 0) of_warp[threadIdx.x / 32] = sum;
  __syncthreads();
  if (threadIdx.x != 0) return;
  PartialEnergy all{0, 0, 0};
  for (const PartialEnergy& part : of_warp) all = all + part;
  energy[blockIdx.x] = all;
}

}  // namespace dropmd
