#pragma once

#include <cstdint>
#include <limits>

#include "device/warp.cuh"
#include "neighbor/excluded_atoms.cuh"
#include "neighbor/lists/list_distance_test.cuh"
#include "neighbor/lists/pair_list_kernels.cuh"

/// Fills the lists of a pair list's items, by distances.
namespace dropmd {

/// Warps per block, one for each cluster of the tile.
inline constexpr int kFillWarps = kTileClusters;
/// Blocks of a multiprocessor, as many as its shared memory holds; the registers must suffice for them.
inline constexpr int kFillBlocksPerSm = 4;

/// The lists of a cluster: near, both, first half, second half.
inline constexpr unsigned kListClasses = 4;

/// Returns the bytes of shared memory for a j-atom buffer of this size. any_excluded: whether pairs are excluded.
inline std::size_t fill_shared_bytes(std::uint32_t slots, bool any_excluded) {
  const std::size_t clusters = slots / kClusterAtoms, atoms = std::size_t{slots} + kTileAtoms;
  return atoms * 4 * sizeof(float) + clusters * sizeof(std::uint32_t) +
         (std::size_t{slots} + clusters * sizeof(std::uint16_t)) * kFillWarps +
         (any_excluded ? atoms * sizeof(std::uint32_t) : 0);
}

__device__ inline std::uint32_t batches_of(std::uint32_t entries) { return (entries + kBatch - 1) / kBatch; }

/// The shared memory of a block.
struct FillSharedMemory {
  ListAtom* atom;                        ///< [slots]
  ListAtom* own;                         ///< [kTileAtoms]
  std::uint32_t* cluster_and_neighbors;  ///< [clusters], as in ListNeighbor
  std::uint16_t* neighbor;               ///< [clusters] within the list cutoff of the warp's cluster
  std::uint8_t* list_of;                 ///< [slots] for each atom of `neighbor` the list it belongs to
  std::uint32_t* group;                  ///< [slots + kTileAtoms] of slots and own atoms, if pairs are excluded

  __device__ std::uint32_t storage_index_of(std::uint32_t slot) const {
    return (cluster_and_neighbors[slot / kClusterAtoms] >> kTileClusters) * kClusterAtoms + slot % kClusterAtoms;
  }

  __device__ FillSharedMemory(void* memory, std::uint32_t slots, std::uint32_t warp)
      : atom(static_cast<ListAtom*>(memory)),
        own(atom + slots),
        cluster_and_neighbors(reinterpret_cast<std::uint32_t*>(own + kTileAtoms)),
        neighbor(reinterpret_cast<std::uint16_t*>(cluster_and_neighbors + slots / kClusterAtoms) +
                 warp * (slots / kClusterAtoms)),
        list_of(reinterpret_cast<std::uint8_t*>(
                    reinterpret_cast<std::uint16_t*>(cluster_and_neighbors + slots / kClusterAtoms) +
                    kFillWarps * (slots / kClusterAtoms)) +
                warp * slots),
        group(reinterpret_cast<std::uint32_t*>(list_of - warp * slots + kFillWarps * slots)) {}
};

/// Finds the atoms of a warp's cluster that are excluded with other atoms.
struct OwnExclusions {
  const ExcludedAtomsView& excluded;
  const std::uint32_t* group;  ///< [kClusterAtoms] of the cluster
  std::uint32_t first_index;   ///< storage index of the cluster's first atom

