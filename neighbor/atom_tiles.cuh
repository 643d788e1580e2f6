#pragma once

#include <cstdint>
#include <limits>
#include <type_traits>

#include "core/vec3.h"
#include "neighbor/cells/local_atoms.h"
#include "neighbor/excluded_atoms.cuh"
#include "neighbor/tile.h"

/// Positions for the tile kernels: atoms in spatial order, with positions relative to the centre of their tile.
namespace dropmd {

/// The frame of a tile and the box of its atoms: centre ± half.
template <class Real>
struct TileFrame {
  Vec3<double> centre;
  Vec3<Real> half;
};

/// Centres are multiples of this length, which makes vectors between the centres of neighbouring tiles exact in fp32.
inline constexpr double kCentreStep = 0x1p-10;
/// A tile of this length or more counts as wide: outliers stretch it.
inline constexpr float kWide = 0x1p6F;
/// From this length on, an offset and its low-order part (48 bits together) lose digits that matter to atoms in contact
/// (2⁻²⁶).
inline constexpr float kPrecisionLimited = 0x1p22F;

/// The box of a j-tile's atoms, in the frame of its tile.
template <class Real>
struct JTileBox {
  Vec3<Real> low, high;
};

/// The tiles in device memory. float: offsets from the tile's centre, rounded, and their low-order parts, for atoms
/// that may be in contact. double: the centre is the origin and the offsets are the positions, so that differences are
/// bitwise identical to those of a plain fp64 loop.
template <class Real>
struct AtomTilesView {
  const Vec3<double>* position;  ///< [n_atoms], spatial order
  const double* charge;          ///< [n_atoms]
  const std::uint32_t* species;  ///< [n_atoms]
  LocalAtom<Real>* local;        ///< [n_tiles][kTileAtoms]; zero past the last atom
  LocalAtom<Real>* low_order;    ///< [n_tiles][kTileAtoms], float only: the low-order parts of `local`
  TileFrame<Real>* frame;        ///< [n_tiles]
  JTileBox<Real>* box;           ///< [n_tiles][kJTilesPerTile]
  std::uint32_t n_atoms;
  ExcludedAtomsView excluded{};  ///< the pairs that are left out

