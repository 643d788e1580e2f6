#pragma once

#include <cstdint>
#include <type_traits>

#include "forces/atom_tiles.cuh"
#include "forces/device_pair_table.cuh"
#include "forces/force_sums.cuh"
#include "forces/pair_physics.h"
#include "forces/tile_forces.cuh"

/// All pairs with the third law: a warp holds the forces on a row of 16 atoms in registers, one partial sum a lane, and
/// meets tiles of 64 atoms, two a lane, whose forces leave after every meeting.
namespace dropmd {

/// Launch shapes of the tile kernels.
template <class Real>
struct TileTuning {
  static constexpr int kWarps = 4;                                          ///< a block
  static constexpr int kBlocksPerSm = std::is_same_v<Real, float> ? 4 : 2;  ///< that the registers must allow
  /// Units of a warp, at most: fp32 sums of a row are then of 48 terms a lane.
  static constexpr std::uint32_t kMostUnits = 24;
};

/// How a row meets a tile.
enum class Care {
  none,  ///< complete tiles, far enough for rounded offsets
  full,  ///< some atoms may be in contact, or some pairs are none: a tile with itself, places behind the last atom
};

/// A row of atoms as all lanes read it. `rest`: what rounding left out of `local`.
template <class Real>
struct RowAtoms {
  LocalAtom<Real> local[kRowAtoms];  ///< charge times k_e
  LocalAtom<Real> rest[kRowAtoms];   ///< float only
  std::uint32_t species[kRowAtoms];
};

/// An atom of a tile in the frame of the row it meets.
template <class Real>
struct LaneAtom {
  LocalAtom<Real> local;
  Vec3<Real> rest;  ///< what rounding left out; with full care only
  std::uint32_t species;
};

/// One warp and its units of work. Derived: what is made of pairs.
template <class Real, bool kOneSpecies, class Derived>
class TileWarp {
 public:
  __device__ TileWarp(const AtomTilesView<Real>& tiles, const PairTableView<Real>& table, RowAtoms<Real>& row, int lane)
      : tiles_(tiles), table_(table), row_(row), lane_(lane) {}

  /// The units [unit, end).
  __device__ void run(std::uint64_t unit, std::uint64_t end) {
    const TileUnits units{tiles_.n_tiles()};
    auto [row, step] = units.place_of(unit);
    auto left = static_cast<std::uint32_t>(end - unit);
    for (; left > 0; ++row, step = 0) {
      load_row(row);
      derived().begin_row();
      const std::uint32_t last = min(units.length(row), step + left);
      left -= last - step;
      for (std::uint32_t first = step; first < last; first += 32) meet_tiles(units, row, first, min(32U, last - first));
      derived().end_row(row);
    }
  }

 protected:
  /// The atom at a place, whose tile is at `shift`. kCare: with what rounding leaves out of the sum.
  template <Care kCare>
  __device__ LaneAtom<Real> load(std::uint32_t place, const Vec3<Real>& shift) const {
    LaneAtom<Real> mine{tiles_.local[place], {}, 0};
    if constexpr (kRelative) {
      LocalAtom<Real>& x = mine.local;
      const LocalAtom<Real> before = x;
      x = {x.x + shift.x, x.y + shift.y, x.z + shift.z, x.charge};
      if constexpr (kCare == Care::full) {
        // Centres of tiles that far-flung atoms stretch may lie too far apart for fp32.
        const Vec3<double> from = tiles_.frame[place / kTileAtoms].centre - frame_.centre;
        const LocalAtom<Real> rest = tiles_.rest[place];
        mine.rest = {rest.x + left_by_rounding(from.x, shift.x) + left_out(before.x, shift.x, x.x),
                     rest.y + left_by_rounding(from.y, shift.y) + left_out(before.y, shift.y, x.y),
                     rest.z + left_by_rounding(from.z, shift.z) + left_out(before.z, shift.z, x.z)};
      }
    }
    if constexpr (!kOneSpecies) mine.species = tiles_.species[min(place, tiles_.n_atoms - 1)];
    return mine;
  }

  static constexpr bool kRelative = std::is_same_v<Real, float>;

  const AtomTilesView<Real>& tiles_;
  const PairTableView<Real>& table_;
  RowAtoms<Real>& row_;
  int lane_;

 private:
  /// (a + b) − sum, exactly (Knuth's two-sum), where sum is a + b rounded.
  static __device__ Real left_out(Real a, Real b, Real sum) {
    const Real b_part = sum - a;
    return (a - (sum - b_part)) + (b - b_part);
  }

  __device__ Derived& derived() { return static_cast<Derived&>(*this); }

