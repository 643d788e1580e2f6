#pragma once

#include <cstdint>
#include <limits>

#include "device/warp.cuh"
#include "neighbor/atom_tiles.cuh"
#include "neighbor/lists/list_boxes_view.cuh"

/// The search for neighbours when a list is built. Each kernel does nothing unless the list is stale, so that all can
/// be in a graph of steps. Orders follow from the order of the atoms, except for the locations of items and rows in
/// memory.
namespace dropmd {

/// Tiles per group; the boxes of groups are tested first.
inline constexpr std::uint32_t kGroupTiles = 64;
inline constexpr std::uint32_t groups_of(std::uint32_t n_tiles) { return (n_tiles + kGroupTiles - 1) / kGroupTiles; }

/// Returns the squared distance between two boxes.
__device__ inline float gap2(const ListBox& a, const ListBox& b) {
  const auto gap = [](float a_low, float a_high, float b_low, float b_high) {
    return fmaxf(fmaxf(a_low - b_high, b_low - a_high), 0.0F);
  };
  const Vec3<float> d{gap(a.low.x, a.high.x, b.low.x, b.high.x), gap(a.low.y, a.high.y, b.low.y, b.high.y),
                      gap(a.low.z, a.high.z, b.low.z, b.high.z)};
  return dot(d, d);
}

/// Returns a bound for comparisons with squared distances that were rounded a few times: it is never too small.
__device__ inline float safe_square(float distance) { return distance * distance * 1.00001F; }

/// Returns whether the box of a tile is wide.
__device__ inline bool is_wide(const ListBox& b) {
  const Vec3<float> size = b.high - b.low;
  return !(fmaxf(size.x, fmaxf(size.y, size.z)) < kWide);
}

/// Returns whether the atoms of a tile or cluster are not next to each other: where the curve that orders the atoms
/// leaves a droplet and comes back elsewhere, or passes an evaporated molecule, a box holds everything in between.
__device__ inline bool spans_gap(const ListBox& b, float list_cutoff) {
  const Vec3<float> size = b.high - b.low;
  return fmaxf(size.x, fmaxf(size.y, size.z)) > 3 * list_cutoff;
}

/// Enlarges a box to hold the boxes of the lanes whose numbers differ in bits from `from` up to below `to`.
__device__ inline void join_boxes(ListBox& box, int from, int to) {
  for (int mask = from; mask < to; mask *= 2) {
    const Vec3<float> low = from_lane_xor(box.low, mask), high = from_lane_xor(box.high, mask);
    box = {{fminf(box.low.x, low.x), fminf(box.low.y, low.y), fminf(box.low.z, low.z)},
           {fmaxf(box.high.x, high.x), fmaxf(box.high.y, high.y), fmaxf(box.high.z, high.z)}};
  }
}

/// Returns the box of a point.
__device__ inline ListBox box_of_point(const Vec3<double>& a) {
  return {{__double2float_rd(a.x), __double2float_rd(a.y), __double2float_rd(a.z)},
          {__double2float_ru(a.x), __double2float_ru(a.y), __double2float_ru(a.z)}};
}

/// Returns a box without points.
__device__ inline ListBox empty_box() {
  constexpr float kInf = std::numeric_limits<float>::infinity();
  return {{kInf, kInf, kInf}, {-kInf, -kInf, -kInf}};
}

/// Warps of a block that searches for the clusters near a tile.
inline constexpr int kSearchWarps = 4;

/// Returns the clusters of a tile whose distance from a box is below a limit, one bit each.
__device__ inline unsigned clusters_within(const ListBox (&cluster)[kTileClusters], const ListBox& box, float limit2) {
  unsigned bits = 0;
#pragma unroll
  for (int k = 0; k < kTileClusters; ++k) bits |= gap2(cluster[k], box) < limit2 ? 1U << k : 0U;
  return bits;
}

/// Calls `found(cluster, neighbors, near)` for the clusters of all tiles that `takes(tile)` accepts, in ascending
/// order, four tiles at a time and one cluster per lane. neighbors: bits of the searchers within the list cutoff of the
/// cluster, by `neighbors_of(box)`; near: bits of the lanes whose cluster has any. All lanes of a warp must call it;
/// the warps of a block take turns. is_near(box): whether a box may hold such clusters.
template <class IsNear, class NeighborsOf, class Takes, class Found>
__device__ inline void for_clusters_near(const ListBoxesView& list, const IsNear& is_near,
                                         const NeighborsOf& neighbors_of, const Takes& takes, const Found& found) {
  const std::uint32_t warp = threadIdx.x / 32, lane = threadIdx.x % 32;
  const std::uint32_t n_tiles = tiles_of(list.n_atoms), n_groups = groups_of(n_tiles);
  const auto lanes_where = [](bool yes) { return __ballot_sync(0xFFFFFFFFU, yes); };
  std::uint32_t turn = 0;  // of the next four tiles
  for (std::uint32_t first = 0; first < n_groups; first += 32) {
    unsigned groups = lanes_where(first + lane < n_groups && is_near(list.group_box[min(first + lane, n_groups - 1)]));
    for (; groups != 0; groups &= groups - 1) {
      const std::uint32_t group = first + __ffs(static_cast<int>(groups)) - 1;
      for (std::uint32_t half = 0; half < kGroupTiles; half += 32) {
        const std::uint32_t begin = group * kGroupTiles + half, other = begin + lane;
        unsigned tiles =
            lanes_where(other < n_tiles && takes(other) && is_near(list.tile_box[min(other, n_tiles - 1)]));
        for (; tiles != 0; ++turn) {
          int bit = 0;  // of the lane's tile, counted from 1
          for (std::uint32_t k = 0; k < 32 / kTileClusters; ++k, tiles &= tiles - 1)
            if (lane / kTileClusters == k) bit = __ffs(static_cast<int>(tiles));
          if (turn % kSearchWarps != warp) continue;
          const std::uint32_t cluster = (begin + bit - 1) * kTileClusters + lane % kTileClusters;
          const unsigned neighbors = bit != 0 ? neighbors_of(list.cluster_box[cluster]) : 0;
          found(cluster, neighbors, lanes_where(neighbors != 0));
        }
      }
    }
  }
}

}  // namespace dropmd
