#pragma once

#include <cstdint>
#include <limits>

#include "core/lanes/lanes.h"
#include "neighbor/lists/list_search.cuh"

/// Tests which atoms are within the list cutoff of each other, for the lists on a GPU.
namespace dropmd {

/// An atom in these tests: its position relative to the middle of the item's tile, and a number for comparisons.
struct alignas(16) ListAtom {
  float x, y, z, w;
};

/// Tests whether atoms a of the tile and b are within the list cutoff r of each other by |a|² − 2 a·b < r² − |b|², with
/// a margin for rounding of at most (5/6) 1e-6 (|a|² + |b|²). In wide tiles that margin is too large: see
/// WideDistanceTest.
struct PlainDistanceTest {
  float list_cutoff2, near2;
  float size2;  ///< of the box of the tile: |a|² is smaller

  static __device__ ListAtom none() { return {0, 0, 0, -kFar2}; }
  static __device__ ListAtom no_own() { return {0, 0, 0, kFar2}; }
  __device__ ListAtom own(const Vec3<float>& a) const { return {-2 * a.x, -2 * a.y, -2 * a.z, dot(a, a)}; }
  __device__ ListAtom other(const Vec3<float>& b, bool) const {
    return {b.x, b.y, b.z, list_cutoff2 - dot(b, b) + 1e-6F * (dot(b, b) + size2)};
  }
  static __device__ float distance(const ListAtom& a, const ListAtom& b) {
    return lane_fma(a.z, b.z, lane_fma(a.y, b.y, lane_fma(a.x, b.x, a.w)));
  }
  static __device__ bool is_within(float distance, const ListAtom& b) { return distance < b.w; }
  __device__ bool is_near(float distance, const ListAtom& b) const { return distance < b.w - (list_cutoff2 - near2); }

 private:
  static constexpr float kFar2 = 1e30F;
};

/// The same by |a − b|² < r², with a margin for everything that rounding may have lost. Offsets of atoms in wide
/// tiles are too coarse to be trusted even at a distance, so these atoms count as near.
struct WideDistanceTest {
  float list_cutoff, near2;
  Vec3<float> size;  ///< of the box of the tile
  bool all_near;     ///< whether the tile is wide

  static __device__ ListAtom none() { return {kAbsent, kAbsent, kAbsent, 0}; }
  static __device__ ListAtom no_own() { return none(); }
  __device__ ListAtom own(const Vec3<float>& a) const { return {a.x, a.y, a.z, 0}; }
  __device__ ListAtom other(const Vec3<float>& b, bool wide) const {
    const float lost = 2.5e-7F * (fabsf(b.x) + fabsf(b.y) + fabsf(b.z) + size.x + size.y + size.z);
    const float list_cutoff2 = safe_square(list_cutoff + lost);
    return {b.x, b.y, b.z, wide ? -list_cutoff2 : list_cutoff2};
  }
  static __device__ float distance(const ListAtom& a, const ListAtom& b) {
    const Vec3<float> d{a.x - b.x, a.y - b.y, a.z - b.z};
    return dot(d, d);
  }
  static __device__ bool is_within(float distance, const ListAtom& b) { return distance < fabsf(b.w); }
  __device__ bool is_near(float distance, const ListAtom& b) const { return all_near || distance < near2 || b.w < 0; }

 private:
  static constexpr float kAbsent = 1e18F;  ///< farther away than any two atoms that could interact
};

/// Writes, in order, the indices of an item's clusters, from `begin` to below `end`, that are within the list cutoff of
/// the item's own cluster `own_cluster`. All lanes of a warp must call it. Returns the number of these clusters.
__device__ inline std::uint32_t compact_neighbors(const std::uint32_t* cluster_and_neighbors, std::uint32_t begin,
                                                  std::uint32_t end, std::uint32_t own_cluster,
                                                  std::uint16_t* neighbor) {
  const std::uint32_t lane = threadIdx.x % 32;
  std::uint32_t count = 0;
  for (std::uint32_t from = begin; from < end; from += 32) {
    const bool is = from + lane < end && (cluster_and_neighbors[from + lane] >> own_cluster & 1U) != 0;
    const unsigned lanes = __ballot_sync(0xFFFFFFFFU, is);
    if (is) neighbor[count + __popc(lanes & ((1U << lane) - 1))] = static_cast<std::uint16_t>(from + lane);
    count += __popc(lanes);
  }
  __syncwarp();
  return count;
}

}  // namespace dropmd
