#pragma once

#include <cstdint>
#include <type_traits>

#include "forces/pair/cuda/device_pair_table.cuh"
#include "forces/pair/cuda/lists/list_shape.h"
#include "neighbor/atom_tiles.cuh"
#include "neighbor/lists/pair_list_view.cuh"

/// Iterates a block over a work item of a pair list. The atoms of all slots are loaded into shared memory; each warp
/// then processes the lists of one of the tile's clusters: each lane takes an atom of the list and loops over the atoms
/// of the cluster, or of one of its halves. What is computed for a pair is left to the derived class.
namespace dropmd {

/// The shared memory of a block.
template <class Real>
struct ListSharedMemory {
  LocalAtom<Real>* atom;                ///< [slots + 32], in the frame of the item's tile
  LocalAtom<Real>* own;                 ///< [kTileAtoms], charge multiplied by k_e
  LocalAtom<Real>* own_low_order;       ///< [kTileAtoms], float only
  ListNeighbor* neighbor;               ///< [slots / kClusterAtoms]
  typename BlockWord<Real>::Type* sum;  ///< [slots + 32][3]
  std::uint16_t* species;  ///< [slots + 32]; this and the next are absent unless coefficients are looked up
  PairTableRow* own_row;   ///< [kTileAtoms]

  __device__ ListSharedMemory(void* memory, std::uint32_t slots)
      : atom(static_cast<LocalAtom<Real>*>(memory)),
        own(atom + slots + 32),
        own_low_order(own + kTileAtoms),
        neighbor(reinterpret_cast<ListNeighbor*>(own_low_order + kTileAtoms)),
        sum(reinterpret_cast<typename BlockWord<Real>::Type*>(neighbor + slots / kClusterAtoms)),
        species(reinterpret_cast<std::uint16_t*>(sum + 3 * (slots + 32))),
        own_row(reinterpret_cast<PairTableRow*>(species + slots + 32)) {}
};

/// A range of the atoms of a warp's cluster.
template <int kFirstAtom, int kAtoms>
struct OwnAtoms {
  static constexpr int kBegin = kFirstAtom, kEnd = kFirstAtom + kAtoms;
};

/// Derived: what is computed for a pair.
template <class Real, class Coefficients, bool kOneSpecies, class Derived>
class ListBlock {
 public:
  __device__ ListBlock(const PairListView& list, const AtomTilesView<Real>& tiles,
                       const PairTableView<Real, Coefficients>& table, const ListSharedMemory<Real>& shared)
      : list_(list), tiles_(tiles), table_(table), shared_(shared), slots_(list.slots()) {}

  /// Computes a work item. All threads of the block must call it, with a barrier between two items. Everything that an
  /// item needs at its start is read at once; the values are arbitrary if there is no such item, so `continues` is
  /// asked only after the reads.
  template <class Continues>
  __device__ void run(std::uint32_t u, const Continues& continues) {
    own_cluster_ = static_cast<int>(threadIdx.x / 32);
    const ListItem item = list_.item[u];
    const ListRange range = list_.range[u * kTileClusters + own_cluster_];
    for (std::uint32_t k = threadIdx.x; k < list_.item_clusters; k += blockDim.x)
      shared_.neighbor[k] = list_.neighbor[std::size_t{u} * list_.item_clusters + k];
    if (!continues()) return;
    tile_ = item.tile;
    coarse_ = item.coarse;
    first_own_ = item.first ? own_cluster_ * kClusterAtoms : -kTileAtoms;
    entry_ = list_.entry + std::size_t{range.batch} * kBatch + lane();
    mask_ = entry_ + (range.near + range.both + range.half[0] + range.half[1]) * kBatch;
    next_ = entry_[0];  // loads while the atoms are fetched
    __syncthreads();
    fetch(item.n_clusters * kClusterAtoms);
    __syncthreads();
    if (several_species()) find_rows();
    derived().begin_cluster();
    meet<true, OwnAtoms<0, kClusterAtoms>>(range.near);
    meet<false, OwnAtoms<0, kClusterAtoms>>(range.both);
    meet<false, OwnAtoms<0, kHalfClusterAtoms>>(range.half[0]);
    meet<false, OwnAtoms<kHalfClusterAtoms, kHalfClusterAtoms>>(range.half[1]);
    derived().end_cluster();
    __syncthreads();
    derived().end_item(item.n_clusters * kClusterAtoms);
  }

 protected:
  static constexpr bool kRelative = std::is_same_v<Real, float>;

