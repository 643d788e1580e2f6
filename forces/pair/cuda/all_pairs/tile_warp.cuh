#pragma once

#include <cstdint>
#include <type_traits>

#include "device/warp.cuh"
#include "forces/pair/cuda/device_pair_table.cuh"
#include "neighbor/atom_tiles.cuh"

/// The way of a warp through its pairs, third law: it holds a row of 128 atoms in registers, four a lane, and meets
/// columns of 32 atoms, which turn round the warp. What is made of a pair is not known here.
namespace dropmd {

/// How a row meets a column.
enum class Care {
  none,  ///< complete, and far enough for rounded offsets
  near,  ///< complete, and some atoms may be in contact
  full,  ///< may be in contact, and some pairs are none: a row with itself, places behind the last atom
};

/// What the lanes of a warp share. A column lies there twice over: in turn t lane l reads place l + t.
template <class Real>
struct WarpShare {
  static constexpr int kPlaces = 2 * kColumnAtoms;
  static constexpr int kIfRounded = std::is_same_v<Real, float> ? 1 : 0;

  LocalAtom<Real> local[kPlaces];
  LocalAtom<Real> rest[kIfRounded * kPlaces + 1];  ///< what rounding left out; with care only
  std::uint32_t species[kPlaces];
  std::uint32_t limit[kPlaces];  ///< places of the row below it make pairs with the atom; with full care only
  Real row_rest[kRowColumns][3][kIfRounded * kColumnAtoms + 1];
  Real row_box[kRowColumns][2][3];  ///< low and high ends of the row's atoms, in its frame
  Real shift[3][kColumnAtoms];      ///< to the row's frame from those of the next columns' tiles
};

/// One warp and its units of work. Derived: what is made of pairs.
template <class Real, class Coefficients, bool kOneSpecies, class Derived>
class TileWarp {
 public:
  __device__ TileWarp(const AtomTilesView<Real>& tiles, const PairTableView<Real, Coefficients>& table,
                      WarpShare<Real>& share, std::uint32_t lane)
      : tiles_(tiles), table_(table), share_(share), lane_(lane) {}

  __device__ void run(const WarpUnits& work) {
    const RowUnits units{rows_of(tiles_.n_atoms)};
    std::uint32_t left = work.count, unit = work.unit;
    for (row_ = work.row; left > 0; ++row_, unit = 0) {
      load_row();
      const std::uint32_t last = min(units.columns(row_) * kColumnUnits, unit + left);
      left -= last - unit;
      while (unit < last) {
        derived().begin_sums();
        unit = meet_columns(units, unit, last);
        derived().end_sums();
      }
    }
  }

 protected:
  static constexpr bool kRelative = std::is_same_v<Real, float>;
  /// Columns after which the row's sums leave fp32: 512 pairs a lane. No more than lanes.
  static constexpr std::uint32_t kColumnsAtOnce = 16;

  /// Of the lane's a-th atom of the row.
  __device__ std::uint32_t row_place(int a) const { return row_ * kRowAtoms + a * kColumnAtoms + lane_; }

  /// What rounding left out of the lane's a-th atom of the row.
  __device__ Vec3<Real> row_rest(int a) const {
    if constexpr (!kRelative) return {0, 0, 0};
    const auto& rest = share_.row_rest[a];
    return {rest[0][lane_], rest[1][lane_], rest[2][lane_]};
  }

  /// The vector to atom a of the row from the column's atom `at`; rest: of the row's atom.
  template <Care kCare>
  __device__ Vec3<Real> vector(int a, const LocalAtom<Real>& other, int at, const Vec3<Real>& rest) const {
    Vec3<Real> d{atom_[a].x - other.x, atom_[a].y - other.y, atom_[a].z - other.z};
    if constexpr (kCare != Care::none && kRelative) {
      const LocalAtom<Real> r = share_.rest[at];
      d += Vec3<Real>{rest.x - r.x, rest.y - r.y, rest.z - r.z};
    }
    return d;
  }

  __device__ const Coefficients& coefficients(int a, int at) const {
    return table_.coefficients[species_[a] * table_.n_species + share_.species[at]];
  }

  const AtomTilesView<Real>& tiles_;
  const PairTableView<Real, Coefficients>& table_;
  WarpShare<Real>& share_;
  std::uint32_t lane_;
  std::uint32_t row_ = 0;
  LocalAtom<Real> atom_[kRowColumns];  ///< of the row, in its frame; charge times k_e
  std::uint32_t species_[kRowColumns];

 private:
  /// From the row's frame to that of a tile, rounded, and what rounding left out: centres of tiles that far-flung atoms
  /// stretch may lie too far apart for fp32.
  struct Shift {
    Vec3<Real> by, rest;
  };

