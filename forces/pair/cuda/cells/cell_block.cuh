#pragma once

#include <cstdint>
#include <type_traits>

#include "forces/pair/cuda/cells/cell_shape.cuh"
#include "forces/pair/cuda/device_pair_table.cuh"
#include "neighbor/atom_tiles.cuh"
#include "neighbor/cells/cell_pairs_view.cuh"

/// Iterates a block over the pairs of a cell. The atoms of all its neighbours are loaded into shared memory, as many as
/// fit at once. The warps then take the cell's sub-clusters one by one: each lane takes an atom of a neighbour and
/// loops over the atoms of the sub-cluster. With sorted cells a sub-cluster interacts only with those atoms of each
/// neighbour that come first along the axis to it. What is computed for a pair is left to the derived class.
namespace dropmd {

/// The shared memory of a block.
template <class Real>
struct CellSharedMemory {
  using Word = typename BlockWord<Real>::Type;

  LocalAtom<Real>* atom;       ///< [slots + 32], relative to the origin of the block
  LocalAtom<Real>* own;        ///< [warps][kSubClusterAtoms], charge multiplied by k_e
  Vec3<double>* own_position;  ///< [warps][kSubClusterAtoms]
  Word* sum;                   ///< [slots + 32][3]
  std::uint32_t* index;        ///< [slots + 32]
  /// [n_offsets + 1], numbered over all slots, whether or not they fit at once.
  std::uint32_t* first_slot;
  /// [warps][n_offsets] sorted cells: atoms of the sub-cluster's range below this index ...
  std::uint32_t* range_end;
  std::uint32_t* range_slot;  ///< [warps][n_offsets] ... have this slot less their index in the range
  /// [warps][kSubClusterAtoms] host indices of the sub-cluster's atoms; with exclusions only.
  std::uint32_t* own_host;
  std::uint16_t* species;      ///< [slots + 32]
  std::uint16_t* own_species;  ///< [warps][kSubClusterAtoms]

  std::uint32_t slots;  ///< CellBlockShape

  __device__ CellSharedMemory(void* memory, std::uint32_t slots_at_once, std::uint32_t n_offsets, bool sorted)
      : slots(slots_at_once) {
    const std::uint32_t warps = blockDim.x / 32, all = slots + 32;
    const std::uint32_t ranges = sorted ? warps * n_offsets : 0;
    atom = static_cast<LocalAtom<Real>*>(memory);
    own = atom + all;
    own_position = reinterpret_cast<Vec3<double>*>(own + warps * kSubClusterAtoms);
    sum = reinterpret_cast<Word*>(own_position + warps * kSubClusterAtoms);
    index = reinterpret_cast<std::uint32_t*>(sum + 3 * all);
    first_slot = index + all;
    range_end = first_slot + n_offsets + 1;
    range_slot = range_end + ranges;
    own_host = range_slot + ranges;
    species = reinterpret_cast<std::uint16_t*>(own_host + warps * kSubClusterAtoms);
    own_species = species + all;
  }
};

/// Derived: what is computed for a pair. kAnyWarp: whether any warp may take any sub-cluster. kExclusions: whether
/// pairs may be left out.
template <class Real, class Coefficients, bool kOneSpecies, bool kExclusions, class Derived>
class CellBlock {
 public:
  __device__ CellBlock(const CellPairsView& cells, const AtomTilesView<Real>& atoms,
                       const PairTableView<Real, Coefficients>& table, const CellSharedMemory<Real>& shared)
      : cells_(cells), atoms_(atoms), table_(table), shared_(shared) {}

  /// Computes the pairs of a group of a cell's sub-clusters. All threads of the block must call it, and nothing else
  /// may use the shared memory meanwhile.
  __device__ void run(std::uint32_t cell, std::uint32_t group) {
    __shared__ std::uint32_t next_sub_cluster;
    first_ = cells_.first[cell];
    count_ = cells_.first[cell + 1] - first_;
    own_from_ = group * kCellGroupAtoms;
    if (own_from_ >= count_) return;
    cell_ = cell;
    n_sub_clusters_ = min(kGroupSubClusters, (count_ - own_from_ + kSubClusterAtoms - 1) / kSubClusterAtoms);
    first_sub_cluster_ = CellPairsView::first_sub_cluster(cell, first_) + group * kGroupSubClusters;
    if constexpr (kRelative) origin_ = middle_of_group();
    number_slots();
    bool outlier = false;
    const std::uint32_t n_slots = shared_.first_slot[cells_.n_offsets];
    for (chunk_ = 0; chunk_ < n_slots; chunk_ += shared_.slots) {
      const std::uint32_t here = min(shared_.slots, n_slots - chunk_);
      if (threadIdx.x == 0) next_sub_cluster = 0;
      outlier = __syncthreads_or(fetch(here)) != 0 || outlier;
      exact_below2_ = outlier ? std::numeric_limits<Real>::infinity() : table_.near_distance2 * Real(1.00001);
      for (std::uint32_t turn = warp();; turn += blockDim.x / 32) {
        std::uint32_t sub_cluster = turn;
        if constexpr (Derived::kAnyWarp) {
          if (lane() == 0) sub_cluster = atomicAdd(&next_sub_cluster, 1U);
          sub_cluster = __shfl_sync(0xFFFFFFFFU, sub_cluster, 0);
        }
        if (sub_cluster >= n_sub_clusters_) break;
        meet_all(sub_cluster, chunk_ + here);
      }
      __syncthreads();
      derived().end_chunk(here);
      __syncthreads();
    }
  }