  __device__ void load_row(std::uint32_t row) {
    frame_ = tiles_.frame[row / kRowsPerTile];
    __syncwarp();  // the row before is no longer read
    if (lane_ < kRowAtoms) {
      const std::uint32_t place = row * kRowAtoms + lane_;
      LocalAtom<Real> local = tiles_.local[place];
      if constexpr (kRelative) row_.rest[lane_] = tiles_.rest[place];
      local.charge *= table_.coulomb_constant;
      row_.local[lane_] = local;
      if constexpr (!kOneSpecies) row_.species[lane_] = place < tiles_.n_atoms ? tiles_.species[place] : 0;
    }
    __syncwarp();
  }

  /// Up to 32 tiles; lane k finds out how the k-th has to be met.
  __device__ void meet_tiles(const TileUnits& units, std::uint32_t row, std::uint32_t first, std::uint32_t n) {
    const std::uint32_t my_tile = units.tile_met(row, min(first + lane_, units.length(row) - 1));
    const TileFrame<Real> other = tiles_.frame[my_tile];
    const Vec3<double> from = other.centre - frame_.centre;
    const Vec3<Real> my_shift = near_enough<Real>(from);
    const bool full_care = my_tile == row / kRowsPerTile || is_ragged(my_tile) || is_ragged(row / kRowsPerTile) ||
                           (kRelative && is_near(row, my_shift, other.half));
    const unsigned careful = __ballot_sync(0xFFFFFFFFU, full_care);
    std::uint32_t tile = units.tile_met(row, first);
    for (std::uint32_t k = 0; k < n; ++k) {
      const Vec3<Real> shift{__shfl_sync(0xFFFFFFFFU, my_shift.x, k), __shfl_sync(0xFFFFFFFFU, my_shift.y, k),
                             __shfl_sync(0xFFFFFFFFU, my_shift.z, k)};
      if ((careful >> k & 1U) != 0) {
        derived().meet_with_care(tile, shift, row);
      } else {
        derived().meet(tile, shift);
      }
      tile = tile + 1 == units.n_tiles ? 0 : tile + 1;
    }
  }

  __device__ bool is_ragged(std::uint32_t tile) const { return (tile + 1) * kTileAtoms > tiles_.n_atoms; }

  /// Whether an atom of the row may be nearer than near_distance to one of a tile at `shift` with half extents `half`.
  __device__ bool is_near(std::uint32_t row, const Vec3<Real>& shift, const Vec3<Real>& half) const {
    const RowBox<Real> box = tiles_.row[row];
    const auto gap = [](Real low, Real high, Real centre, Real reach) {
      return max(max(centre - reach - high, low - centre - reach), Real(0));
    };
    const Vec3<Real> d{gap(box.low.x, box.high.x, shift.x, half.x), gap(box.low.y, box.high.y, shift.y, half.y),
                       gap(box.low.z, box.high.z, shift.z, half.z)};
    return dot(d, d) < table_.near_distance2;
  }

  TileFrame<Real> frame_;
};

/// The vector from the lane's atom to atom i of the row.
template <Care kCare, class Real>
__device__ inline Vec3<Real> row_minus_lane(const RowAtoms<Real>& row, int i, const LaneAtom<Real>& mine) {
  const LocalAtom<Real> a = row.local[i];
  Vec3<Real> d{a.x - mine.local.x, a.y - mine.local.y, a.z - mine.local.z};
  if constexpr (kCare == Care::full && std::is_same_v<Real, float>) {
    const LocalAtom<Real> rest = row.rest[i];
    d += Vec3<Real>{rest.x - mine.rest.x, rest.y - mine.rest.y, rest.z - mine.rest.z};
  }
  return d;
}

/// Places of the row below this one make a pair with the atom at `place`.
__device__ inline std::uint32_t first_without(std::uint32_t row, std::uint32_t place, std::uint32_t n_atoms) {
  if (place >= n_atoms) return 0;
  return row / kRowsPerTile == place / kTileAtoms ? place : n_atoms;
}

/// Forces.
template <class Real, class Physics, bool kOneSpecies>
class ForceWarp : public TileWarp<Real, kOneSpecies, ForceWarp<Real, Physics, kOneSpecies>> {
  using Base = TileWarp<Real, kOneSpecies, ForceWarp>;

 public:
  __device__ ForceWarp(const AtomTilesView<Real>& tiles, const PairTableView<Real>& table, const Physics& physics,
                       const ForceSumsView<Real>& sums, RowAtoms<Real>& row, int lane)
      : Base(tiles, table, row, lane), physics_(physics), sums_(sums) {
    if constexpr (kOneSpecies) only_ = table.coefficients[0];
  }

