#pragma once

#include <cstdint>

#include "device/launch.cuh"
#include "neighbor/lists/list_search.cuh"
#include "neighbor/lists/pair_list_view.cuh"

/// Finds the clusters near a tile; pair_list_fill.cuh then builds the lists by distances.
namespace dropmd {

/// Returns whether `tile` is the one of two tiles that computes their pairs, which it is for half of its neighbours.
__device__ inline bool takes_pairs(std::uint32_t tile, std::uint32_t other) {
  return tile != other && (tile < other) == ((tile + other) % 2 == 0);
}

__device__ inline std::uint32_t clusters_of(std::uint32_t tile, std::uint32_t n_atoms) {
  return min(static_cast<std::uint32_t>(kTileClusters),
             (n_atoms - tile * kTileAtoms + kClusterAtoms - 1) / kClusterAtoms);
}

/// The clusters of a tile that searches for those near it. A cluster that spans a gap is replaced by its atoms.
struct SearchingTile {
  ListBox box;
  const ListBox (&cluster)[kTileClusters];
  const ListBox (&atom)[kTileAtoms];  ///< only those of clusters that span gaps
  unsigned split;                     ///< one bit for each of these clusters
  bool spans;                         ///< whether the tile spans a gap
  float list_cutoff2;                 ///< squared, safe

  /// Returns one bit for each cluster within the list cutoff of a box.
  __device__ unsigned neighbors_of(const ListBox& other) const {
    unsigned bits = clusters_within(cluster, other, list_cutoff2);
    for (unsigned left = bits & split; left != 0; left &= left - 1) {
      const int k = __ffs(static_cast<int>(left)) - 1;
      bool any = false;
      for (int a = 0; a < kClusterAtoms; ++a) any = any || gap2(atom[k * kClusterAtoms + a], other) < list_cutoff2;
      if (!any) bits &= ~(1U << k);
    }
    return bits;
  }
  /// Returns whether a box may be within the list cutoff of a cluster.
  __device__ bool is_near(const ListBox& other) const {
    return gap2(box, other) < list_cutoff2 && (!spans || neighbors_of(other) != 0);
  }
};

/// Number of clusters that a searching warp can store; if there are more, it searches twice.
inline constexpr std::uint32_t kKeptClusters = 512;

/// Finds the clusters near each tile, including its own, and divides them evenly among as few items as can hold them;
/// one block per tile. (The function is long because counting and storing share the clusters that a warp keeps.)
template <class Real>
__global__ void __launch_bounds__(32 * kSearchWarps)
    list_items_kernel(const __grid_constant__ PairListView list, const __grid_constant__ AtomTilesView<Real> tiles,
                      Vec3<double> anchor) {
  __shared__ ListBox own[kTileClusters], own_atom[kTileAtoms];
  __shared__ std::uint32_t kept[kSearchWarps][kKeptClusters];  // ListNeighbor::packed
  __shared__ std::uint32_t found_by[kSearchWarps];
  __shared__ std::uint32_t first_item;
  wait_for_kernel_before();
  const std::uint32_t tile = blockIdx.x, warp = threadIdx.x / 32, lane = threadIdx.x % 32;
  if (list.state->filling == 0 || !list.has_tile(tile)) return;
  if (threadIdx.x < kTileClusters) own[threadIdx.x] = list.cluster_box[tile * kTileClusters + threadIdx.x];
  __syncthreads();
  const unsigned split =
      __ballot_sync(0xFFFFFFFFU, lane < kTileClusters && spans_gap(own[lane % kTileClusters], list.list_cutoff));
  if (split != 0) {
    if (threadIdx.x < kTileAtoms) {
      const std::uint32_t index = tile * kTileAtoms + threadIdx.x;
      own_atom[threadIdx.x] = index < list.n_atoms ? box_of_point(list.reference[index] - anchor) : empty_box();
    }
    __syncthreads();
  }
  const ListBox mine_box = list.tile_box[tile];
  const SearchingTile searcher{
      mine_box, own, own_atom, split, spans_gap(mine_box, list.list_cutoff), safe_square(list.list_cutoff)};
  const unsigned before = (1U << lane) - 1;
  const auto near_tile = [&](const ListBox& box) { return searcher.is_near(box); };
  const auto neighbors_of = [&](const ListBox& box) { return searcher.neighbors_of(box); };
  const auto takes = [tile](std::uint32_t other) { return takes_pairs(tile, other); };
  std::uint32_t n = 0;
  for_clusters_near(list, near_tile, neighbors_of, takes,
                    [&](std::uint32_t cluster, unsigned neighbors, unsigned near) {
                      const std::uint32_t at = n + __popc(near & before);
                      if (neighbors != 0 && at < kKeptClusters)
                        kept[warp][at] = ListNeighbor::packed(cluster, neighbors);
                      n += __popc(near);
                    });
  if (lane == 0) found_by[warp] = n;
  __syncthreads();
  const std::uint32_t of_tile = clusters_of(tile, list.n_atoms);
  std::uint32_t all = of_tile, mine = of_tile;  // mine: the index of this warp's first cluster
#pragma unroll
  for (std::uint32_t w = 0; w < kSearchWarps; ++w) {
    mine += w < warp ? found_by[w] : 0;
    all += found_by[w];
  }
  const std::uint32_t items = (all + list.item_clusters - 1) / list.item_clusters, each = (all + items - 1) / items;
  if (threadIdx.x == 0) {
    first_item = atomicAdd(&list.state->n_items, items);
    list.tile_items[tile] = {first_item, items};
    if (first_item > list.max_items || items > list.max_items - first_item) list.mark_full();
  }
  __syncthreads();
  const std::uint32_t first = first_item;
  if (first > list.max_items || items > list.max_items - first) return;
  bool coarse = false, wide = is_wide(mine_box);
  const auto put = [&](std::uint32_t at, std::uint32_t packed) {
    const std::uint32_t of = (packed >> kTileClusters) / kTileClusters;
    list.touch(of);
    const Vec3<double> d = tiles.frame[of].centre - tiles.frame[tile].centre;
    const Vec3<float> shift{near_enough<float>(d.x), near_enough<float>(d.y), near_enough<float>(d.z)};
    coarse = coarse || shift.x != d.x || shift.y != d.y || shift.z != d.z;
    wide = wide || is_wide(list.tile_box[of]);
    list.neighbor[std::size_t{first + at / each} * list.item_clusters + at % each] = {shift, packed};
  };
  // A cluster of the same tile interacts with the clusters before it, and with itself.
  if (threadIdx.x < of_tile)
    put(threadIdx.x, ListNeighbor::packed(tile * kTileClusters + threadIdx.x, (2U << threadIdx.x) - 1));
  if (n <= kKeptClusters) {
    for (std::uint32_t k = lane; k < n; k += 32) put(mine + k, kept[warp][k]);
  } else {
    for_clusters_near(list, near_tile, neighbors_of, takes,
                      [&](std::uint32_t cluster, unsigned neighbors, unsigned near) {
                        if (neighbors != 0) put(mine + __popc(near & before), ListNeighbor::packed(cluster, neighbors));
                        mine += __popc(near);
                      });
  }
  coarse = __syncthreads_or(coarse ? 1 : 0) != 0;
  wide = __syncthreads_or(wide ? 1 : 0) != 0;
  for (std::uint32_t k = threadIdx.x; k < items; k += blockDim.x)
    list.item[first + k] = {tile, static_cast<std::uint16_t>(min(each, all - min(all, k * each))), k == 0, coarse,
                            wide};
}

}  // namespace dropmd