  /// Returns one bit for each atom of the cluster that is excluded with the atom that has this storage index.
  __device__ unsigned bits(std::uint32_t index, std::uint32_t group_of_index) const {
    bool related = false;
#pragma unroll
    for (int k = 0; k < kClusterAtoms; ++k)
      related |= group[k] == group_of_index;  // compared with all: branches would cost more
    return related ? excluded.bits_of_row(kClusterAtoms, index, first_index) : 0;
  }
};

/// Loads the atoms of the item's slots, and the tile's own, into shared memory. All threads of a block must call it.
/// middle: of the tile.
template <class DistanceTest>
__device__ inline void fetch_list_atoms(const PairListView& list, const ListItem& item, const Vec3<double>& middle,
                                        const DistanceTest& test, const ExcludedAtomsView& excluded,
                                        const FillSharedMemory& shared) {
  constexpr std::uint32_t kAtOnce = 4;  // loads of a thread in flight at once
  const std::uint32_t n_others = item.n_clusters * kClusterAtoms, n = n_others + kTileAtoms;
  for (std::uint32_t from = threadIdx.x; from < n; from += kAtOnce * blockDim.x) {
    Vec3<double> x[kAtOnce];
    std::uint32_t index[kAtOnce], group[kAtOnce];
#pragma unroll
    for (std::uint32_t i = 0; i < kAtOnce; ++i) {
      const std::uint32_t k = from + i * blockDim.x;
      index[i] = k < n_others ? (shared.cluster_and_neighbors[k / kClusterAtoms] >> kTileClusters) * kClusterAtoms +
                                    k % kClusterAtoms
                              : item.tile * kTileAtoms + (k - n_others);
      if (k < n && index[i] < list.n_atoms) x[i] = list.reference[index[i]];
      if (k < n && excluded.any()) group[i] = excluded.group_of(index[i]);
    }
#pragma unroll
    for (std::uint32_t i = 0; i < kAtOnce; ++i) {
      const std::uint32_t k = from + i * blockDim.x;
      if (k >= n) break;
      const bool is_atom = index[i] < list.n_atoms;
      const Vec3<float> d = is_atom ? near_enough<float>(x[i] - middle) : Vec3<float>{};
      if (k < n_others) {
        const bool wide = item.wide && is_wide(list.tile_box[index[i] / kTileAtoms]);
        shared.atom[k] = is_atom ? test.other(d, wide) : DistanceTest::none();
      } else {
        shared.own[k - n_others] = is_atom ? test.own(d) : DistanceTest::no_own();
      }
      if (excluded.any()) shared.group[k < n_others ? k : list.slots() + (k - n_others)] = group[i];
    }
  }
}

/// Sizes of the lists of a cluster.
struct ListCounts {
  std::uint32_t entries[kListClasses];
  std::uint32_t none_of_own;  ///< pairs within the cluster that the lists contain twice
};

/// Determines, for each atom of the clusters within the list cutoff of a warp's cluster, the list it belongs to, and
/// counts. Atoms that are excluded with an atom of the cluster count as near, since only near atoms have masks.
template <class DistanceTest>
__device__ inline ListCounts sort_into_lists(const ListItem& item, std::uint32_t own_cluster, std::uint32_t n_own,
                                             std::uint32_t candidates, const DistanceTest& test,
                                             const OwnExclusions& exclusions, const FillSharedMemory& shared) {
  static_assert(kMostItemClusters * kClusterAtoms / 32 < 256);
  const std::uint32_t first_own = own_cluster * kClusterAtoms;  // their slots, in a tile's first item
  ListAtom own[kClusterAtoms];
#pragma unroll
  for (std::uint32_t k = 0; k < kClusterAtoms; ++k) own[k] = shared.own[first_own + k];
  std::uint32_t packed_count = 0, none_of_own = 0;  // of the lane; one byte per list
  for (std::uint32_t c = threadIdx.x % 32; c < candidates; c += 32) {
    const std::uint32_t s = shared.neighbor[c / kClusterAtoms] * kClusterAtoms + c % kClusterAtoms;
    const ListAtom other = shared.atom[s];
    float least[2] = {std::numeric_limits<float>::infinity(), std::numeric_limits<float>::infinity()};
#pragma unroll
    for (int k = 0; k < kClusterAtoms; ++k)
      least[k / kHalfClusterAtoms] = fminf(least[k / kHalfClusterAtoms], DistanceTest::distance(own[k], other));
    const bool first = DistanceTest::is_within(least[0], other), second = DistanceTest::is_within(least[1], other);
    bool in = first || second, near = test.is_near(fminf(least[0], least[1]), other);
    if (item.first && s < kTileAtoms) {  // pairs within the tile: each once, and no atom with itself
      in = in && s > first_own;
      near = near || s < first_own + kClusterAtoms;
      if (in && s < first_own + kClusterAtoms) none_of_own += n_own - (s - first_own);
    }
    if (exclusions.excluded.any() && in && !near)
      near = exclusions.bits(shared.storage_index_of(s), shared.group[s]) != 0;
    const unsigned which = !in ? kListClasses : near ? 0 : first && second ? 1 : first ? 2 : 3;
    packed_count += in ? 1U << (8 * which) : 0U;
    shared.list_of[c] = static_cast<std::uint8_t>(which);
  }
  __syncwarp();
  const std::uint32_t even = sum_of_warp(packed_count & 0x00FF00FFU),
                      odd = sum_of_warp(packed_count >> 8U & 0x00FF00FFU);
  return {{even & 0xFFFFU, odd & 0xFFFFU, even >> 16U, odd >> 16U}, sum_of_warp(none_of_own)};
}

/// The layout of a cluster's lists, relative to the first of their batches. Entries follow each other without gaps,
/// except that entries of the first half and of the second half do not share a batch.
struct ListPlan {
  std::uint32_t from[kListClasses];
  std::uint32_t first_end, second_end;
  std::uint32_t near, both, first, second, masks;  ///< numbers of batches