  __device__ void begin_row() {
#pragma unroll
    for (int i = 0; i < kRowAtoms; ++i) force_[i] = {0, 0, 0};
  }

  /// Both atoms of a lane at once: each atom of the row is read once for the two.
  __device__ void meet(std::uint32_t tile, const Vec3<Real>& shift) {
    const std::uint32_t place = tile * kTileAtoms + this->lane_;
    const LaneAtom<Real> mine[2] = {this->template load<Care::none>(place, shift),
                                    this->template load<Care::none>(place + 32, shift)};
    Vec3<Real> back[2] = {};
#pragma unroll
    for (int i = 0; i < kRowAtoms; ++i)
#pragma unroll
      for (int k = 0; k < 2; ++k) add_pair<Care::none>(i, mine[k], 0, 0, back[k]);
    sums_.add(place, back[0]);
    sums_.add(place + 32, back[1]);
  }

  /// One after the other: rare, so short code rather than fast.
  __device__ void meet_with_care(std::uint32_t tile, const Vec3<Real>& shift, std::uint32_t row) {
#pragma unroll 1
    for (int k = 0; k < 2; ++k) {
      const std::uint32_t place = tile * kTileAtoms + 32 * k + this->lane_;
      const LaneAtom<Real> mine = this->template load<Care::full>(place, shift);
      const std::uint32_t limit = first_without(row, place, this->tiles_.n_atoms);
      Vec3<Real> back{};
#pragma unroll
      for (int i = 0; i < kRowAtoms; ++i) add_pair<Care::full>(i, mine, row * kRowAtoms, limit, back);
      if (place < this->tiles_.n_atoms) sums_.add(place, back);
    }
  }

  __device__ void end_row(std::uint32_t row) {
    const std::uint32_t place = row * kRowAtoms + add_lanes<kRowAtoms / 2, 16>();
    if (this->lane_ % 2 == 0 && place < this->tiles_.n_atoms) sums_.add(place, force_[0]);
  }

 private:
  /// Atom i of the row, whose first has the place `first`, and the lane's atom; they are a pair if its place is below
  /// `limit`. back: the force on the lane's atom.
  template <Care kCare>
  __device__ void add_pair(int i, const LaneAtom<Real>& mine, std::uint32_t first, std::uint32_t limit,
                           Vec3<Real>& back) {
    const Vec3<Real> d = row_minus_lane<kCare>(this->row_, i, mine);
    LjCoefficients<Real> c = only_;
    if constexpr (!kOneSpecies)
      c = this->table_.coefficients[this->row_.species[i] * this->table_.n_species + mine.species];
    Real f = physics_(squared_norm(d), c, this->row_.local[i].charge * mine.local.charge).force_over_r;
    if constexpr (kCare == Care::full) f = first + i < limit ? f : Real(0);
    force_[i] = {lane_fma(f, d.x, force_[i].x), lane_fma(f, d.y, force_[i].y), lane_fma(f, d.z, force_[i].z)};
    back = {lane_fma(-f, d.x, back.x), lane_fma(-f, d.y, back.y), lane_fma(-f, d.z, back.z)};
  }

  static __device__ Real exchange(Real low, Real high, bool upper, int mask) {
    return (upper ? high : low) + __shfl_xor_sync(0xFFFFFFFFU, upper ? low : high, mask);
  }

  /// Adds the lanes' sums: each step halves the atoms that a lane still has; in the last one two lanes share one.
  /// Returns the atom of the row whose force is then in force_[0].
  template <int kHalf, int kBit>
  __device__ int add_lanes() {
    const bool upper = (this->lane_ & kBit) != 0;
#pragma unroll
    for (int i = 0; i < std::max(kHalf, 1); ++i) {
      const Vec3<Real> low = force_[i], high = force_[i + kHalf];
      force_[i] = {exchange(low.x, high.x, upper, kBit), exchange(low.y, high.y, upper, kBit),
                   exchange(low.z, high.z, upper, kBit)};
    }
    if constexpr (kBit > 1)
      return (upper ? kHalf : 0) + add_lanes<kHalf / 2, kBit / 2>();
    else
      return 0;
  }

  const Physics& physics_;
  const ForceSumsView<Real>& sums_;
  LjCoefficients<Real> only_{};
  Vec3<Real> force_[kRowAtoms];
};

/// Energies: wanted rarely, so every pair is met with all care.
template <class Real, class Physics>
class EnergyWarp : public TileWarp<Real, false, EnergyWarp<Real, Physics>> {
  using Base = TileWarp<Real, false, EnergyWarp>;