  __device__ std::uint32_t lane() const { return threadIdx.x % 32; }
  /// Storage index of the atom in a slot that is not padding.
  __device__ std::uint32_t storage_index_of(std::uint32_t slot) const {
    return shared_.neighbor[slot / kClusterAtoms].cluster() * kClusterAtoms + slot % kClusterAtoms;
  }
  /// Storage index of the k-th atom of the warp's cluster; it may be past the last atom.
  __device__ std::uint32_t own_index(int k) const { return tile_ * kTileAtoms + own_cluster_ * kClusterAtoms + k; }
  __device__ const LocalAtom<Real>& own_atom(int k) const { return shared_.own[own_cluster_ * kClusterAtoms + k]; }
  /// Whether coefficients are looked up. In single precision, which has a kernel of its own for one species, the check
  /// would cost more than the lookup.
  __device__ bool several_species() const {
    if constexpr (kOneSpecies) return false;
    return kRelative || table_.n_species > 1;
  }

  /// The atom in a lane's slot. Only for near atoms: its low-order part, and one bit for each of the cluster's atoms
  /// with which it forms a pair that counts.
  struct Other {
    std::uint32_t slot;
    LocalAtom<Real> atom;
    Vec3<Real> low_order;
    unsigned pairs;
    std::uint32_t species;  ///< if there are several
  };
  /// Returns the coefficients of the atoms in common_row_ and another one, if there are several species.
  __device__ const Coefficients& common_coefficients(const Other& other) const {
    return table_.coefficients[common_row_ + other.species];
  }

  /// Returns whether any van der Waals term acts on the k-th atom of the cluster; the same for all lanes.
  __device__ bool has_vdw(int k) const { return !several_species() || (has_vdw_ >> k & 1U) != 0; }
  /// Returns the coefficients of the k-th atom of the cluster and another one, if there are several species.
  __device__ const Coefficients& coefficients(int k, const Other& other) const {
    return table_.coefficients[(row_of(k) & ~(1U << kHasVdwBit)) + other.species];
  }

  /// Returns the vector from the other atom to the k-th atom of the cluster.
  template <bool kNear>
  __device__ Vec3<Real> vector(int k, const LocalAtom<Real>& own, const Other& other) const {
    Vec3<Real> d{own.x - other.atom.x, own.y - other.atom.y, own.z - other.atom.z};
    if constexpr (kNear && kRelative) {
      const LocalAtom<Real>& low = shared_.own_low_order[own_cluster_ * kClusterAtoms + k];
      d += Vec3<Real>{low.x - other.low_order.x, low.y - other.low_order.y, low.z - other.low_order.z};
    }
    return d;
  }

  /// Reads the entry of the next batch, which loads while the rest of this batch is computed; meet_atom() calls it
  /// once. The force kernel calls it after the first pairs: at the beginning the compiler would load into a spare
  /// register and soon wait for the load in order to move the value (docs/experiments.md, "Rigid water on the GPU").
  __device__ void read_ahead() {
    entry_ += kBatch;
    next_ = entry_[0];
  }

  /// Returns whether a near pair counts.
  static __device__ bool is_pair(int k, const Other& other) { return (other.pairs >> k & 1U) != 0; }

  const PairListView& list_;
  const AtomTilesView<Real>& tiles_;
  const PairTableView<Real, Coefficients>& table_;
  ListSharedMemory<Real> shared_;
  std::uint32_t slots_;
  std::uint32_t tile_ = 0;
  bool coarse_ = false;  ///< whether shifts may have been rounded
  int own_cluster_ = 0;
  unsigned has_vdw_ = 0;  ///< one bit for each atom of the cluster, if there are several species
  /// The row of the first of them in the pair table, and one bit for each atom that has the same.
  std::uint32_t common_row_ = 0;
  unsigned in_common_row_ = 0;
  int first_own_ = 0;  ///< slot of the cluster's first atom, if its atoms have slots in this item

 private:
  static_assert(kReadAhead == 1);
  /// Coordinate of absent atoms and of padding: far from all atoms, and from each other.
  static constexpr Real kNowhere = Real(1e15);
  static constexpr unsigned kClusterMask = (1U << kClusterAtoms) - 1;

  __device__ Derived& derived() { return static_cast<Derived&>(*this); }
  __device__ PairTableRow row_of(int k) const { return shared_.own_row[own_cluster_ * kClusterAtoms + k]; }
  /// Finds which atoms of the cluster have a van der Waals term and which of these have the same coefficients.
  __device__ void find_rows() {
    const PairTableRow row = row_of(static_cast<int>(lane()) % kClusterAtoms);
    const bool has_vdw = (row >> kHasVdwBit) != 0;
    has_vdw_ = __ballot_sync(0xFFFFFFFFU, has_vdw) & kClusterMask;
    const PairTableRow common = has_vdw_ != 0 ? row_of(__ffs(static_cast<int>(has_vdw_)) - 1) : 0;
    common_row_ = common & ~(1U << kHasVdwBit);
    in_common_row_ = __ballot_sync(0xFFFFFFFFU, has_vdw && row == common) & kClusterMask;
  }

