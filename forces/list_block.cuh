#pragma once

#include <cstdint>
#include <type_traits>

#include "forces/device_pair_table.cuh"
#include "forces/list_shape.h"
#include "neighbor/atom_tiles.cuh"
#include "neighbor/pair_list_view.cuh"

/// The way of a block through a unit of a pair list: atoms of all slots to shared memory, then each warp through the
/// list of one of the tile's quads, an atom of the list a lane, against the quad's atoms one by one. What is made
/// of a pair is not known here.
namespace dropmd {

/// A block's shared memory.
template <class Real>
struct ListShare {
  LocalAtom<Real>* atom;               ///< [slots + 32], in the frame of the unit's tile
  LocalAtom<Real>* own;                ///< [kTileAtoms], charge times k_e
  typename BlockSum<Real>::Word* sum;  ///< [slots + 32][3]
  std::uint16_t* species;              ///< [slots + 32]
  std::uint16_t* own_species;          ///< [kTileAtoms]

  __device__ ListShare(void* memory, std::uint32_t slots)
      : atom(static_cast<LocalAtom<Real>*>(memory)),
        own(atom + slots + 32),
        sum(reinterpret_cast<typename BlockSum<Real>::Word*>(own + kTileAtoms)),
        species(reinterpret_cast<std::uint16_t*>(sum + 3 * (slots + 32))),
        own_species(species + slots + 32) {}
};

/// Derived: what is made of pairs.
template <class Real, bool kOneSpecies, class Derived>
class ListBlock {
 public:
  __device__ ListBlock(const PairListView& list, const AtomTilesView<Real>& tiles, const PairTableView<Real>& table,
                       const ListShare<Real>& share)
      : list_(list), tiles_(tiles), table_(table), share_(share), slots_(list.slots()) {}

  /// By a whole block, before any use of the shared memory and between two units.
  __device__ void run(std::uint32_t u) {
    const auto warp = static_cast<int>(threadIdx.x / 32);
    const ListUnit unit = list_.unit[u];
    const ListRange range = list_.range[u * kTileQuads + warp];
    tile_ = unit.tile;
    neighbor_ = list_.neighbor + std::size_t{u} * list_.unit_clusters;
    quad_ = warp;
    first_own_ = unit.first != 0 ? warp * kQuadAtoms : -kTileAtoms;
    const Entries* entries =
        reinterpret_cast<const Entries*>(list_.entry + std::size_t{range.group} * kGroupEntries) + threadIdx.x % 32;
    Entries next{};
    if (range.near + range.far > 0) next = *entries;  // on its way while the atoms are fetched
    fetch(unit.n_clusters * kClusterAtoms);
    __syncthreads();
    derived().begin_quad();
    meet<true>(range.near, range.far > 0, entries, next);
    meet<false>(range.far, false, entries, next);
    derived().end_quad();
    __syncthreads();
    derived().end_unit(unit.n_clusters * kClusterAtoms);
  }

 protected:
  static constexpr bool kRelative = std::is_same_v<Real, float>;

  __device__ std::uint32_t lane() const { return threadIdx.x % 32; }
  /// Of an atom in a slot that is not padding.
  __device__ std::uint32_t place_of(std::uint32_t slot) const {
    return neighbor_[slot / kClusterAtoms].cluster() * kClusterAtoms + slot % kClusterAtoms;
  }
  /// Of the k-th atom of the warp's quad; behind the last atom, too.
  __device__ std::uint32_t own_place(int k) const { return tile_ * kTileAtoms + quad_ * kQuadAtoms + k; }
  __device__ const LocalAtom<Real>& own_atom(int k) const { return share_.own[quad_ * kQuadAtoms + k]; }
  __device__ const LjCoefficients<Real>& coefficients(int k, std::uint32_t slot) const {
    return table_.coefficients[share_.own_species[quad_ * kQuadAtoms + k] * table_.n_species + share_.species[slot]];
  }

  /// The atom in a lane's slot, and what rounding left out of it.
  struct Other {
    std::uint32_t slot;
    LocalAtom<Real> atom;
    Vec3<Real> rest;
  };

  /// The vector to the k-th atom of the quad from the other.
  template <bool kNear>
  __device__ Vec3<Real> vector(int k, const LocalAtom<Real>& own, const Other& other) const {
    Vec3<Real> d{own.x - other.atom.x, own.y - other.atom.y, own.z - other.atom.z};
    if constexpr (kNear && kRelative) {
      const LocalAtom<Real> rest = tiles_.rest[own_place(k)];
      d += Vec3<Real>{rest.x - other.rest.x, rest.y - other.rest.y, rest.z - other.rest.z};
    }
    return d;
  }