  DROPMD_HOST_DEVICE std::uint32_t n_tiles() const { return tiles_of(n_atoms); }
};

#if defined(__CUDACC__)

/// Sets `low` to the smallest and `high` to the largest of all lanes' values.
__device__ inline void spread_box(Vec3<float>& low, Vec3<float>& high) {
#pragma unroll
  for (int mask = 16; mask > 0; mask /= 2) {
    const auto other = [&](float x) { return __shfl_xor_sync(0xFFFFFFFFU, x, mask); };
    low = {fminf(low.x, other(low.x)), fminf(low.y, other(low.y)), fminf(low.z, other(low.z))};
    high = {fmaxf(high.x, other(high.x)), fmaxf(high.y, other(high.y)), fmaxf(high.z, other(high.z))};
  }
}

/// Atoms beyond this distance along an axis count as being at this distance, so that squares stay finite in fp32.
inline constexpr double kFarthest = 1e15;

/// Returns x in fp32, clamped to ±kFarthest; fp64 is returned unchanged.
template <class Real>
__device__ inline Real near_enough(double x) {
  constexpr auto kEnd = static_cast<float>(kFarthest);
  if constexpr (std::is_same_v<Real, float>) return fminf(fmaxf(static_cast<float>(x), -kEnd), kEnd);
  return x;
}
template <class Real>
__device__ inline Vec3<Real> near_enough(const Vec3<double>& a) {
  return {near_enough<Real>(a.x), near_enough<Real>(a.y), near_enough<Real>(a.z)};
}

/// Returns the low-order part that near_enough() dropped; zero if it clamped.
template <class Real>
__device__ inline Real low_order_part(double x, Real near) {
  return abs(near) < static_cast<Real>(kFarthest) ? static_cast<Real>(x - near) : Real(0);
}

/// Returns the exact rounding error of a + b (Knuth's two-sum).
template <class Real>
__device__ inline Real rounding_of_sum(Real a, Real b) {
  const Real sum = a + b, b_part = sum - a;
  return (a - (sum - b_part)) + (b - b_part);
}

/// Returns the position of the tile's atom whose largest coordinate is nearest to 0. n_here: number of atoms in the
/// tile.
__device__ inline Vec3<double> innermost(const Vec3<double> (&x)[2], std::uint32_t n_here, int lane) {
  constexpr double kNone = std::numeric_limits<double>::infinity();
  const auto largest = [](const Vec3<double>& a) { return fmax(fabs(a.x), fmax(fabs(a.y), fabs(a.z))); };
  const double r[2] = {lane < n_here ? largest(x[0]) : kNone, lane + 32 < n_here ? largest(x[1]) : kNone};
  const Vec3<double> mine = r[1] < r[0] ? x[1] : x[0];
  const double own = fmin(r[0], r[1]);
  double least = own;
#pragma unroll
  for (int mask = 16; mask > 0; mask /= 2) least = fmin(least, __shfl_xor_sync(0xFFFFFFFFU, least, mask));
  const int from = __ffs(static_cast<int>(__ballot_sync(0xFFFFFFFFU, own == least))) - 1;
  const auto of = [&](double c) { return __shfl_sync(0xFFFFFFFFU, c, from); };
  return {of(mine.x), of(mine.y), of(mine.z)};
}

/// Sets the frame and the boxes of a tile, in fp32 except for the centre: boxes may be slightly too large, never too
/// small. Returns the centre.
__device__ inline Vec3<double> frame_tile(const AtomTilesView<float>& tiles, std::uint32_t tile, int lane,
                                          const Vec3<double> (&x)[2]) {
  constexpr float kNone = std::numeric_limits<float>::infinity();
  constexpr float kMargin = 1e-6F;  // relative to the rounded sizes: a few units in the last place
  const std::uint32_t n_here = min(static_cast<std::uint32_t>(kTileAtoms), tiles.n_atoms - tile * kTileAtoms);
  const std::uint32_t middle_index = n_here / 2;
  const auto of_middle = [&](double a, double b) {
    return __shfl_sync(0xFFFFFFFFU, middle_index < 32 ? a : b, static_cast<int>(middle_index % 32));
  };
  Vec3<double> base{of_middle(x[0].x, x[1].x), of_middle(x[0].y, x[1].y), of_middle(x[0].z, x[1].z)};
  Vec3<float> low[2], high[2], tile_low, tile_high, size;
  const auto measure = [&] {
#pragma unroll
    for (int k = 0; k < 2; ++k) {
      const bool there = tile * kTileAtoms + 32 * k + lane < tiles.n_atoms;
      const Vec3<float> d = near_enough<float>(x[k] - base);
      low[k] = there ? d : Vec3<float>{kNone, kNone, kNone};
      high[k] = there ? d : Vec3<float>{-kNone, -kNone, -kNone};
      spread_box(low[k], high[k]);
    }
    tile_low = {fminf(low[0].x, low[1].x), fminf(low[0].y, low[1].y), fminf(low[0].z, low[1].z)};
    tile_high = {fmaxf(high[0].x, high[1].x), fmaxf(high[0].y, high[1].y), fmaxf(high[0].z, high[1].z)};
    size = tile_high - tile_low;
  };
  measure();
  // If 48 bits are too few for some atoms, let these be the outermost, whose positions have the fewest digits.
  if (fmaxf(size.x, fmaxf(size.y, size.z)) > kPrecisionLimited) {
    base = innermost(x, n_here, lane);
    measure();
  }
  // Outliers must not cost the other atoms digits: the centre is then an atom in the middle of the order.
  const bool wide = !(fmaxf(size.x, fmaxf(size.y, size.z)) < kWide);
  const Vec3<float> middle = wide ? Vec3<float>{0, 0, 0} : 0.5F * (tile_low + tile_high);
  const auto on_grid = [](double v) { return kCentreStep * rint(v / kCentreStep); };
  const Vec3<double> centre{on_grid(base.x + middle.x), on_grid(base.y + middle.y), on_grid(base.z + middle.z)};
  const Vec3<float> from = near_enough<float>(base - centre);
  const Vec3<float> margin{kMargin * (size.x + fabsf(from.x)), kMargin * (size.y + fabsf(from.y)),
                           kMargin * (size.z + fabsf(from.z))};
  if (lane == 0)
    for (int k = 0; k < kJTilesPerTile; ++k)
      tiles.box[tile * kJTilesPerTile + k] = {low[k] + from - margin, high[k] + from + margin};
  const auto extent = [](float low_end, float high_end, float offset, float more) {
    return fmaxf(high_end + offset, -(low_end + offset)) + more;
  };
  if (lane == 0)
    tiles.frame[tile] = {
        centre,
        {extent(tile_low.x, tile_high.x, from.x, margin.x), extent(tile_low.y, tile_high.y, from.y, margin.y),
         extent(tile_low.z, tile_high.z, from.z, margin.z)}};
  return centre;
}

__device__ inline Vec3<double> frame_tile(const AtomTilesView<double>& tiles, std::uint32_t tile, int lane,
                                          const Vec3<double> (&)[2]) {
  if (lane == 0) tiles.frame[tile] = {};
  return {};
}

/// Writes an atom to its tile, in the frame with this centre. index: storage index of the atom; past the last atom,
/// zeros are written.
template <class Real>
__device__ inline void fill_atom_in_frame(const AtomTilesView<Real>& tiles, std::uint32_t index,
                                          const Vec3<double>& centre, const Vec3<double>& position) {
  LocalAtom<Real> local{0, 0, 0, 0}, low{0, 0, 0, 0};
  if (index < tiles.n_atoms) {
    const Vec3<double> d = position - centre;
    const Vec3<Real> near = near_enough<Real>(d);
    local = {near.x, near.y, near.z, static_cast<Real>(tiles.charge[index])};
    low = {low_order_part(d.x, near.x), low_order_part(d.y, near.y), low_order_part(d.z, near.z), 0};
  }
  tiles.local[index] = local;
  if constexpr (std::is_same_v<Real, float>) tiles.low_order[index] = low;
}

/// Fills a tile from its atoms' positions in the frame with this centre. All lanes of a warp must call it. x[k]:
/// position of the atom with storage index tile·kTileAtoms + 32 k + lane; arbitrary past the last atom.
template <class Real>
__device__ inline void fill_tile_in_frame(const AtomTilesView<Real>& tiles, std::uint32_t tile, int lane,
                                          const Vec3<double>& centre, const Vec3<double> (&x)[2]) {
#pragma unroll
  for (int k = 0; k < 2; ++k) fill_atom_in_frame(tiles, tile * kTileAtoms + 32 * k + lane, centre, x[k]);
}

/// The same, in a new frame for these positions.
template <class Real>
__device__ inline void fill_tile(const AtomTilesView<Real>& tiles, std::uint32_t tile, int lane,
                                 const Vec3<double> (&x)[2]) {
  fill_tile_in_frame(tiles, tile, lane, frame_tile(tiles, tile, lane, x), x);
}

/// Loads a tile from `position`, [n_atoms], in the layout that these functions take.
__device__ inline void load_tile(const Vec3<double>* position, std::uint32_t n_atoms, std::uint32_t tile, int lane,
                                 Vec3<double> (&x)[2]) {
#pragma unroll
  for (int k = 0; k < 2; ++k) {
    const std::uint32_t index = tile * kTileAtoms + 32 * k + lane;
    x[k] = index < n_atoms ? position[index] : Vec3<double>{};
  }
}

/// Sets the frame of a tile and fills the tile, from the positions in memory.
template <class Real>
__device__ inline void fill_tile(const AtomTilesView<Real>& tiles, std::uint32_t tile, int lane) {
  Vec3<double> x[2];
  load_tile(tiles.position, tiles.n_atoms, tile, lane, x);
  fill_tile(tiles, tile, lane, x);
}

#endif

}  // namespace dropmd