 protected:
  static constexpr bool kRelative = std::is_same_v<Real, float>;

  static __device__ std::uint32_t lane() { return threadIdx.x % 32; }
  static __device__ std::uint32_t warp() { return threadIdx.x / 32; }
  /// Storage index of the k-th atom of the warp's sub-cluster, if that atom exists.
  __device__ std::uint32_t own_index(std::uint32_t k) const { return cells_.storage_index[first_ + own_in_cell(k)]; }
  __device__ bool own_is_there(std::uint32_t k) const { return own_in_cell(k) < count_; }
  __device__ const LocalAtom<Real>& own_atom(std::uint32_t k) const {
    return shared_.own[warp() * kSubClusterAtoms + k];
  }
  __device__ const Coefficients& coefficients(std::uint32_t k, std::uint32_t slot) const {
    return table_
        .coefficients[shared_.own_species[warp() * kSubClusterAtoms + k] * table_.n_species + shared_.species[slot]];
  }
  /// Returns whether an atom of the same cell forms a pair with the k-th atom of the sub-cluster that no other
  /// sub-cluster computes.
  __device__ bool is_pair(std::uint32_t k, std::uint32_t slot) const {
    return static_cast<int>(slot) > first_own_ + static_cast<int>(k) && slot < shared_.slots;
  }

  /// Returns one bit for each of the sub-cluster's atoms that is excluded with the atom in a slot.
  __device__ unsigned excluded_with(std::uint32_t slot) const {
    if constexpr (!kExclusions) return 0;
    if (!atoms_.excluded.any() || slot >= shared_.slots) return 0;
    const std::uint32_t* const own = shared_.own_host + warp() * kSubClusterAtoms;
    return atoms_.excluded.bits_of(kSubClusterAtoms, shared_.index[slot], [=](int k) { return own[k]; });
  }

  /// Computes the vectors from the atom in a slot to the sub-cluster's atoms. Positions are rounded to fp32; for atoms
  /// that may be in contact, or that are too far from the origin, the differences are rounded instead.
  __device__ void vectors(std::uint32_t slot, const LocalAtom<Real>& other, Vec3<Real> (&d)[kSubClusterAtoms],
                          Real (&r2)[kSubClusterAtoms]) const {
    Real least = std::numeric_limits<Real>::infinity();
#pragma unroll
    for (std::uint32_t k = 0; k < kSubClusterAtoms; ++k) {
      const LocalAtom<Real> own = own_atom(k);
      d[k] = {own.x - other.x, own.y - other.y, own.z - other.z};
      r2[k] = squared_norm(d[k]);
      least = min(least, r2[k]);
    }
    if constexpr (kRelative) {
      if (!(least < exact_below2_) || slot >= shared_.slots) return;
      const Vec3<double> x = atoms_.position[shared_.index[slot]];
#pragma unroll
      for (std::uint32_t k = 0; k < kSubClusterAtoms; ++k) {
        if (!own_is_there(k)) continue;
        d[k] = near_enough<float>(shared_.own_position[warp() * kSubClusterAtoms + k] - x);
        r2[k] = squared_norm(d[k]);
      }
    }
  }

  const CellPairsView& cells_;
  const AtomTilesView<Real>& atoms_;
  const PairTableView<Real, Coefficients>& table_;
  CellSharedMemory<Real> shared_;

 private:
  /// Coordinate of absent atoms and of padding: far from all atoms, and from each other.
  static constexpr Real kNowhere = Real(1e15);

  __device__ Derived& derived() { return static_cast<Derived&>(*this); }
  __device__ std::uint32_t own_in_cell(std::uint32_t k) const {
    return own_from_ + kSubClusterAtoms * sub_cluster_ + k;
  }