  static __device__ Vec3<Real> left_out(const LocalAtom<Real>& local, const LocalAtom<Real>& rest, const Shift& shift) {
    return {rest.x + shift.rest.x + left_out_by_sum(local.x, shift.by.x),
            rest.y + shift.rest.y + left_out_by_sum(local.y, shift.by.y),
            rest.z + shift.rest.z + left_out_by_sum(local.z, shift.by.z)};
  }

  __device__ Derived& derived() { return static_cast<Derived&>(*this); }
  /// Places up to the end of the last tile can be read.
  __device__ std::uint32_t readable(std::uint32_t place) const { return min(place, tiles_.n_tiles() * kTileAtoms - 1); }
  __device__ Shift shift_to(const Vec3<double>& centre) const {
    const Vec3<double> d = centre - centre_;
    const Vec3<Real> by = near_enough<Real>(d);
    return {by, {left_by_rounding(d.x, by.x), left_by_rounding(d.y, by.y), left_by_rounding(d.z, by.z)}};
  }

  /// All loads first: they travel together. Places behind the last atom bring something that full care leaves out.
  __device__ void load_row() {
    const std::uint32_t tile = row_ * kRowTiles, next = min(tile + 1, tiles_.n_tiles() - 1);
    const Vec3<double> centre[kRowTiles] = {tiles_.frame[tile].centre, tiles_.frame[next].centre};
    LocalAtom<Real> local[kRowColumns], rest[kRowColumns] = {};
#pragma unroll
    for (int a = 0; a < kRowColumns; ++a) {
      const std::uint32_t place = readable(row_place(a));
      local[a] = tiles_.local[place];
      if constexpr (kRelative) rest[a] = tiles_.rest[place];
      if constexpr (!kOneSpecies) species_[a] = tiles_.species[min(place, tiles_.n_atoms - 1)];
    }
    const std::uint32_t column = readable(row_ * kRowAtoms + lane_ % kRowColumns * kColumnAtoms) / kColumnAtoms;
    const ColumnBox<Real> box = tiles_.box[column];

    // The row's frame lies between those of its tiles, unless these are far apart: the outer has fewer digits to lose.
    const Vec3<double> d = centre[1] - centre[0];
    wide_ = kRelative && !(fmax(fabs(d.x), fmax(fabs(d.y), fabs(d.z))) < kStretched);
    centre_ = !wide_                                                  ? centre[0] + 0.5 * d
              : dot(centre[1], centre[1]) < dot(centre[0], centre[0]) ? centre[1]
                                                                      : centre[0];
    const Shift shift[kRowTiles] = {shift_to(centre[0]), shift_to(centre[1])};
    __syncwarp();  // the row before is no longer read
#pragma unroll
    for (int a = 0; a < kRowColumns; ++a) {
      const Shift& to = shift[a / kTileColumns];
      atom_[a] = {local[a].x + to.by.x, local[a].y + to.by.y, local[a].z + to.by.z,
                  local[a].charge * table_.coulomb_constant};
      if constexpr (kRelative) {
        const Vec3<Real> left = left_out(local[a], rest[a], to);
        auto& mine = share_.row_rest[a];
        mine[0][lane_] = left.x, mine[1][lane_] = left.y, mine[2][lane_] = left.z;
      }
    }
    if (kRelative && lane_ < kRowColumns) {
      const Vec3<Real> by = lane_ < kTileColumns ? shift[0].by : shift[1].by;
      const Vec3<Real> ends[2] = {box.low + by, box.high + by};
      for (int end = 0; end < 2; ++end) {
        auto& to = share_.row_box[lane_][end];
        to[0] = ends[end].x, to[1] = ends[end].y, to[2] = ends[end].z;
      }
    }
    __syncwarp();
  }

