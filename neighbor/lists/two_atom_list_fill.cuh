#pragma once

#include <cstdint>

#include "device/launch.cuh"
#include "device/warp.cuh"
#include "neighbor/excluded_atoms.cuh"
#include "neighbor/lists/list_distance_test.cuh"
#include "neighbor/lists/two_atom_list_view.cuh"

/// Builds a list of two-atom clusters: a block of threads processes a block of tiles and assigns slots to the atoms
/// within the list cutoff of them; then each warp builds the lists of the two-atom clusters of a tile.
namespace dropmd {

/// Number of clusters that a warp of a block can store; with more the block is overfull.
inline constexpr std::uint32_t kFoundClusters = 512;

/// Adds to the number of pairs. n: counted from both sides.
__device__ inline void count_pairs(const TwoAtomListView& list, std::uint64_t n) {
  atomicAdd(reinterpret_cast<unsigned long long*>(&list.state->n_pairs), static_cast<unsigned long long>(n));
}

/// Finds the atoms near those of a block.
struct TwoAtomSearch {
  const TwoAtomListView& list;
  const Vec3<double>& anchor;
  ListBox (&tile_box)[kTwoAtomWarps];
  /// Parts of a tile: the boxes of its clusters, or of atoms if a cluster spans a gap.
  ListBox (&part)[kTwoAtomWarps][kTileAtoms];
  std::uint32_t (&n_parts)[kTwoAtomWarps];
  /// Clusters, with one bit for each tile within the list cutoff.
  std::uint32_t (&found)[kTwoAtomWarps][kFoundClusters];

  __device__ static std::uint32_t lane() { return threadIdx.x % 32; }
  __device__ static std::uint32_t warp() { return threadIdx.x / 32; }

  /// Loads the boxes of the block's own clusters into shared memory; all threads must call it. Returns their bounding
  /// box in every lane.
  __device__ ListBox load_boxes() const {
    const std::uint32_t tile = blockIdx.x * kTwoAtomWarps + warp();
    const bool is_tile = tile < tiles_of(list.n_atoms);
    ListBox box = empty_box();
    if (is_tile && lane() < kTileClusters) box = list.cluster_box[std::size_t{tile} * kTileClusters + lane()];
    const bool split = spans_gap(box, list.list_cutoff);
    unsigned whole = __ballot_sync(0xFFFFFFFFU, !split && box.low.x <= box.high.x);
    if ((whole >> lane() & 1U) != 0) part[warp()][__popc(whole & ((1U << lane()) - 1))] = box;
    std::uint32_t n = __popc(whole);
    for (unsigned clusters = __ballot_sync(0xFFFFFFFFU, split); clusters != 0; clusters &= clusters - 1) {
      const std::uint32_t cluster = tile * kTileClusters + __ffs(static_cast<int>(clusters)) - 1;
      const std::uint32_t index = cluster * kClusterAtoms + lane();
      const bool in = lane() < kClusterAtoms && index < list.n_atoms;
      if (in) part[warp()][n + lane()] = box_of_point(list.reference[index] - anchor);
      n += __popc(__ballot_sync(0xFFFFFFFFU, in));
    }
    if (lane() == 0) {
      n_parts[warp()] = n;
      tile_box[warp()] = is_tile ? list.tile_box[tile] : empty_box();
    }
    __syncthreads();
    ListBox mine = tile_box[lane() % kTwoAtomWarps];
    join_boxes(mine, 1, kTwoAtomWarps);
    return mine;
  }

  /// Returns whether atoms of a tile may be within the list cutoff of a box.
  __device__ bool tile_is_within(int tile, const ListBox& box, float list_cutoff2) const {
    if (!(gap2(tile_box[tile], box) < list_cutoff2)) return false;
    for (std::uint32_t k = 0; k < n_parts[tile]; ++k)
      if (gap2(part[tile][k], box) < list_cutoff2) return true;
    return false;
  }
  /// The same, by the tile's box alone if that does not span a gap.
  __device__ bool tile_may_be_within(int tile, const ListBox& box, float list_cutoff2) const {
    return spans_gap(tile_box[tile], list.list_cutoff) ? tile_is_within(tile, box, list_cutoff2)
                                                       : gap2(tile_box[tile], box) < list_cutoff2;
  }

