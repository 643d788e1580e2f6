#pragma once

#include <cstdint>
#include <limits>

#include "device/launch.cuh"
#include "device/warp.cuh"
#include "neighbor/atom_tiles.cuh"
#include "neighbor/pair_list_view.cuh"

/// How a pair list is built, kernel by kernel: here what is near a tile; the lists by distances: pair_list_fill.cuh.
/// Each does nothing unless the list is stale, so that all can stand in a graph of steps; orders follow from the order
/// of the atoms, but for the places of units and lists in memory.
namespace dropmd {

/// Warps of a block that makes boxes.
inline constexpr int kBoxWarps = 4;

/// Groups of tiles, whose boxes are looked at first.
inline constexpr std::uint32_t kGroupTiles = 64;
inline constexpr std::uint32_t groups_of(std::uint32_t n_tiles) { return (n_tiles + kGroupTiles - 1) / kGroupTiles; }

__device__ inline float gap2(const ListBox& a, const ListBox& b) {
  const auto gap = [](float a_low, float a_high, float b_low, float b_high) {
    return fmaxf(fmaxf(a_low - b_high, b_low - a_high), 0.0F);
  };
  const Vec3<float> d{gap(a.low.x, a.high.x, b.low.x, b.high.x), gap(a.low.y, a.high.y, b.low.y, b.high.y),
                      gap(a.low.z, a.high.z, b.low.z, b.high.z)};
  return dot(d, d);
}

/// For comparisons of distances that were rounded a few times: never too small.
__device__ inline float safe_square(float reach) { return reach * reach * 1.00001F; }

__device__ inline bool is_stretched(const ListBox& b) {
  const Vec3<float> size = b.high - b.low;
  return !(fmaxf(size.x, fmaxf(size.y, size.z)) < kStretched);
}

/// Grows a box to hold those of the lanes whose numbers differ in bits from `from` up to below `to`.
__device__ inline void join_boxes(ListBox& box, int from, int to) {
  for (int mask = from; mask < to; mask *= 2) {
    const Vec3<float> low = from_lane_xor(box.low, mask), high = from_lane_xor(box.high, mask);
    box = {{fminf(box.low.x, low.x), fminf(box.low.y, low.y), fminf(box.low.z, low.z)},
           {fmaxf(box.high.x, high.x), fmaxf(box.high.y, high.y), fmaxf(box.high.z, high.z)}};
  }
}

__device__ inline ListBox empty_box() {
  constexpr float kInf = std::numeric_limits<float>::infinity();
  return {{kInf, kInf, kInf}, {-kInf, -kInf, -kInf}};
}

/// Frames, pair copy and boxes; a warp a tile. reference: [n_atoms], becomes the positions unless it is to be kept.
template <class Real>
__global__ void __launch_bounds__(32 * kBoxWarps)
    list_boxes_kernel(const __grid_constant__ PairListView list, const __grid_constant__ AtomTilesView<Real> tiles,
                      Vec3<double> anchor, Vec3<double>* reference, bool keep_reference) {
  wait_for_kernel_before();
  const std::uint32_t tile = (blockIdx.x * blockDim.x + threadIdx.x) / 32;
  const int lane = static_cast<int>(threadIdx.x % 32);
  const bool stale = list.state->stale_at != list.state->built_at;
  if (blockIdx.x == 0 && threadIdx.x == 0) list.state->filling = stale ? 1 : 0;
  if (tile >= tiles.n_tiles() || !stale) return;
  Vec3<double> x[2], from[2];
  load_tile(tiles.position, tiles.n_atoms, tile, lane, x);
  load_tile(keep_reference ? reference : tiles.position, tiles.n_atoms, tile, lane, from);
  fill_tile_in_frame(tiles, tile, lane, frame_tile(tiles, tile, lane, from), x);
  ListBox whole = empty_box();
#pragma unroll
  for (int k = 0; k < 2; ++k) {
    const std::uint32_t place = tile * kTileAtoms + 32 * k + lane;
    ListBox box = empty_box();
    if (place < tiles.n_atoms) {
      reference[place] = from[k];
      const Vec3<double> d = from[k] - anchor;
      box = {{__double2float_rd(d.x), __double2float_rd(d.y), __double2float_rd(d.z)},
             {__double2float_ru(d.x), __double2float_ru(d.y), __double2float_ru(d.z)}};
    }
    join_boxes(box, 1, kClusterAtoms);
    if (lane % kClusterAtoms == 0) list.cluster_box[tile * kTileClusters + (32 * k + lane) / kClusterAtoms] = box;
    whole = {{fminf(whole.low.x, box.low.x), fminf(whole.low.y, box.low.y), fminf(whole.low.z, box.low.z)},
             {fmaxf(whole.high.x, box.high.x), fmaxf(whole.high.y, box.high.y), fmaxf(whole.high.z, box.high.z)}};
  }
  join_boxes(whole, kClusterAtoms, 32);
  if (lane == 0) list.tile_box[tile] = whole;
}

/// A warp a group of tiles; and a new state.
static __global__ void __launch_bounds__(32 * kBoxWarps) list_groups_kernel(const __grid_constant__ PairListView list) {
  wait_for_kernel_before();
  if (list.state->filling == 0) return;
  if (blockIdx.x == 0 && threadIdx.x == 0) {
    PairListState& state = *list.state;
    state.n_units = state.n_batches = 0;
    state.n_pairs = 0;
    state.full = 0;
    state.built_at = state.stale_at;
    ++state.builds;
  }
  const std::uint32_t n_tiles = tiles_of(list.n_atoms);
  const std::uint32_t group = (blockIdx.x * blockDim.x + threadIdx.x) / 32, lane = threadIdx.x % 32;
  if (group >= groups_of(n_tiles)) return;
  ListBox whole = empty_box();
  for (std::uint32_t k = lane; k < kGroupTiles; k += 32) {
    const std::uint32_t tile = group * kGroupTiles + k;
    if (tile >= n_tiles) break;
    const ListBox box = list.tile_box[tile];
    whole = {{fminf(whole.low.x, box.low.x), fminf(whole.low.y, box.low.y), fminf(whole.low.z, box.low.z)},
             {fmaxf(whole.high.x, box.high.x), fmaxf(whole.high.y, box.high.y), fmaxf(whole.high.z, box.high.z)}};
  }
  join_boxes(whole, 1, 32);
  if (lane == 0) list.group_box[group] = whole;
}

/// Which of two tiles takes their pairs: as many as not of those near it.
__device__ inline bool takes_pairs(std::uint32_t tile, std::uint32_t other) {
  return tile != other && (tile < other) == ((tile + other) % 2 == 0);
}

/// Warps of a block that looks for the clusters near a tile.
inline constexpr int kSearchWarps = 4;
/// Clusters that a warp of it keeps in mind; where there are more it looks twice.
inline constexpr std::uint32_t kKeptClusters = 512;

/// Calls `found(cluster, reach, near)` with the clusters of all tiles whose pairs this one takes, four tiles at a time
/// in ascending order, a cluster a lane: which of this tile's it may reach, a bit each, and the bits of the lanes where
/// it may reach any. By a whole warp; the warps of a block share the tiles, 32 by 32. own: the boxes of this tile's
/// clusters.
template <class Found>
__device__ inline void for_clusters_near(const PairListView& list, std::uint32_t tile,
                                         const ListBox (&own)[kTileClusters], const Found& found) {
  const std::uint32_t warp = threadIdx.x / 32, lane = threadIdx.x % 32;
  const std::uint32_t n_tiles = tiles_of(list.n_atoms), n_groups = groups_of(n_tiles);
  const float reach2 = safe_square(list.reach);
  const ListBox mine = list.tile_box[tile];
  const auto lanes_where = [](bool yes) { return __ballot_sync(0xFFFFFFFFU, yes); };
  std::uint32_t turn = 0;  // of the next 32 tiles
  for (std::uint32_t first = 0; first < n_groups; first += 32) {
    unsigned groups =
        lanes_where(first + lane < n_groups && gap2(list.group_box[min(first + lane, n_groups - 1)], mine) < reach2);
    for (; groups != 0; groups &= groups - 1) {
      const std::uint32_t group = first + __ffs(static_cast<int>(groups)) - 1;
      for (std::uint32_t half = 0; half < kGroupTiles; half += 32, ++turn) {
        if (turn % kSearchWarps != warp) continue;
        const std::uint32_t begin = group * kGroupTiles + half, other = begin + lane;
        unsigned tiles = lanes_where(other < n_tiles && takes_pairs(tile, other) &&
                                     gap2(list.tile_box[min(other, n_tiles - 1)], mine) < reach2);
        while (tiles != 0) {
          int bit = 0;  // of the lane's tile, from 1 on
          for (std::uint32_t k = 0; k < 32 / kTileClusters; ++k, tiles &= tiles - 1)
            if (lane / kTileClusters == k) bit = __ffs(static_cast<int>(tiles));
          const std::uint32_t cluster = (begin + bit - 1) * kTileClusters + lane % kTileClusters;
          unsigned reach = 0;
          if (bit != 0) {
            const ListBox box = list.cluster_box[cluster];
#pragma unroll
            for (int k = 0; k < kTileClusters; ++k) reach |= gap2(own[k], box) < reach2 ? 1U << k : 0U;
          }
          found(cluster, reach, lanes_where(reach != 0));
        }
      }
    }
  }
}

__device__ inline std::uint32_t clusters_of(std::uint32_t tile, std::uint32_t n_atoms) {
  return min(static_cast<std::uint32_t>(kTileClusters),
             (n_atoms - tile * kTileAtoms + kClusterAtoms - 1) / kClusterAtoms);
}

/// Finds the clusters near each tile, its own included, and shares them out evenly over as few units as hold them; a
/// block a tile.
template <class Real>
__global__ void __launch_bounds__(32 * kSearchWarps)
    list_units_kernel(const __grid_constant__ PairListView list, const __grid_constant__ AtomTilesView<Real> tiles) {
  __shared__ ListBox own[kTileClusters];
  __shared__ std::uint32_t kept[kSearchWarps][kKeptClusters];  // ListNeighbor::packed
  __shared__ std::uint32_t found_by[kSearchWarps];
  __shared__ std::uint32_t first_unit;
  wait_for_kernel_before();
  const std::uint32_t tile = blockIdx.x, warp = threadIdx.x / 32, lane = threadIdx.x % 32;
  if (list.state->filling == 0) return;
  if (threadIdx.x < kTileClusters) own[threadIdx.x] = list.cluster_box[tile * kTileClusters + threadIdx.x];
  __syncthreads();
  const unsigned before = (1U << lane) - 1;
  std::uint32_t n = 0;
  for_clusters_near(list, tile, own, [&](std::uint32_t cluster, unsigned reach, unsigned near) {
    const std::uint32_t at = n + __popc(near & before);
    if (reach != 0 && at < kKeptClusters) kept[warp][at] = ListNeighbor::packed(cluster, reach);
    n += __popc(near);
  });
  if (lane == 0) found_by[warp] = n;
  __syncthreads();
  const std::uint32_t of_tile = clusters_of(tile, list.n_atoms);
  std::uint32_t all = of_tile, mine = of_tile;  // mine: the place of what the warp has found
#pragma unroll
  for (std::uint32_t w = 0; w < kSearchWarps; ++w) {
    mine += w < warp ? found_by[w] : 0;
    all += found_by[w];
  }
  const std::uint32_t units = (all + list.unit_clusters - 1) / list.unit_clusters, each = (all + units - 1) / units;
  if (threadIdx.x == 0) {
    first_unit = atomicAdd(&list.state->n_units, units);
    list.tile_units[tile] = {first_unit, units};
    if (first_unit > list.max_units || units > list.max_units - first_unit) list.state->full = 1;
  }
  __syncthreads();
  const std::uint32_t first = first_unit;
  if (first > list.max_units || units > list.max_units - first) return;
  bool coarse = false, stretched = is_stretched(list.tile_box[tile]);
  const auto put = [&](std::uint32_t at, std::uint32_t packed) {
    const std::uint32_t of = (packed >> kTileClusters) / kTileClusters;
    const Vec3<double> d = tiles.frame[of].centre - tiles.frame[tile].centre;
    const Vec3<float> shift{near_enough<float>(d.x), near_enough<float>(d.y), near_enough<float>(d.z)};
    coarse = coarse || shift.x != d.x || shift.y != d.y || shift.z != d.z;
    stretched = stretched || is_stretched(list.tile_box[of]);
    list.neighbor[std::size_t{first + at / each} * list.unit_clusters + at % each] = {shift, packed};
  };
  // A cluster of the tile's own is met by those before it, and by itself.
  if (threadIdx.x < of_tile)
    put(threadIdx.x, ListNeighbor::packed(tile * kTileClusters + threadIdx.x, (2U << threadIdx.x) - 1));
  if (n <= kKeptClusters) {
    for (std::uint32_t k = lane; k < n; k += 32) put(mine + k, kept[warp][k]);
  } else {
    for_clusters_near(list, tile, own, [&](std::uint32_t cluster, unsigned reach, unsigned near) {
      if (reach != 0) put(mine + __popc(near & before), ListNeighbor::packed(cluster, reach));
      mine += __popc(near);
    });
  }
  coarse = __syncthreads_or(coarse ? 1 : 0) != 0;
  stretched = __syncthreads_or(stretched ? 1 : 0) != 0;
  for (std::uint32_t k = threadIdx.x; k < units; k += blockDim.x)
    list.unit[first + k] = {tile, static_cast<std::uint16_t>(min(each, all - min(all, k * each))), k == 0, coarse,
                            stretched};
}

}  // namespace dropmd