  /// The units from `unit` on, of so many columns that the sums may stay in fp32; lane k finds out how the k-th has to
  /// be met. Returns the next unit.
  __device__ std::uint32_t meet_columns(const RowUnits& units, std::uint32_t unit, std::uint32_t last) {
    const std::uint32_t first = unit / kColumnUnits, n_columns = units.n_rows * kRowColumns;
    const std::uint32_t n = min(kColumnsAtOnce, (last + kColumnUnits - 1) / kColumnUnits - first);
    std::uint32_t next_column = units.column_met(row_, first);
    LocalAtom<Real> next = atom_of(next_column);
    const std::uint32_t mine = units.column_met(row_, min(first + lane_, units.columns(row_) - 1));
    const std::uint32_t here = readable(mine * kColumnAtoms);
    const ColumnBox<Real> box = tiles_.box[here / kColumnAtoms];
    const Shift my_shift = shift_to(tiles_.frame[here / kTileAtoms].centre);
    const bool incomplete = mine / kRowColumns == row_ || (mine + 1) * kColumnAtoms > tiles_.n_atoms ||
                            (row_ + 1) * kRowAtoms > tiles_.n_atoms;
    const bool near = kRelative && (wide_ || is_near(box, my_shift.by));
    const unsigned of_full = __ballot_sync(0xFFFFFFFFU, incomplete), of_near = __ballot_sync(0xFFFFFFFFU, near);
    __syncwarp();  // the shifts before are no longer read
    share_.shift[0][lane_] = my_shift.by.x, share_.shift[1][lane_] = my_shift.by.y,
    share_.shift[2][lane_] = my_shift.by.z;
    __syncwarp();
    for (std::uint32_t k = 0; k < n; ++k) {
      const std::uint32_t turn = unit % kColumnUnits * kUnitTurns;
      const std::uint32_t end = min(static_cast<std::uint32_t>(kColumnAtoms), turn + (last - unit) * kUnitTurns);
      unit += (end - turn) / kUnitTurns;
      const LocalAtom<Real> local = next;
      const std::uint32_t column = next_column;
      next_column = column + 1 < n_columns ? column + 1 : 0;
      if (k + 1 < n) next = atom_of(next_column);  // on its way while this one is met
      Shift shift{{share_.shift[0][k], share_.shift[1][k], share_.shift[2][k]}, {}};
      const bool full = (of_full >> k & 1U) != 0;
      if (!full && (of_near >> k & 1U) == 0) {
        meet<Care::none>(column, local, shift, turn, end);
        continue;
      }
      if constexpr (kRelative) shift.rest = from_lane(my_shift.rest, static_cast<int>(k));
      if (full) {
        if (column * kColumnAtoms < tiles_.n_atoms) meet<Care::full>(column, local, shift, turn, end);
      } else {
        meet<Care::near>(column, local, shift, turn, end);
      }
    }
    return unit;
  }

  __device__ LocalAtom<Real> atom_of(std::uint32_t column) const {
    return tiles_.local[readable(column * kColumnAtoms + lane_)];
  }

  template <Care kCare>
  __device__ void meet(std::uint32_t column, const LocalAtom<Real>& local, const Shift& shift, std::uint32_t turn,
                       std::uint32_t end) {
    const std::uint32_t place = column * kColumnAtoms + lane_, again = lane_ + kColumnAtoms;
    LocalAtom<Real> rest{};
    if constexpr (kCare != Care::none && kRelative) rest = tiles_.rest[place];
    __syncwarp();  // the column before is no longer read
    share_.local[lane_] =
        share_.local[again] = {local.x + shift.by.x, local.y + shift.by.y, local.z + shift.by.z, local.charge};
    if constexpr (kCare != Care::none && kRelative) {
      const Vec3<Real> left = left_out(local, rest, shift);
      share_.rest[lane_] = share_.rest[again] = {left.x, left.y, left.z, 0};
    }
    if constexpr (!kOneSpecies)
      share_.species[lane_] = share_.species[again] = tiles_.species[min(place, tiles_.n_atoms - 1)];
    if constexpr (kCare == Care::full) share_.limit[lane_] = share_.limit[again] = first_without(place);
    __syncwarp();
    derived().template turn<kCare>(column, turn, end);
  }

  /// Places of the row below this one make a pair with the atom at `place`.
  __device__ std::uint32_t first_without(std::uint32_t place) const {
    if (place >= tiles_.n_atoms) return 0;
    return place / kRowAtoms == row_ ? place : tiles_.n_atoms;
  }

  /// Whether an atom of the row may be nearer than near_distance to one of a box in a frame at `shift`.
  __device__ bool is_near(const ColumnBox<Real>& box, const Vec3<Real>& shift) const {
    const Vec3<Real> low = box.low + shift, high = box.high + shift;
    bool near = false;
#pragma unroll
    for (int a = 0; a < kRowColumns; ++a) {
      const auto& other = share_.row_box[a];
      const auto gap = [&](int axis, Real from, Real to) {
        return max(max(from - other[1][axis], other[0][axis] - to), Real(0));
      };
      const Vec3<Real> d{gap(0, low.x, high.x), gap(1, low.y, high.y), gap(2, low.z, high.z)};
      near = near || dot(d, d) < table_.near_distance2;
    }
    return near;
  }

  Vec3<double> centre_;  ///< of the row's frame
  bool wide_ = false;    ///< offsets of the row's atoms are too long for fp32
};

}  // namespace dropmd