 public:
  __device__ EnergyWarp(const AtomTilesView<Real>& tiles, const PairTableView<Real>& table, const Physics& physics,
                        RowAtoms<Real>& row, int lane)
      : Base(tiles, table, row, lane), physics_(physics) {}

  __device__ void begin_row() {}
  __device__ void end_row(std::uint32_t) {}

  __device__ void meet(std::uint32_t tile, const Vec3<Real>& shift) { meet_with_care(tile, shift, kNoRow); }

  __device__ void meet_with_care(std::uint32_t tile, const Vec3<Real>& shift, std::uint32_t row) {
    for (int k = 0; k < 2; ++k) {
      const std::uint32_t place = tile * kTileAtoms + 32 * k + this->lane_;
      const LaneAtom<Real> mine = this->template load<Care::full>(place, shift);
      const std::uint32_t limit = row == kNoRow ? ~0U : first_without(row, place, this->tiles_.n_atoms);
      Real vdw = 0, coulomb = 0;
#pragma unroll 2
      for (int i = 0; i < kRowAtoms; ++i) {
        if (row != kNoRow && row * kRowAtoms + i >= limit) continue;
        const Real r2 = squared_norm(row_minus_lane<Care::full>(this->row_, i, mine));
        const auto& c = this->table_.coefficients[this->row_.species[i] * this->table_.n_species + mine.species];
        const PairResult<Real> pair = physics_(r2, c, this->row_.local[i].charge * mine.local.charge);
        vdw += pair.vdw;
        coulomb += pair.coulomb;
        sum_.within += r2 < this->table_.cutoff2 ? 1U : 0U;
      }
      sum_.vdw += vdw;
      sum_.coulomb += coulomb;
    }
  }

  /// Of the whole warp, in lane 0.
  __device__ PartialEnergy sum() const {
    PartialEnergy all = sum_;
    for (int mask = 16; mask > 0; mask /= 2) {
      const auto other = [&](auto x) { return __shfl_xor_sync(0xFFFFFFFFU, x, mask); };
      all = all + PartialEnergy{other(all.vdw), other(all.coulomb),
                                static_cast<std::uint64_t>(other(static_cast<unsigned long long>(all.within)))};
    }
    return all;
  }

 private:
  static constexpr std::uint32_t kNoRow = ~0U;

  const Physics& physics_;
  PartialEnergy sum_{0, 0, 0};
};

/// Warp of the whole grid. Blocks are shuffled: tiles that need care come at regular places in the order of units, and
/// would else fall to the same multiprocessors. `stride` has no common factor with the number of blocks.
__device__ inline std::uint32_t warp_in_grid(std::uint32_t stride) {
  const auto block = static_cast<std::uint32_t>(std::uint64_t{blockIdx.x} * stride % gridDim.x);
  return (block * blockDim.x + threadIdx.x) / 32;
}

template <class Real, class Physics, bool kOneSpecies>
__global__ void __launch_bounds__(32 * TileTuning<Real>::kWarps, TileTuning<Real>::kBlocksPerSm)
    tile_forces_kernel(const __grid_constant__ AtomTilesView<Real> tiles,
                       const __grid_constant__ PairTableView<Real> table, const __grid_constant__ Physics physics,
                       UnitSplit split, const __grid_constant__ ForceSumsView<Real> sums) {
  __shared__ RowAtoms<Real> rows[TileTuning<Real>::kWarps];
  const std::uint32_t warp = warp_in_grid(split.block_stride);
  if (warp >= split.n_warps) return;
  ForceWarp<Real, Physics, kOneSpecies>(tiles, table, physics, sums, rows[threadIdx.x / 32],
                                        static_cast<int>(threadIdx.x % 32))
      .run(split.begin(warp), split.begin(warp + 1));
}

/// energy: [n_warps]
template <class Real, class Physics>
__global__ void __launch_bounds__(32 * TileTuning<Real>::kWarps)
    tile_energies_kernel(const __grid_constant__ AtomTilesView<Real> tiles,
                         const __grid_constant__ PairTableView<Real> table, const __grid_constant__ Physics physics,
                         UnitSplit split, PartialEnergy* energy) {
  __shared__ RowAtoms<Real> rows[TileTuning<Real>::kWarps];
  const std::uint32_t warp = warp_in_grid(split.block_stride);
  if (warp >= split.n_warps) return;
  EnergyWarp<Real, Physics> mine(tiles, table, physics, rows[threadIdx.x / 32], static_cast<int>(threadIdx.x % 32));
  mine.run(split.begin(warp), split.begin(warp + 1));
  const PartialEnergy sum = mine.sum();
  if (threadIdx.x % 32 == 0) energy[warp] = sum;
}

}  // namespace dropmd