  /// Whether a near pair is one: the tile's own are met once, padding never.
  __device__ bool is_pair(int k, const Other& other) const {
    return static_cast<int>(other.slot) > first_own_ + k && other.slot < slots_;
  }

  const PairListView& list_;
  const AtomTilesView<Real>& tiles_;
  const PairTableView<Real>& table_;
  ListShare<Real> share_;
  std::uint32_t slots_;
  std::uint32_t tile_ = 0;
  const ListNeighbor* neighbor_ = nullptr;
  int quad_ = 0;
  int first_own_ = 0;  ///< slot of the quad's first atom, where they have slots in this unit

 private:
  using Entries = uint2;  // those of a lane in a group
  static_assert(sizeof(Entries) == kGroupBatches * sizeof(std::uint16_t));
  /// Where atoms behind the last one and those of the padding lie: far from all, and from each other.
  static constexpr Real kNowhere = Real(1e15);

  __device__ Derived& derived() { return static_cast<Derived&>(*this); }

  __device__ void fetch(std::uint32_t end) {
    for (std::uint32_t s = threadIdx.x; s < end; s += blockDim.x) {
      const ListNeighbor from = neighbor_[s / kClusterAtoms];
      const std::uint32_t place = from.cluster() * kClusterAtoms + s % kClusterAtoms;
      const LocalAtom<Real> atom = tiles_.local[place];
      share_.atom[s] = {atom.x + from.shift.x, atom.y + from.shift.y, atom.z + from.shift.z, atom.charge};
      if constexpr (!kOneSpecies)
        share_.species[s] = static_cast<std::uint16_t>(tiles_.species[min(place, tiles_.n_atoms - 1)]);
      derived().clear(s);
    }
    if (threadIdx.x < 32) {
      const std::uint32_t s = slots_ + threadIdx.x;
      share_.atom[s] = {kNowhere, kNowhere, kNowhere, 0};
      if constexpr (!kOneSpecies) share_.species[s] = 0;
      derived().clear(s);
    } else if (threadIdx.x < 32 + kTileAtoms) {
      const std::uint32_t k = threadIdx.x - 32, place = tile_ * kTileAtoms + k;
      const LocalAtom<Real> atom = tiles_.local[place];
      share_.own[k] = place < tiles_.n_atoms
                          ? LocalAtom<Real>{atom.x, atom.y, atom.z, atom.charge * table_.coulomb_constant}
                          : LocalAtom<Real>{-kNowhere, -kNowhere, -kNowhere, 0};
      if constexpr (!kOneSpecies)
        share_.own_species[k] = static_cast<std::uint16_t>(tiles_.species[min(place, tiles_.n_atoms - 1)]);
    }
  }

  template <bool kNear>
  __device__ void meet(std::uint32_t batches, bool more_after, const Entries*& entries, Entries& next) {
#pragma unroll 1
    for (std::uint32_t left = batches; left > 0;) {
      Entries now = next;
      entries += 32;
      if (left > kGroupBatches || more_after) next = *entries;  // on its way while this group is met
      const std::uint32_t end = min(left, static_cast<std::uint32_t>(kGroupBatches));
      left -= end;
#pragma unroll 1
      for (std::uint32_t batch = 0; batch < end; ++batch) {
        Other other{now.x & 0xFFFFU, {}, {}};
        now = {__funnelshift_r(now.x, now.y, 16), now.y >> 16U};
        other.atom = share_.atom[other.slot];
        if constexpr (kNear && kRelative) {
          if (other.slot < slots_) other.rest = rest_of(other.slot);
        }
        derived().template meet_atom<kNear>(other);
      }
    }
  }

  /// What rounding left out of the atom in a slot, the sum of offset and shift included.
  __device__ Vec3<Real> rest_of(std::uint32_t slot) const {
    const ListNeighbor from = neighbor_[slot / kClusterAtoms];
    const std::uint32_t place = from.cluster() * kClusterAtoms + slot % kClusterAtoms;
    const LocalAtom<Real> atom = tiles_.local[place], rest = tiles_.rest[place];
    // Frames of tiles that far-flung atoms stretch may lie too far apart for the shift to be exact.
    const Vec3<double> d = tiles_.frame[place / kTileAtoms].centre - tiles_.frame[tile_].centre;
    const auto left = [](Real of_atom, double exact, Real shift, Real offset) {
      return of_atom + left_by_rounding(exact, shift) + left_out_by_sum(offset, shift);
    };
    return {left(rest.x, d.x, from.shift.x, atom.x), left(rest.y, d.y, from.shift.y, atom.y),
            left(rest.z, d.z, from.shift.z, atom.z)};
  }
};

}  // namespace dropmd