  /// Returns a point near the atoms of the group, however large the cell: close to it fp32 is most accurate.
  __device__ Vec3<double> middle_of_group() const {
    constexpr std::uint32_t kSamples = 8;
    const std::uint32_t n = min(kCellGroupAtoms, count_ - own_from_);
    Vec3<double> sum{0, 0, 0};
#pragma unroll
    for (std::uint32_t k = 0; k < kSamples; ++k)
      sum += atoms_.position[cells_.storage_index[first_ + own_from_ + (2 * k + 1) * n / (2 * kSamples)]];
    return (1.0 / kSamples) * sum;
  }

  /// Assigns slots to the atoms of each neighbour: to those of this cell from the group's first atom on, and to as many
  /// atoms of sorted neighbours as may be within the list cutoff of any of the sub-clusters.
  __device__ void number_slots() {
    const std::uint32_t n_warps = blockDim.x / 32;
    for (std::uint32_t o = warp(); o < cells_.n_offsets; o += n_warps) {
      std::uint32_t n = 0;
      if (o == 0) {
        n = count_ - own_from_;
      } else if (!cells_.sorted) {
        n = cells_.neighbor[std::size_t{cell_} * cells_.n_offsets + o].count;
      } else {
        static_assert(kGroupSubClusters == 32);
        if (lane() < n_sub_clusters_) n = cells_.end[(std::size_t{first_sub_cluster_} + lane()) * cells_.n_offsets + o];
        for (int mask = 16; mask > 0; mask /= 2) n = max(n, __shfl_xor_sync(0xFFFFFFFFU, n, mask));
      }
      if (lane() == 0) shared_.first_slot[o + 1] = n;
    }
    __syncthreads();
    if (warp() == 0) {
      std::uint32_t before = 0;
      if (lane() == 0) shared_.first_slot[0] = 0;
      for (std::uint32_t from = 0; from < cells_.n_offsets; from += 32) {
        const std::uint32_t o = from + lane();
        std::uint32_t n = o < cells_.n_offsets ? shared_.first_slot[o + 1] : 0;
        n = before + sum_up_to_lane(n);
        if (o < cells_.n_offsets) shared_.first_slot[o + 1] = n;
        before = __shfl_sync(0xFFFFFFFFU, n, 31);
      }
    }
    __syncthreads();
  }

  static __device__ std::uint32_t sum_up_to_lane(std::uint32_t n) {
    for (int step = 1; step < 32; step *= 2) {
      const std::uint32_t before = __shfl_up_sync(0xFFFFFFFFU, n, step);
      if (lane() >= static_cast<std::uint32_t>(step)) n += before;
    }
    return n;
  }

  /// Storage index of the atom in slot s, counted over all slots.
  __device__ std::uint32_t storage_index_of(std::uint32_t s) const {
    // The last non-empty offset whose slots begin at or before s.
    std::uint32_t o = 0, end = cells_.n_offsets;
    while (end - o > 1) {
      const std::uint32_t middle = (o + end) / 2;
      (shared_.first_slot[middle] <= s ? o : end) = middle;
    }
    const std::uint32_t i = s - shared_.first_slot[o];
    if (o == 0) return cells_.storage_index[first_ + own_from_ + i];
    const CellSpan span = cells_.neighbor[std::size_t{cell_} * cells_.n_offsets + o];
    if (!cells_.sorted) return cells_.storage_index[span.first + i];
    const PackedWord word = cells_.word[cells_.first_word(o, span.first, span.count) + i];
    return cells_.storage_index[span.first + index_of(word)];
  }

  __device__ Vec3<Real> offset(const Vec3<double>& x) const {
    if constexpr (kRelative)
      return near_enough<float>(x - origin_);
    else
      return x;
  }

  /// Loads n atoms. Returns whether one lies far beyond all neighbours, which happens if its cell shares a key with one
  /// of them.
  __device__ bool fetch(std::uint32_t n) {
    const Real far = static_cast<Real>(2 * (cells_.list_cutoff + cells_.lattice.edge));
    bool outlier = false;
    for (std::uint32_t s = threadIdx.x; s < n; s += blockDim.x) {
      const std::uint32_t index = storage_index_of(chunk_ + s);
      const Vec3<Real> x = offset(atoms_.position[index]);
      shared_.index[s] = index;
      shared_.atom[s] = {x.x, x.y, x.z, static_cast<Real>(atoms_.charge[index])};
      if constexpr (kRelative) outlier = outlier || !(abs(x.x) < far && abs(x.y) < far && abs(x.z) < far);
      if constexpr (!kOneSpecies) shared_.species[s] = static_cast<std::uint16_t>(atoms_.species[index]);
      derived().clear(s);
    }
    if (threadIdx.x < 32) {
      const std::uint32_t s = shared_.slots + threadIdx.x;
      shared_.atom[s] = {kNowhere, kNowhere, kNowhere, 0};
      if constexpr (!kOneSpecies) shared_.species[s] = 0;
      derived().clear(s);
    }
    return outlier;
  }