  __device__ void fetch(std::uint32_t end) {
    constexpr std::uint32_t kAtOnce = kRelative ? 7 : 2;  // loads of a thread in flight at once
    for (std::uint32_t from = threadIdx.x; from < end; from += kAtOnce * blockDim.x) {
      LocalAtom<Real> atom[kAtOnce];
#pragma unroll
      for (std::uint32_t k = 0; k < kAtOnce; ++k) {
        const std::uint32_t s = from + k * blockDim.x;
        if (s < end) atom[k] = tiles_.local[storage_index_of(s)];
      }
#pragma unroll
      for (std::uint32_t k = 0; k < kAtOnce; ++k) {
        const std::uint32_t s = from + k * blockDim.x;
        if (s >= end) break;
        const Vec3<float> shift = shared_.neighbor[s / kClusterAtoms].shift;
        shared_.atom[s] = {atom[k].x + shift.x, atom[k].y + shift.y, atom[k].z + shift.z, atom[k].charge};
        if (several_species())
          shared_.species[s] = static_cast<std::uint16_t>(tiles_.species[min(storage_index_of(s), tiles_.n_atoms - 1)]);
        derived().clear(s);
      }
    }
    if (threadIdx.x < 32) {
      const std::uint32_t s = slots_ + threadIdx.x;
      shared_.atom[s] = {kNowhere, kNowhere, kNowhere, 0};
      if (several_species()) shared_.species[s] = 0;
      derived().clear(s);
    } else if (threadIdx.x < 32 + kTileAtoms) {
      const std::uint32_t k = threadIdx.x - 32, index = tile_ * kTileAtoms + k;
      const LocalAtom<Real> atom = tiles_.local[index];
      shared_.own[k] = index < tiles_.n_atoms
                           ? LocalAtom<Real>{atom.x, atom.y, atom.z, atom.charge * table_.coulomb_constant}
                           : LocalAtom<Real>{-kNowhere, -kNowhere, -kNowhere, 0};
      if constexpr (kRelative) shared_.own_low_order[k] = tiles_.low_order[index];
      if (several_species()) {
        const std::uint32_t species = tiles_.species[min(index, tiles_.n_atoms - 1)];
        shared_.own_row[k] = species * table_.n_species | PairTableRow{table_.has_vdw[species]} << kHasVdwBit;
      }
    }
  }

  template <bool kNear, class Own>
  __device__ void meet(std::uint32_t batches) {
#pragma unroll 1
    for (; batches > 0; --batches) {
      Other other{next_, {}, {}, 0, 0};
      other.atom = shared_.atom[other.slot];
      if (several_species()) other.species = shared_.species[other.slot];
      if constexpr (kNear && kRelative) {
        if (other.slot < slots_) other.low_order = low_order_of(other.slot);
      }
      if constexpr (kNear) other.pairs = pairs_of_next(other.slot);
      derived().template meet_atom<kNear, Own>(other);
    }
  }

  /// Returns the atoms of the cluster that form a pair with the atom in the slot of the next near entry: pairs within
  /// the tile are computed once, and excluded ones never. (Padding is too far away for any pair.)
  __device__ unsigned pairs_of_next(std::uint32_t slot) {
    const int n_before = min(max(static_cast<int>(slot) - first_own_, 0), kClusterAtoms);
    const unsigned pairs = (1U << n_before) - 1;
    if (!tiles_.excluded.any()) return pairs;
    const unsigned excluded = *mask_;
    mask_ += kBatch;
    return pairs & ~excluded;
  }

  /// Returns the low-order part of the atom in a slot, including the rounding of offset plus shift.
  __device__ Vec3<Real> low_order_of(std::uint32_t slot) const {
    const ListNeighbor from = shared_.neighbor[slot / kClusterAtoms];
    const std::uint32_t index = from.cluster() * kClusterAtoms + slot % kClusterAtoms;
    const LocalAtom<Real> atom = tiles_.local[index], left = tiles_.low_order[index];
    Vec3<Real> low{left.x + rounding_of_sum(atom.x, from.shift.x), left.y + rounding_of_sum(atom.y, from.shift.y),
                   left.z + rounding_of_sum(atom.z, from.shift.z)};
    if (coarse_) low += low_order_of_shift(tiles_.frame, tile_, index, from.shift);
    return low;
  }
  /// Returns the low-order part of a shift: frames of tiles that outliers stretch may be too far apart for the shift to
  /// be exact. (Static, since a call with the object would force it out of registers.)
  static __device__ __noinline__ Vec3<Real> low_order_of_shift(const TileFrame<Real>* frame, std::uint32_t tile,
                                                               std::uint32_t index, Vec3<float> shift) {
    const Vec3<double> d = frame[index / kTileAtoms].centre - frame[tile].centre;
    return {low_order_part<Real>(d.x, shift.x), low_order_part<Real>(d.y, shift.y), low_order_part<Real>(d.z, shift.z)};
  }

  const std::uint16_t* entry_ = nullptr;  ///< of the lane, in the next batch
  const std::uint16_t* mask_ = nullptr;   ///< of the lane, in the next near batch
  std::uint32_t next_ = 0;                ///< that entry
};

}  // namespace dropmd