  /// Finds the near clusters, which each warp stores in ascending order. Returns how many this warp has found.
  __device__ std::uint32_t find_clusters(const ListBox& mine) const {
    const float list_cutoff2 = safe_square(list.list_cutoff);
    const unsigned before = (1U << lane()) - 1;
    std::uint32_t n = 0;
    const auto near_block = [&](const ListBox& box) {
      bool yes = false;
      if (gap2(mine, box) < list_cutoff2)
        for (int tile = 0; tile < kTwoAtomWarps; ++tile) yes = yes || tile_may_be_within(tile, box, list_cutoff2);
      return yes;
    };
    const auto tiles_within = [&](const ListBox& box) {
      unsigned bits = 0;
      for (int tile = 0; tile < kTwoAtomWarps; ++tile)
        bits |= tile_is_within(tile, box, list_cutoff2) ? 1U << tile : 0U;
      return bits;
    };
    for_clusters_near(
        list, near_block, tiles_within, [](std::uint32_t) { return true; },
        [&](std::uint32_t cluster, unsigned bits, unsigned near) {
          const std::uint32_t at = n + __popc(near & before);
          if (bits != 0 && at < kFoundClusters) found[warp()][at] = cluster << kTileClusters | bits;
          n += __popc(near);
        });
    return n;
  }

  /// Assigns slots to those atoms of the clusters found that are within the list cutoff of a tile; all threads must
  /// call it. n_found: number of clusters that each warp has found. Returns the number of these atoms; those beyond the
  /// capacity are only counted.
  __device__ std::uint32_t assign_slots(const std::uint32_t (&n_found)[kTwoAtomWarps],
                                        std::uint32_t (&n_of_warp)[2][kTwoAtomWarps]) const {
    const float list_cutoff2 = safe_square(list.list_cutoff);
    std::uint32_t all = 0;
    for (const std::uint32_t n : n_found) all += n;
    std::uint32_t slot = 0;
    for (std::uint32_t first = 0, turn = 0; first < all * kClusterAtoms; first += blockDim.x, turn ^= 1U) {
      std::uint32_t c = (first + threadIdx.x) / kClusterAtoms, of_warp = 0;
      while (of_warp < kTwoAtomWarps && c >= n_found[of_warp]) c -= n_found[of_warp++];
      const std::uint32_t packed = of_warp < kTwoAtomWarps ? found[of_warp][c] : 0;
      const std::uint32_t index = (packed >> kTileClusters) * kClusterAtoms + threadIdx.x % kClusterAtoms;
      unsigned bits = 0;
      if ((packed & 0xFFU) != 0 && index < list.n_atoms) {
        const ListBox at = box_of_point(list.reference[index] - anchor);
        for (int tile = 0; tile < kTwoAtomWarps; ++tile)
          if ((packed >> tile & 1U) != 0 && tile_may_be_within(tile, at, list_cutoff2)) bits |= 1U << tile;
      }
      const unsigned lanes = __ballot_sync(0xFFFFFFFFU, bits != 0);
      if (lane() == 0) n_of_warp[turn][warp()] = __popc(lanes);
      __syncthreads();
      std::uint32_t mine = slot + __popc(lanes & ((1U << lane()) - 1));
      for (std::uint32_t w = 0; w < kTwoAtomWarps; ++w) {
        mine += w < warp() ? n_of_warp[turn][w] : 0;
        slot += n_of_warp[turn][w];
      }
      if (bits != 0) list.touch(index / kTileAtoms);
      if (bits != 0 && mine < list.max_slots)
        list.slot[std::size_t{blockIdx.x} * list.max_slots + mine] = TwoAtomListView::packed(index, bits);
    }
    return slot;
  }
};

/// Assigns the slots of each block. most_slots: with more a block is overfull.
static __global__ void __launch_bounds__(32 * kTwoAtomWarps)
    two_atom_slots_kernel(const __grid_constant__ TwoAtomListView list, Vec3<double> anchor, std::uint32_t most_slots) {
  static_assert(kTwoAtomWarps == kSearchWarps);
  __shared__ ListBox tile_box[kTwoAtomWarps], part[kTwoAtomWarps][kTileAtoms];
  __shared__ std::uint32_t n_parts[kTwoAtomWarps], found[kTwoAtomWarps][kFoundClusters], n_found[kTwoAtomWarps],
      n_of_warp[2][kTwoAtomWarps];
  wait_for_kernel_before();
  if (list.state->filling == 0 || !list.has_block(blockIdx.x)) return;
  const TwoAtomSearch search{list, anchor, tile_box, part, n_parts, found};
  const ListBox mine = search.load_boxes();
  const std::uint32_t n = search.find_clusters(mine);
  if (TwoAtomSearch::lane() == 0) n_found[TwoAtomSearch::warp()] = n;
  const bool too_many = __syncthreads_or(n > kFoundClusters ? 1 : 0) != 0;
  const std::uint32_t n_slots = too_many ? 0 : search.assign_slots(n_found, n_of_warp);
  const bool overfull = too_many || n_slots > most_slots;
  if (overfull)
    for (std::uint32_t tile = threadIdx.x; tile < tiles_of(list.n_atoms); tile += blockDim.x) list.touch(tile);
  if (threadIdx.x != 0) return;

  const Vec3<float> middle = 0.5F * (mine.low + mine.high), size = mine.high - mine.low;
  // Slots are within the list cutoff of the block's box, and all atoms within half a skin of their reference positions.
  const float extent = 0.5F * fmaxf(size.x, fmaxf(size.y, size.z)) + 1.5F * list.list_cutoff;
  const float quantum = ldexpf(1.0F, ilogbf(extent) + 1 - kCoordinateBits);
  const bool wide = !(quantum <= list.coarsest);
  list.block[blockIdx.x] = {anchor + Vec3<double>{middle.x, middle.y, middle.z}, quantum, overfull ? 0 : n_slots,
                            overfull ? TwoAtomBuffer::overfull
                            : wide   ? TwoAtomBuffer::wide
                                     : TwoAtomBuffer::local};
  const std::uint32_t n_own =
      min(static_cast<std::uint32_t>(kTwoAtomBlockAtoms), list.n_atoms - blockIdx.x * kTwoAtomBlockAtoms);
  count_pairs(list, overfull ? std::uint64_t{n_own} * (list.n_atoms - 1) : n_own / 2 * 2);
  if (overfull) return;
  atomicMax(&list.state->n_items, n_slots);
  if (n_slots > list.max_slots) list.mark_full();
}

/// Builds the lists of a tile; all lanes of a warp take part.
struct TwoAtomLists {
  const TwoAtomListView& list;
  const ExcludedAtomsView& excluded;
  std::uint32_t tile;
  std::uint32_t (&candidate)[64];  ///< slots within the list cutoff of the tile, a ring buffer
  ListAtom (&other)[32];           ///< the atoms in 32 of them

