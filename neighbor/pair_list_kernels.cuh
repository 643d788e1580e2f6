#pragma once

#include <cstdint>
#include <cub/block/block_scan.cuh>
#include <limits>

#include "device/launch.cuh"
#include "device/warp.cuh"
#include "neighbor/atom_tiles.cuh"
#include "neighbor/pair_list_view.cuh"

/// How a pair list is built, kernel by kernel. Each does nothing unless the list is stale, so that all can stand in a
/// graph of steps; orders follow from the order of the atoms, but for the places of the lists in memory.
namespace dropmd {

/// Warps of a block that looks for what is near.
inline constexpr int kSearchWarps = 4;

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
__global__ void __launch_bounds__(32 * kSearchWarps)
    list_boxes_kernel(const __grid_constant__ PairListView list, const __grid_constant__ AtomTilesView<Real> tiles,
                      Vec3<double> anchor, Vec3<double>* reference, bool keep_reference) {
  wait_for_kernel_before();
  const std::uint32_t tile = (blockIdx.x * blockDim.x + threadIdx.x) / 32;
  const int lane = static_cast<int>(threadIdx.x % 32);
  if (blockIdx.x == 0 && threadIdx.x == 0) list.state->filling = 0;
  if (tile >= tiles.n_tiles() || list.state->stale_at == list.state->built_at) return;
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

/// A warp a group of tiles.
static __global__ void __launch_bounds__(32 * kSearchWarps)
    list_groups_kernel(const __grid_constant__ PairListView list) {
  wait_for_kernel_before();
  const std::uint32_t n_tiles = tiles_of(list.n_atoms);
  const std::uint32_t group = (blockIdx.x * blockDim.x + threadIdx.x) / 32, lane = threadIdx.x % 32;
  if (group >= groups_of(n_tiles) || list.state->stale_at == list.state->built_at) return;
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

/// Calls `found(cluster, is_near, near)` with the clusters of all tiles whose pairs this one takes, four tiles at a
/// time in ascending order, a cluster a lane: whether it is near any of this tile's, and the bits of the lanes where it
/// is. By a whole warp. own: shared memory of the warp.
template <class Found>
__device__ inline void for_clusters_near(const PairListView& list, std::uint32_t tile, std::uint32_t lane,
                                         ListBox (&own)[kTileClusters], const Found& found) {
  const std::uint32_t n_tiles = tiles_of(list.n_atoms), n_groups = groups_of(n_tiles);
  const float reach2 = safe_square(list.reach);
  const ListBox mine = list.tile_box[tile];
  if (lane < kTileClusters) own[lane] = list.cluster_box[tile * kTileClusters + lane];
  __syncwarp();
  const auto lanes_where = [](bool yes) { return __ballot_sync(0xFFFFFFFFU, yes); };
  for (std::uint32_t first = 0; first < n_groups; first += 32) {
    unsigned groups =
        lanes_where(first + lane < n_groups && gap2(list.group_box[min(first + lane, n_groups - 1)], mine) < reach2);
    for (; groups != 0; groups &= groups - 1) {
      const std::uint32_t group = first + __ffs(static_cast<int>(groups)) - 1;
      for (std::uint32_t half = 0; half < kGroupTiles; half += 32) {
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

/// Counts the clusters near each tile, its own included; a warp a tile.
static __global__ void __launch_bounds__(32 * kSearchWarps)
    list_count_kernel(const __grid_constant__ PairListView list) {
  wait_for_kernel_before();
  const std::uint32_t tile = (blockIdx.x * blockDim.x + threadIdx.x) / 32, lane = threadIdx.x % 32;
  if (tile >= tiles_of(list.n_atoms) || list.state->stale_at == list.state->built_at) return;
  std::uint32_t n = clusters_of(tile, list.n_atoms);
  __shared__ ListBox own[kSearchWarps][kTileClusters];
  for_clusters_near(list, tile, lane, own[threadIdx.x / 32],
                    [&](std::uint32_t, unsigned, unsigned near) { n += __popc(near); });
  if (lane == 0) list.tile_neighbors[tile] = n;
}

/// n clusters shared out evenly over so many units: unit k holds those from k times this on.
__device__ inline std::uint32_t clusters_of_unit(std::uint32_t n, std::uint32_t units) {
  return (n + max(units, 1U) - 1) / max(units, 1U);
}

/// Numbers the units: one block. A tile has as few as hold its clusters.
static __global__ void __launch_bounds__(1024) list_units_kernel(const __grid_constant__ PairListView list) {
  using Scan = cub::BlockScan<std::uint32_t, 1024>;
  __shared__ Scan::TempStorage storage;
  wait_for_kernel_before();
  const std::uint32_t n_tiles = tiles_of(list.n_atoms);
  const bool stale = list.state->stale_at != list.state->built_at;
  __syncthreads();  // all have read what one writes below
  if (!stale) return;
  std::uint32_t before = 0;
  for (std::uint32_t first = 0; first < n_tiles; first += blockDim.x) {
    const std::uint32_t tile = first + threadIdx.x;
    const std::uint32_t n = tile < n_tiles ? list.tile_neighbors[tile] : 0;
    const std::uint32_t units = (n + list.unit_clusters - 1) / list.unit_clusters;
    std::uint32_t mine = 0, all = 0;
    Scan(storage).ExclusiveSum(units, mine, all);
    __syncthreads();
    if (tile < n_tiles) list.tile_unit[tile] = before + mine;
    const std::uint32_t each = clusters_of_unit(n, units);
    for (std::uint32_t k = 0; k < units && before + mine + k < list.max_units; ++k)
      list.unit[before + mine + k] = {tile, min(each, n - min(n, k * each)), k == 0 ? 1U : 0U};
    before += all;
  }
  if (threadIdx.x != 0) return;
  list.tile_unit[n_tiles] = before;
  PairListState& state = *list.state;
  state.n_units = before;
  state.n_groups = 0;
  state.n_pairs = 0;
  state.full = before > list.max_units ? 1 : 0;
  state.filling = 1 - state.full;
  state.built_at = state.stale_at;
  ++state.builds;
}

/// Writes down the clusters of each unit; a warp a tile.
template <class Real>
__global__ void __launch_bounds__(32 * kSearchWarps)
    list_neighbors_kernel(const __grid_constant__ PairListView list,
                          const __grid_constant__ AtomTilesView<Real> tiles) {
  wait_for_kernel_before();
  const std::uint32_t tile = (blockIdx.x * blockDim.x + threadIdx.x) / 32, lane = threadIdx.x % 32;
  if (tile >= tiles.n_tiles() || list.state->filling == 0) return;
  const std::uint32_t first = list.tile_unit[tile], units = list.tile_unit[tile + 1] - first;
  const std::uint32_t each = clusters_of_unit(list.tile_neighbors[tile], units);
  const auto put = [&](std::uint32_t at, std::uint32_t cluster, unsigned reach) {
    const Vec3<double> d = tiles.frame[cluster / kTileClusters].centre - tiles.frame[tile].centre;
    list.neighbor[std::size_t{first + at / each} * list.unit_clusters + at % each] = {
        {near_enough<float>(d.x), near_enough<float>(d.y), near_enough<float>(d.z)},
        ListNeighbor::packed(cluster, reach)};
  };
  std::uint32_t count = clusters_of(tile, list.n_atoms);
  // A cluster of the tile's own is met by those before it, and by itself.
  if (lane < count) put(lane, tile * kTileClusters + lane, (2U << lane) - 1);
  __shared__ ListBox own[kSearchWarps][kTileClusters];
  for_clusters_near(list, tile, lane, own[threadIdx.x / 32], [&](std::uint32_t cluster, unsigned reach, unsigned near) {
    if (reach != 0) put(count + __popc(near & ((1U << lane) - 1)), cluster, reach);
    count += __popc(near);
  });
}

/// An atom as the list sees it: relative to the middle of the unit's tile. reach2: squared distance up to which another
/// may be within reach, for all that rounding may have lost; negative where offsets are too coarse to be trusted even
/// at a distance, zero where there is no atom.
struct alignas(16) ListAtom {
  float x, y, z, reach2;
};

inline constexpr int kFillWarps = kTileQuads;
/// Farther than any atom can be from one that it could meet.
inline constexpr float kAbsent = 1e18F;

inline std::size_t fill_shared_bytes(std::uint32_t slots) {
  return (std::size_t{slots} + kTileAtoms) * sizeof(ListAtom) +
         (std::size_t{slots} + slots / kClusterAtoms) * kFillWarps * sizeof(std::uint16_t);
}

/// The places in a unit of the clusters that one of the tile's own reaches, in order; by a whole warp. Returns how
/// many.
__device__ inline std::uint32_t compact_reached(const ListNeighbor* neighbor, std::uint32_t n,
                                                std::uint32_t own_cluster, std::uint16_t* reached) {
  const std::uint32_t lane = threadIdx.x % 32;
  std::uint32_t count = 0;
  for (std::uint32_t from = 0; from < n; from += 32) {
    const bool is = from + lane < n && neighbor[from + lane].is_reached_by(own_cluster);
    const unsigned lanes = __ballot_sync(0xFFFFFFFFU, is);
    if (is) reached[count + __popc(lanes & ((1U << lane) - 1))] = static_cast<std::uint16_t>(from + lane);
    count += __popc(lanes);
  }
  __syncwarp();
  return count;
}

/// The lists of a unit: a block a unit, a warp one of the tile's quads.
static __global__ void __launch_bounds__(32 * kFillWarps)
    list_fill_kernel(const __grid_constant__ PairListView list, Vec3<double> anchor) {
  extern __shared__ ListAtom shared_atoms[];
  wait_for_kernel_before();
  const std::uint32_t u = blockIdx.x;
  if (list.state->filling == 0 || u >= list.state->n_units) return;
  const ListUnit unit = list.unit[u];
  const ListNeighbor* const neighbor = list.neighbor + std::size_t{u} * list.unit_clusters;
  const std::uint32_t slots = list.slots(), end = unit.n_clusters * kClusterAtoms;
  ListAtom* const own = shared_atoms + slots;
  std::uint16_t* const lists = reinterpret_cast<std::uint16_t*>(own + kTileAtoms);
  std::uint16_t* const reached_by_warp = lists + slots * kFillWarps;

  const ListBox box = list.tile_box[unit.tile];
  const Vec3<float> middle = 0.5F * (box.low + box.high), size = box.high - box.low;
  const Vec3<double> centre = anchor + Vec3<double>{middle.x, middle.y, middle.z};
  for (std::uint32_t s = threadIdx.x; s < slots + kTileAtoms; s += blockDim.x) {
    if (s >= end && s < slots) continue;
    const std::uint32_t place = s < slots ? neighbor[s / kClusterAtoms].cluster() * kClusterAtoms + s % kClusterAtoms
                                          : unit.tile * kTileAtoms + (s - slots);
    ListAtom atom{kAbsent, kAbsent, kAbsent, 0};
    if (place < list.n_atoms) {
      const Vec3<double> d = list.reference[place] - centre;
      atom = {near_enough<float>(d.x), near_enough<float>(d.y), near_enough<float>(d.z), 0};
      const float lost = 2.5e-7F * (fabsf(atom.x) + fabsf(atom.y) + fabsf(atom.z) + size.x + size.y + size.z);
      atom.reach2 = safe_square(list.reach + lost);
      if (is_stretched(list.tile_box[place / kTileAtoms])) atom.reach2 = -atom.reach2;
    }
    shared_atoms[s] = atom;
  }
  __syncthreads();

  const std::uint32_t warp = threadIdx.x / 32, lane = threadIdx.x % 32;
  std::uint16_t* const mine = lists + warp * slots;  // far atoms from the front, near ones from the back
  ListAtom atom[kQuadAtoms];
#pragma unroll
  for (int k = 0; k < kQuadAtoms; ++k) atom[k] = own[warp * kQuadAtoms + k];
  const std::uint32_t first_own = warp * kQuadAtoms;  // the slot of the first of them, in a tile's first unit
  const float near2 = safe_square(list.near_reach);
  const std::uint32_t first_place = unit.tile * kTileAtoms + first_own;
  const std::uint32_t n_atoms =
      min(static_cast<std::uint32_t>(kQuadAtoms), list.n_atoms - min(list.n_atoms, first_place));
  const bool all_near = atom[0].reach2 < 0;
  std::uint32_t n_near = 0, n_far = 0;
  std::uint32_t n_pairs = 0;  // of the lane
  std::uint16_t* const reached = reached_by_warp + warp * list.unit_clusters;
  const std::uint32_t n_reached =
      compact_reached(neighbor, unit.n_clusters, warp * kQuadAtoms / kClusterAtoms, reached);
  for (std::uint32_t from = 0; from < n_reached; from += 32 / kClusterAtoms) {
    const std::uint32_t which = from + lane / kClusterAtoms;
    const std::uint32_t s = which < n_reached ? reached[which] * kClusterAtoms + lane % kClusterAtoms : slots;
    const ListAtom other = which < n_reached ? shared_atoms[s] : ListAtom{kAbsent, kAbsent, kAbsent, 0};
    const float reach2 = fabsf(other.reach2);
    float least = std::numeric_limits<float>::infinity();
#pragma unroll
    for (int k = 0; k < kQuadAtoms; ++k) {
      const Vec3<float> d{atom[k].x - other.x, atom[k].y - other.y, atom[k].z - other.z};
      least = fminf(least, dot(d, d));
    }
    bool in = least < reach2;
    bool near = least < near2 || other.reach2 < 0 || all_near;
    std::uint32_t pairs = n_atoms;            // that the atom makes with those of the quad
    if (unit.first != 0 && s < kTileAtoms) {  // pairs of the tile's own: each once, and none with itself
      in = in && s > first_own;
      near = near || s < first_own + kQuadAtoms;
      pairs = min(pairs, s - min(s, first_own));
    }
    if (in) n_pairs += pairs;
    const unsigned of_near = __ballot_sync(0xFFFFFFFFU, in && near), of_far = __ballot_sync(0xFFFFFFFFU, in && !near);
    const unsigned before = (1U << lane) - 1;
    if (in) {
      const std::uint32_t at = near ? slots - 1 - (n_near + __popc(of_near & before)) : n_far + __popc(of_far & before);
      mine[at] = static_cast<std::uint16_t>(s);
    }
    n_near += __popc(of_near);
    n_far += __popc(of_far);
  }
  for (int mask = 16; mask > 0; mask /= 2) n_pairs += __shfl_xor_sync(0xFFFFFFFFU, n_pairs, mask);
  __syncwarp();

  const std::uint32_t near = (n_near + 31) / 32, far = (n_far + 31) / 32;
  const std::uint32_t near_groups = (near + kGroupBatches - 1) / kGroupBatches;
  const std::uint32_t groups = near_groups + (far + kGroupBatches - 1) / kGroupBatches;
  std::uint32_t group = 0;
  if (lane == 0) {
    group = atomicAdd(&list.state->n_groups, groups);
    atomicAdd(reinterpret_cast<unsigned long long*>(&list.state->n_pairs), n_pairs);
  }
  group = __shfl_sync(0xFFFFFFFFU, group, 0);
  const bool fits = group <= list.max_groups && groups <= list.max_groups - group;
  if (lane == 0) {
    list.range[u * kTileQuads + warp] =
        fits ? ListRange{group, static_cast<std::uint16_t>(near), static_cast<std::uint16_t>(far)} : ListRange{0, 0, 0};
    if (!fits) list.state->full = 1;
  }
  if (!fits) return;
  // A lane reads the entries of a group as one: those behind the last batch are written, too.
  const auto put = [&](std::uint32_t first_group, std::uint32_t end_group, std::uint32_t n, auto&& slot_of) {
    for (std::uint32_t k = lane; k < (end_group - first_group) * kGroupEntries; k += 32) {
      const std::uint32_t batch = k / 32;
      list.entry[(std::size_t{first_group} + batch / kGroupBatches) * kGroupEntries + lane * kGroupBatches +
                 batch % kGroupBatches] = k < n ? slot_of(k) : static_cast<std::uint16_t>(slots + lane);
    }
  };
  put(group, group + near_groups, n_near, [&](std::uint32_t k) { return mine[slots - 1 - k]; });
  put(group + near_groups, group + groups, n_far, [&](std::uint32_t k) { return mine[k]; });
}

}  // namespace dropmd
