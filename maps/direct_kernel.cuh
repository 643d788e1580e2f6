#pragma once

#include <type_traits>

#include "device/cuda.cuh"
#include "forces/pair/coulomb_plain.h"
#include "maps/map_slab.cuh"
#include "maps/reciprocal_root.cuh"

/// Direct Coulomb summation of every atom for every point.
///
/// A lane has a column of points along z. For a tile of atoms in shared memory the distances along z to the planes are
/// squared once per block (J. E. Stone et al., J. Comput. Chem. 28, 2618 (2007), include them in the atoms of a plane),
/// and those along x and y once per lane and atom: what remains per atom and point is one addition, one reciprocal root
/// and one multiply-add. In fp32 two of eight roots are computed by arithmetic instructions.
namespace dropmd {

/// Sizes of the kernel of direct summation.
struct DirectShape {
  static constexpr std::int32_t kThreads = 256, kTile = 256;
  /// The error of roots by arithmetic is 4.3e-7, that of the other operations 1e-7.
  static constexpr double kNearShare = near_share(5.3e-7);
  static constexpr std::int32_t kBlockX = 2 * kWarpX, kBlockY = 4 * kWarpY;
  /// Points per lane.
  template <class Real, bool kField>
  static constexpr int kPoints = std::is_same_v<Real, float> && !kField ? 8 : 4;
};

#if defined(__CUDACC__)

/// Whether the root for point m is computed by arithmetic instructions.
constexpr bool is_by_arithmetic(int m) { return m % 4 == 1; }

/// Atoms of a tile in the form that a block needs: offsets from the middle of its points, and from its planes.
template <class Real, int kPoints, bool kField>
struct DirectTile {
  struct alignas(16) InPlane {
    Real x, y, charge, scaled_charge;
  };
  InPlane atom[DirectShape::kTile];
  /// Squared distances from the planes; with a field the distances.
  alignas(16) Real z[DirectShape::kTile][kPoints];
  DeviceCharge near[DirectShape::kTile];  ///< atoms to be summed in fp64
  std::int32_t n_of_warp[DirectShape::kThreads / 32];
};

/// Sums over a share of the atoms at the points of a block. (The function is long because the sums of all points stay
/// in registers throughout.)
template <class Real, bool kField>
__device__ void direct_sum(const MapSlab& slab, const CoulombPlain<double>& form, const DeviceCharge* atoms,
                           std::uint32_t n_atoms, std::uint32_t atoms_a_split) {
  constexpr int kPoints = DirectShape::kPoints<Real, kField>;
  constexpr int kTile = DirectShape::kTile;
  using Column = PointColumn<Real, kPoints, kField>;
  __shared__ DirectTile<Real, kPoints, kField> tile;

  const auto thread = static_cast<std::int32_t>(threadIdx.x), lane = thread % 32, warp = thread / 32;
  const PointBlocks blocks{slab.points, {DirectShape::kBlockX, DirectShape::kBlockY, kPoints}};
  const PointBlock block = blocks[blockIdx.x];
  const SpaceBox box = slab.box(block);
  const Vec3<double> half = 0.5 * (box.high - box.low);
  const Vec3<double> centre = std::is_same_v<Real, float> ? box.low + half : Vec3<double>{};
  const double margin =
      slab.nearest + (std::is_same_v<Real, float> ? DirectShape::kNearShare * fmax(half.x, fmax(half.y, half.z)) : 0);

  Column column(block.low.x + warp % 2 * kWarpX + lane % kWarpX, block.low.y + warp / 2 * kWarpY + lane / kWarpX);
  const Real x = static_cast<Real>(slab.x(column.i) - centre.x), y = static_cast<Real>(slab.y(column.j) - centre.y);

  const std::uint32_t begin = blockIdx.y * atoms_a_split, end = min(n_atoms, begin + atoms_a_split);
  for (std::uint32_t first = begin; first < end; first += kTile) {
    __syncthreads();
    // Idle entries, and those of near atoms, are neutral and at some distance.
    const Vec3<double> aside = box.high + Vec3<double>{1 + margin + 1e-6 * fabs(box.high.x), 0, 0};
    const bool is_there = first + thread < end;
    const DeviceCharge mine = is_there ? atoms[first + thread] : DeviceCharge{aside, 0};
    const double d2 = box.squared_distance(mine.position);
    const bool is_near = is_there && (d2 < margin * margin || d2 > kFarSquare);
    const std::uint32_t nears = __ballot_sync(0xFFFFFFFFU, is_near);
    if (lane == 0) tile.n_of_warp[warp] = __popc(nears);
    const Vec3<double> d = (is_near ? aside : mine.position) - centre;
    const Real q = is_near ? Real(0) : static_cast<Real>(mine.charge);
    tile.atom[thread] = {static_cast<Real>(d.x), static_cast<Real>(d.y), q, q * static_cast<Real>(kRootScale)};
#pragma unroll
    for (int m = 0; m < kPoints; ++m) {
      const Real dz = static_cast<Real>(slab.z(block.low.z + m) - centre.z) - static_cast<Real>(d.z);
      tile.z[thread][m] = kField ? dz : dz * dz;
    }
    __syncthreads();
    std::int32_t n_near = 0, before = 0;
#pragma unroll
    for (int w = 0; w < DirectShape::kThreads / 32; ++w) {
      if (w < warp) before += tile.n_of_warp[w];
      n_near += tile.n_of_warp[w];
    }
    if (is_near) tile.near[before + __popc(nears & ((1U << lane) - 1))] = mine;

    const auto n_here = static_cast<std::int32_t>(min(static_cast<std::uint32_t>(kTile), end - first));
    for (std::int32_t of_run = 0; of_run < n_here; of_run += kSummedInFp32) {
#pragma unroll 8
      for (std::int32_t a = of_run; a < of_run + kSummedInFp32; ++a) {
        const auto atom = tile.atom[a];
        const Real dx = x - atom.x, dy = y - atom.y;
        const Real xy2 = lane_fma(dx, dx, dy * dy);
#pragma unroll
        for (int m = 0; m < kPoints; ++m) {
          const Real z = tile.z[a][m];
          const Real r2 = kField ? lane_fma(z, z, xy2) : xy2 + z;
          if constexpr (std::is_same_v<Real, float> && !kField)
            if (is_by_arithmetic(m)) {
              Real& sum = column.part[0][m];
              sum = fmaf(atom.scaled_charge, unscaled_reciprocal_root(r2), sum);
              continue;
            }
          const auto d = Distance<Real>::from_square(r2);
          column.add_term(m, atom.charge, {d.r_inv, d.r_inv}, d, dx, dy, z);
        }
      }
      column.flush();
    }
    if (n_near == 0) continue;
    __syncthreads();
    for (std::int32_t a = 0; a < n_near; ++a) column.template add_near<false>(slab, form, tile.near[a], block.low.z);
  }
  column.write(slab, block.low.z, blockIdx.y, slab.scale);
  if (thread == 0) {
    const unsigned long long points = DirectShape::kThreads * kPoints;
    atomicAdd(slab.evaluations, points * (end > begin ? end - begin : 0));
  }
}

template <class Real, bool kField>
__global__ void __launch_bounds__(DirectShape::kThreads, 2)
    direct_kernel(MapSlab slab, CoulombPlain<double> form, const DeviceCharge* atoms, std::uint32_t n_atoms,
                  std::uint32_t atoms_a_split) {
  direct_sum<Real, kField>(slab, form, atoms, n_atoms, atoms_a_split);
}

/// Adds the sums of all splits to those of the first, and counts the points that any of them found near an atom.
template <bool kField>
__global__ void join_splits_kernel(MapSlab slab, std::uint32_t n_splits) {
  const std::size_t p = static_cast<std::size_t>(blockIdx.x) * blockDim.x + threadIdx.x, n = slab.n_points();
  if (p >= n) return;
  for (std::uint32_t s = 1; s < n_splits; ++s) {
    slab.potential[p] += slab.potential[s * n + p];
    if constexpr (kField) slab.field[p] += slab.field[s * n + p];
  }
  if (slab.near[p] != 0) atomicAdd(slab.near_points, 1ULL);
}

#endif

}  // namespace dropmd