  std::uint64_t packed = 0;  ///< entries of the lane that do not yet fill a word
  std::uint32_t n = 0;       ///< number of the lane's entries

  __device__ static std::uint32_t lane() { return threadIdx.x % 32; }
  __device__ const std::uint32_t* slots() const {
    return list.slot + std::size_t{tile / kTwoAtomWarps} * list.max_slots;
  }

  __device__ void put(std::uint32_t word, std::uint64_t entries) const {
    if (word < list.max_words)
      *reinterpret_cast<std::uint64_t*>(list.words(tile) + std::size_t{word} * 32 + lane()) = entries;
  }

  /// Tests the next 32 candidates, or as many as there are, and adds those within the list cutoff of the lane's two
  /// atoms. is_within(k): whether the k-th candidate is one of these; lane k calls load(index, k) before.
  template <class Load, class IsWithin>
  __device__ void look_at(std::uint32_t first, std::uint32_t count, const Load& load, const IsWithin& is_within) {
    const std::uint32_t slot = candidate[(first + lane()) % 64];
    const std::uint32_t index = lane() < count ? TwoAtomListView::storage_index_of(slots()[slot]) : list.n_atoms;
    load(index, lane());
    __syncwarp();
    unsigned hits = 0;
#pragma unroll
    for (int k = 0; k < 32; ++k) hits |= is_within(k) ? 1U << k : 0U;
    // The two atoms themselves do not count.
    const std::uint32_t in_tile = index - tile * kTileAtoms;
    for (unsigned own = __ballot_sync(0xFFFFFFFFU, in_tile < kTileAtoms); own != 0; own &= own - 1) {
      const int k = __ffs(static_cast<int>(own)) - 1;
      if (__shfl_sync(0xFFFFFFFFU, in_tile / 2, k) == lane()) hits &= ~(1U << k);
    }
    if (count < 32) hits &= (1U << count) - 1;
    if (tile * kTileAtoms + 2 * lane() >= list.n_atoms) hits = 0;
    for (; hits != 0; hits &= hits - 1) {
      std::uint64_t entry = candidate[(first + __ffs(static_cast<int>(hits)) - 1) % 64];
      if (excluded.any())
        entry |= std::uint64_t{excluded.bits_of_row(2, TwoAtomListView::storage_index_of(slots()[entry]),
                                                    tile * kTileAtoms + 2 * lane())}
                 << kTwoAtomSlotBits;
      packed |= entry << (16 * (n % kWordEntries));
      if (++n % kWordEntries != 0) continue;
      put(n / kWordEntries - 1, packed);
      packed = 0;
    }
    __syncwarp();
  }