  __device__ ListPlan(const std::uint32_t (&entries)[kListClasses], bool any_excluded) {
    from[0] = 0;
    from[1] = entries[0];
    from[2] = from[1] + entries[1];
    first_end = from[2] + entries[2];
    near = batches_of(from[1]);
    both = batches_of(from[2]) - near;
    first = batches_of(first_end) - near - both;
    from[3] = first > 0 ? batches_of(first_end) * kBatch : first_end;
    second_end = from[3] + entries[3];
    second = batches_of(second_end) - near - both - first;
    masks = any_excluded ? near : 0;
  }
  __device__ std::uint32_t first_mask() const { return near + both + first + second; }
  __device__ std::uint32_t batches() const { return first_mask() + masks; }
};

/// Writes the lists of a cluster; all lanes of a warp must call it. padding: the slot of lane 0's padding.
__device__ inline void write_lists(const ListPlan& plan, std::uint32_t candidates, const OwnExclusions& exclusions,
                                   const FillSharedMemory& shared, std::uint32_t padding, std::uint16_t* entry) {
  const std::uint32_t lane = threadIdx.x % 32, n_masks = plan.masks * kBatch;
  std::uint16_t* const mask = entry + plan.first_mask() * kBatch;
  const unsigned before = (1U << lane) - 1;
  std::uint32_t next[kListClasses] = {plan.from[0], plan.from[1], plan.from[2], plan.from[3]};
  for (std::uint32_t from = 0; from < candidates; from += 32) {
    const std::uint32_t c = from + lane;
    const unsigned which = c < candidates ? shared.list_of[c] : kListClasses;
    // The lanes of each list, by the bits of the list's number.
    const bool in = which < kListClasses, bit0 = (which & 1U) != 0, bit1 = (which & 2U) != 0;
    const unsigned any = __ballot_sync(0xFFFFFFFFU, in), low = __ballot_sync(0xFFFFFFFFU, bit0),
                   high = __ballot_sync(0xFFFFFFFFU, bit1);
    const unsigned alike = any & (bit0 ? low : ~low) & (bit1 ? high : ~high);
    const std::uint32_t even = bit1 ? next[2] : next[0], odd = bit1 ? next[3] : next[1];
    if (in) {
      const std::uint32_t at = (bit0 ? odd : even) + __popc(alike & before),
                          s = shared.neighbor[c / kClusterAtoms] * kClusterAtoms + c % kClusterAtoms;
      entry[at] = static_cast<std::uint16_t>(s);
      if (at < n_masks)
        mask[at] = static_cast<std::uint16_t>(which == 0 ? exclusions.bits(shared.storage_index_of(s), shared.group[s])
                                                         : 0);  // excluded atoms are near
    }
    next[0] += __popc(any & ~low & ~high);
    next[1] += __popc(low & ~high);
    next[2] += __popc(high & ~low);
    next[3] += __popc(low & high);
  }
  const auto pad = [&](std::uint32_t end) {
    const std::uint32_t at = end + lane;
    if (at >= batches_of(end) * kBatch) return;
    entry[at] = static_cast<std::uint16_t>(padding + lane);
    if (at < n_masks) mask[at] = 0;
  };
  if (plan.first > 0) pad(plan.first_end);
  pad(plan.second_end);
}

/// Fills the lists of an item: one block per item, one warp per cluster of the tile. (The function is long because its
/// parts share counts in registers and shared memory.)
static __global__ void __launch_bounds__(32 * kFillWarps, kFillBlocksPerSm)
    list_fill_kernel(const __grid_constant__ PairListView list, const __grid_constant__ ExcludedAtomsView excluded,
                     Vec3<double> anchor) {
  extern __shared__ ListAtom fill_memory[];
  __shared__ std::uint32_t batches_by_warp[kFillWarps], pairs_by_warp[kFillWarps], first_batch;
  wait_for_kernel_before();
  const std::uint32_t u = blockIdx.x, warp = threadIdx.x / 32, lane = threadIdx.x % 32;
  const FillSharedMemory shared(fill_memory, list.slots(), warp);

  // Everything that an item starts with is read at once; the values are arbitrary if there is no such item.
  const ListItem item = list.item[u];
  for (std::uint32_t k = threadIdx.x; k < list.item_clusters; k += blockDim.x)
    shared.cluster_and_neighbors[k] = list.neighbor[std::size_t{u} * list.item_clusters + k].cluster_and_neighbors;
  const std::uint32_t n_items = list.state->n_items;
  if (list.state->filling == 0 || n_items > list.max_items || u >= n_items) return;
  const ListBox box = list.tile_box[item.tile];
  const Vec3<float> middle = 0.5F * (box.low + box.high), size = box.high - box.low;
  const Vec3<double> centre = anchor + Vec3<double>{middle.x, middle.y, middle.z};
  const float near2 = safe_square(list.near_list_cutoff);
  const std::uint32_t first_index = item.tile * kTileAtoms + warp * kClusterAtoms;
  const std::uint32_t n_own =
      min(static_cast<std::uint32_t>(kClusterAtoms), list.n_atoms - min(list.n_atoms, first_index));
  __syncthreads();
  const std::uint32_t candidates =
      compact_neighbors(shared.cluster_and_neighbors, 0, item.n_clusters, warp, shared.neighbor) * kClusterAtoms;
  const OwnExclusions exclusions{excluded, shared.group + list.slots() + warp * kClusterAtoms, first_index};
  const auto count = [&](const auto& test) {
    fetch_list_atoms(list, item, centre, test, excluded, shared);
    __syncthreads();
    return sort_into_lists(item, warp, n_own, candidates, test, exclusions, shared);
  };
  const ListCounts counts = item.wide ? count(WideDistanceTest{list.list_cutoff, near2, size, is_wide(box)})
                                      : count(PlainDistanceTest{safe_square(list.list_cutoff), near2, dot(size, size)});
  const ListPlan plan(counts.entries, excluded.any());

  // The block reserves memory once; otherwise its warps would wait for each other's reservations.
  if (lane == 0) {
    const std::uint32_t n_first = min(n_own, static_cast<std::uint32_t>(kHalfClusterAtoms));
    batches_by_warp[warp] = plan.batches();
    pairs_by_warp[warp] =
        n_own * plan.from[2] + n_first * counts.entries[2] + (n_own - n_first) * counts.entries[3] - counts.none_of_own;
  }
  __syncthreads();
  if (threadIdx.x == 0) {
    std::uint32_t batches = 0;
    unsigned long long pairs = 0;
    for (int w = 0; w < kFillWarps; ++w) {
      batches += batches_by_warp[w];
      pairs += pairs_by_warp[w];
    }
    first_batch = atomicAdd(&list.state->n_rows, batches);
    atomicAdd(reinterpret_cast<unsigned long long*>(&list.state->n_pairs), pairs);
  }
  __syncthreads();
  std::uint32_t batch = first_batch;
  for (std::uint32_t w = 0; w < warp; ++w) batch += batches_by_warp[w];
  const bool fits = batch <= list.max_batches && plan.batches() <= list.max_batches - batch;
  if (lane == 0) {
    const auto word = [&](std::uint32_t n) { return static_cast<std::uint16_t>(fits ? n : 0); };
    list.range[u * kTileClusters + warp] = {
        fits ? batch : 0, word(plan.near), word(plan.both), {word(plan.first), word(plan.second)}};
    if (!fits) list.mark_full();
  }
  if (fits) write_lists(plan, candidates, exclusions, shared, list.slots(), list.entry + std::size_t{batch} * kBatch);
}

}  // namespace dropmd