  /// Computes all pairs of a sub-cluster with the atoms in the slots of this chunk, which ends at slot `end`. All lanes
  /// of a warp must call it.
  __device__ void meet_all(std::uint32_t sub_cluster, std::uint32_t end) {
    sub_cluster_ = sub_cluster;
    first_own_ = static_cast<int>(kSubClusterAtoms * sub_cluster) - static_cast<int>(chunk_);
    fetch_own();
    derived().begin_sub_cluster();
    const auto in_chunk = [&](std::uint32_t s) { return min(max(s, chunk_), end) - chunk_; };
    const std::uint32_t own_end = in_chunk(shared_.first_slot[1]);
    for (std::uint32_t s = in_chunk(kSubClusterAtoms * sub_cluster) + lane(); s - lane() < own_end; s += 32)
      derived().template meet_atom<true>(s < own_end ? s : shared_.slots + lane());
    if (cells_.sorted) {
      meet_ranges(in_chunk);
    } else {
      for (std::uint32_t s = own_end + lane(); s - lane() < end - chunk_; s += 32)
        derived().template meet_atom<false>(s < end - chunk_ ? s : shared_.slots + lane());
    }
    derived().end_sub_cluster();
    __syncwarp();
  }

  __device__ void fetch_own() {
    if (lane() < kSubClusterAtoms) {
      const std::uint32_t at = warp() * kSubClusterAtoms + lane();
      LocalAtom<Real> atom{-kNowhere, -kNowhere, -kNowhere, 0};
      std::uint16_t species = 0;
      std::uint32_t host = 0;
      if (own_is_there(lane())) {
        const std::uint32_t index = own_index(lane());
        const Vec3<double> position = atoms_.position[index];
        const Vec3<Real> x = offset(position);
        atom = {x.x, x.y, x.z, static_cast<Real>(atoms_.charge[index]) * table_.coulomb_constant};
        species = static_cast<std::uint16_t>(atoms_.species[index]);
        shared_.own_position[at] = position;
        if constexpr (kExclusions) {
          if (atoms_.excluded.any()) host = atoms_.excluded.host(index);
        }
      }
      if constexpr (kExclusions) shared_.own_host[at] = host;
      shared_.own[at] = atom;
      shared_.own_species[at] = species;
    }
    __syncwarp();
  }

  /// Interacts with the first atoms of each neighbour, those that may be within the list cutoff of the sub-cluster,
  /// distributed over the lanes.
  template <class InChunk>
  __device__ void meet_ranges(const InChunk& in_chunk) {
    std::uint32_t* const range_end = shared_.range_end + warp() * cells_.n_offsets;
    std::uint32_t* const range_slot = shared_.range_slot + warp() * cells_.n_offsets;
    std::uint32_t begin = 0, n = 0;
    if (lane() > 0 && lane() < cells_.n_offsets) {
      const std::uint32_t from = shared_.first_slot[lane()];
      const std::uint32_t n_within =
          cells_.end[(std::size_t{first_sub_cluster_} + sub_cluster_) * cells_.n_offsets + lane()];
      begin = in_chunk(from);
      n = in_chunk(from + n_within) - begin;
    }
    const std::uint32_t to_here = sum_up_to_lane(n), total = __shfl_sync(0xFFFFFFFFU, to_here, 31);
    const unsigned there = __ballot_sync(0xFFFFFFFFU, n > 0);
    if (n > 0) {
      const int at = __popc(there & ((1U << lane()) - 1));
      range_end[at] = to_here;
      range_slot[at] = begin - (to_here - n);
    }
    __syncwarp();
    int at = 0;
    for (std::uint32_t t = lane(); t - lane() < total; t += 32) {
      std::uint32_t slot = shared_.slots + lane();
      if (t < total) {
        while (t >= range_end[at]) ++at;
        slot = t + range_slot[at];
      }
      derived().template meet_atom<false>(slot);
    }
  }

  Vec3<double> origin_{};
  std::uint32_t cell_ = 0, first_ = 0, count_ = 0;            ///< the cell and its atoms in cell order
  std::uint32_t own_from_ = 0;                                ///< index of the group's first atom in the cell
  std::uint32_t n_sub_clusters_ = 0, first_sub_cluster_ = 0;  ///< of the group
  std::uint32_t chunk_ = 0;                                   ///< the first slot in shared memory
  std::uint32_t sub_cluster_ = 0;                             ///< of the warp; index in the group
  int first_own_ = 0;                                         ///< the slot of its first atom; negative in later chunks
  Real exact_below2_ = 0;                                     ///< squared distance
};

}  // namespace dropmd