  /// Tests all candidates, in the order of their slots.
  template <class Load, class IsWithin>
  __device__ void make(std::uint32_t n_slots, const Load& load, const IsWithin& is_within) {
    std::uint32_t begin = 0, end = 0;  // of the candidates not yet tested
    for (std::uint32_t first = 0; first < n_slots; first += 32) {
      const std::uint32_t slot = first + lane();
      const bool may = slot < n_slots && (slots()[slot] >> tile % kTwoAtomWarps & 1U) != 0;
      const unsigned lanes = __ballot_sync(0xFFFFFFFFU, may);
      if (may) candidate[(end + __popc(lanes & ((1U << lane()) - 1))) % 64] = slot;
      end += __popc(lanes);
      __syncwarp();
      if (end - begin < 32) continue;
      look_at(begin, 32, load, is_within);
      begin += 32;
    }
    if (end > begin) look_at(begin, end - begin, load, is_within);
    finish(n_slots);
  }

  /// Fills up each lane's list with slots of no atom, and adds a word that is read in advance.
  __device__ void finish(std::uint32_t n_slots) {
    const bool alone = tile * kTileAtoms + 2 * lane() + 1 == list.n_atoms;
    const std::uint32_t pairs = sum_of_warp(alone ? n : 2 * n);
    std::uint32_t words = (n + kWordEntries - 1) / kWordEntries;
    for (int mask = 16; mask > 0; mask /= 2) words = max(words, __shfl_xor_sync(0xFFFFFFFFU, words, mask));
    const std::uint64_t no_atom = n_slots * 0x0001000100010001ULL;
    for (std::uint32_t word = n / kWordEntries; word <= words; ++word, n = 0, packed = 0)
      put(word, packed | no_atom << (16 * (n % kWordEntries)));
    if (lane() != 0) return;
    list.n_words[tile] = static_cast<std::uint16_t>(words < list.max_words ? words : 0);
    atomicMax(&list.state->n_rows, words + 1);
    if (words >= list.max_words) list.mark_full();
    count_pairs(list, pairs);
  }
};

/// Warps of a block that builds lists, one tile each.
inline constexpr int kTwoAtomListWarps = 4;

static __global__ void __launch_bounds__(32 * kTwoAtomListWarps)
    two_atom_lists_kernel(const __grid_constant__ TwoAtomListView list,
                          const __grid_constant__ ExcludedAtomsView excluded) {
  __shared__ std::uint32_t candidate[kTwoAtomListWarps][64];
  __shared__ ListAtom other[kTwoAtomListWarps][32];
  wait_for_kernel_before();
  const std::uint32_t warp = threadIdx.x / 32, lane = threadIdx.x % 32, tile = blockIdx.x * kTwoAtomListWarps + warp;
  if (list.state->filling == 0 || tile >= tiles_of(list.n_atoms) || !list.has_block(tile / kTwoAtomWarps)) return;
  const TwoAtomBlock block = list.block[tile / kTwoAtomWarps];
  if (block.buffer == TwoAtomBuffer::overfull || block.n_slots > list.max_slots) return;
  TwoAtomLists lists{list, excluded, tile, candidate[warp], other[warp]};
  const auto own = [&](std::uint32_t k) {
    return list.reference[min(tile * kTileAtoms + 2 * lane + k, list.n_atoms - 1)];
  };
  const Vec3<double> a = own(0), b = own(1);
  const float list_cutoff2 = safe_square(list.list_cutoff);
  if (block.buffer == TwoAtomBuffer::wide) {
    Vec3<double> x{};
    lists.make(
        block.n_slots, [&](std::uint32_t index, std::uint32_t) { x = list.reference[min(index, list.n_atoms - 1)]; },
        [&](int k) {
          const Vec3<double> at = from_lane(x, k);
          return dot(a - at, a - at) < list_cutoff2 || dot(b - at, b - at) < list_cutoff2;
        });
    return;
  }
  const ListBox box = list.tile_box[tile];
  const Vec3<float> size = box.high - box.low;
  const PlainDistanceTest plain{list_cutoff2, 0, dot(size, size)};
  const Vec3<double> middle = from_lane(a, 16);
  const ListAtom first_own = plain.own(near_enough<float>(a - middle)),
                 second_own = plain.own(near_enough<float>(b - middle));
  lists.make(
      block.n_slots,
      [&](std::uint32_t index, std::uint32_t k) {
        lists.other[k] = index < list.n_atoms ? plain.other(near_enough<float>(list.reference[index] - middle), false)
                                              : PlainDistanceTest::none();
      },
      [&](int k) {
        const ListAtom at = lists.other[k];
        return PlainDistanceTest::is_within(
            fminf(PlainDistanceTest::distance(first_own, at), PlainDistanceTest::distance(second_own, at)), at);
      });
}

}  // namespace dropmd
