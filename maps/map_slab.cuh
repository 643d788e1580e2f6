#pragma once

#include <cstdint>

#include "core/run/map_grid.h"
#include "device/warp.cuh"
#include "forces/pair/pair_term.h"
#include "maps/near_term.h"
#include "maps/point_block.h"

namespace dropmd {

/// A charge in device memory.
struct alignas(32) DeviceCharge {
  Vec3<double> position;
  double charge;
};

/// Planes [first, first + n_planes) of a grid along z, which one launch computes; as plain pointers.
struct MapSlab {
  Vec3<double> origin, spacing;
  Vec3<std::int32_t> points;  ///< of the slab: points.z planes
  std::int32_t first;
  double scale;         ///< k_e
  double nearest;       ///< d_min
  double* potential;    ///< [n_splits][n_points of the slab]
  Vec3<double>* field;  ///< [n_splits][n_points of the slab] or null
  /// [n_points of the slab], initially zero: whether points are near an atom, if several splits must agree; or null.
  std::uint8_t* near;
  unsigned long long* near_points;  ///< sum over all points
  unsigned long long* evaluations;  ///< sum over all warps

  DROPMD_HOST_DEVICE std::size_t n_points() const {
    return static_cast<std::size_t>(points.x) * static_cast<std::size_t>(points.y) * static_cast<std::size_t>(points.z);
  }
  DROPMD_HOST_DEVICE double x(std::int32_t i) const { return origin.x + i * spacing.x; }
  DROPMD_HOST_DEVICE double y(std::int32_t j) const { return origin.y + j * spacing.y; }
  DROPMD_HOST_DEVICE double z(std::int32_t k) const { return origin.z + (first + k) * spacing.z; }
  DROPMD_HOST_DEVICE SpaceBox box(const PointBlock& block) const {
    return {{x(block.low.x), y(block.low.y), z(block.low.z)},
            {x(block.high.x - 1), y(block.high.y - 1), z(block.high.z - 1)}};
  }
};

/// The distribution of points: a warp has 8 × 4 columns of kPoints points along z, one per lane, so that eight lanes
/// write a row and share the squares of distances along x and y.
inline constexpr std::int32_t kWarpX = 8, kWarpY = 4;

#if defined(__CUDACC__)

/// The points of a lane and their sums.
///
/// Sums are in Real alone: `part` receives a few terms one by one, and flush() adds it to `sum` and keeps the rounding
/// error in `part` (Kahan, Commun. ACM 8, 40 (1965)). A conversion to fp64 would occupy the unit that reciprocal roots
/// need.
template <class Real, int kPoints, bool kField>
struct PointColumn {
  static constexpr int kSums = kField ? 4 : 1;

  std::int32_t i, j;   ///< of the slab; arbitrary for idle lanes
  std::uint32_t near;  ///< one bit per point
  Real part[kSums][kPoints], sum[kSums][kPoints];

  __device__ PointColumn(std::int32_t column_i, std::int32_t column_j) : i(column_i), j(column_j), near(0) {
#pragma unroll
    for (int s = 0; s < kSums; ++s)
#pragma unroll
      for (int m = 0; m < kPoints; ++m) part[s][m] = sum[s][m] = 0;
  }

  /// Adds an atom's term at distance (dx, dy, dz) from point m.
  __device__ void add_term(int m, Real charge, const PairTerm<Real>& term, const Distance<Real>& d, Real dx, Real dy,
                           Real dz) {
    part[0][m] = lane_fma(charge, term.energy, part[0][m]);
    if constexpr (kField) {
      const Real f = charge * term.virial * d.r2_inv;
      part[1][m] = lane_fma(f, dx, part[1][m]);
      part[2][m] = lane_fma(f, dy, part[2][m]);
      part[3][m] = lane_fma(f, dz, part[3][m]);
    }
  }

  /// To be called after at most kSummedInFp32 terms.
  __device__ void flush() {
#pragma unroll
    for (int s = 0; s < kSums; ++s)
#pragma unroll
      for (int m = 0; m < kPoints; ++m) {
        const Real all = sum[s][m] + part[s][m];
        part[s][m] -= all - sum[s][m];
        sum[s][m] = all;
      }
  }

  __device__ double total(int s, int m) const {
    return static_cast<double>(sum[s][m]) + static_cast<double>(part[s][m]);
  }

  /// Adds an atom for which fp32 offsets or d_min matter, with terms in fp64. form: evaluated with the distance and
  /// with or without a cutoff.
  template <bool kCutoff, class Form>
  __device__ void add_near(const MapSlab& slab, const Form& form, const DeviceCharge& atom, std::int32_t first_plane) {
    const double dx = slab.x(i) - atom.position.x, dy = slab.y(j) - atom.position.y;
    const double xy2 = fma(dx, dx, dy * dy), least = slab.nearest * slab.nearest;
#pragma unroll
    for (int m = 0; m < kPoints; ++m) {
      const double dz = slab.z(first_plane + m) - atom.position.z;
      const double r2 = fma(dz, dz, xy2);
      const bool is_near = r2 < least;
      if (is_near) near |= 1U << m;
      const NearTerm<double> term = near_term<kCutoff>(form, r2, least);
      part[0][m] += static_cast<Real>(atom.charge * term.energy);
      if constexpr (kField) {
        const double f = atom.charge * term.force_over_r;
        part[1][m] += static_cast<Real>(f * dx);
        part[2][m] += static_cast<Real>(f * dy);
        part[3][m] += static_cast<Real>(f * dz);
      }
    }
    flush();
  }

  /// Writes the points of the planes from first_plane on. All lanes of a warp must call it.
  __device__ void write(const MapSlab& slab, std::int32_t first_plane, std::uint32_t split, double scale) const {
    std::uint32_t n_near = 0;
    if (i < slab.points.x && j < slab.points.y) {
#pragma unroll
      for (int m = 0; m < kPoints; ++m) {
        if (first_plane + m >= slab.points.z) break;
        const std::size_t plane = static_cast<std::size_t>(first_plane + m) * slab.points.y;
        const std::size_t in_slab = (plane + j) * slab.points.x + i;
        const std::size_t at = split * slab.n_points() + in_slab;
        slab.potential[at] = scale * total(0, m);
        if constexpr (kField) slab.field[at] = {scale * total(1, m), scale * total(2, m), scale * total(3, m)};
        if ((near >> m & 1U) == 0) continue;
        if (slab.near != nullptr)
          slab.near[in_slab] = 1;
        else
          ++n_near;
      }
    }
    n_near = sum_of_warp(n_near);
    if (n_near > 0 && threadIdx.x % 32 == 0) atomicAdd(slab.near_points, static_cast<unsigned long long>(n_near));
  }
};

#endif

}  // namespace dropmd
