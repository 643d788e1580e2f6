#pragma once

#include <cstdint>
#include <type_traits>

#include "device/warp.cuh"
#include "forces/pair/cuda/all_pairs/excluded_tiles.cuh"
#include "forces/pair/cuda/device_pair_table.cuh"
#include "neighbor/atom_tiles.cuh"

/// Iterates a warp over its pairs, each computed once: the warp holds an i-tile of 128 atoms in registers, four per
/// lane, and j-tiles of 32 atoms rotate through its lanes. What is computed for a pair is left to the derived class.
namespace dropmd {

/// The code path for the pairs of an i-tile and a j-tile.
enum class PairPath {
  plain,    ///< complete tiles, far enough apart for rounded offsets
  precise,  ///< complete tiles with atoms that may be in contact
  /// May be in contact, and some pairs do not exist: an i-tile with itself, indices past the last atom, or exclusions.
  masked,
};

/// What is known of the exclusions of an i-tile and a j-tile; masked path only.
template <bool kExclusions, int kSlots>
struct SharedExclusions {
  std::uint64_t mask[kSlots];  ///< of the j atoms, see ExcludedPairsView
  std::uint32_t host[kSlots];  ///< host indices of the j atoms
  std::uint32_t i_host[kJTilesPerITile][kJTileAtoms];
};
template <int kSlots>
struct SharedExclusions<false, kSlots> {};

/// Memory that the lanes of a warp share. A j-tile is stored twice in a row: in rotation t lane l reads slot l + t.
template <class Real, bool kExclusions>
struct WarpSharedMemory {
  static constexpr int kSlots = 2 * kJTileAtoms;
  static constexpr int kIfRounded = std::is_same_v<Real, float> ? 1 : 0;

  LocalAtom<Real> local[kSlots];
  LocalAtom<Real> low_order[kIfRounded * kSlots + 1];  ///< the low-order part; precise path only
  std::uint32_t species[kSlots];
  /// I atoms with a smaller index form pairs with the atom unless they are excluded; masked path only.
  std::uint32_t limit[kSlots];
  Real i_low_order[kJTilesPerITile][3][kIfRounded * kJTileAtoms + 1];
  Real i_box[kJTilesPerITile][2][3];  ///< bounds of the i-tile's atoms, in its frame
  Real shift[3][kJTileAtoms];         ///< from the frames of the next j-tiles' tiles to that of the i-tile
  SharedExclusions<kExclusions, kSlots> exclusions;
};

/// One warp and its work items. Derived: what is computed for a pair.
template <class Real, class Coefficients, bool kOneSpecies, bool kExclusions, class Derived>
class TileWarp {
 public:
  __device__ TileWarp(const AtomTilesView<Real>& tiles, const PairTableView<Real, Coefficients>& table,
                      const ExcludedTilesView& excluded, WarpSharedMemory<Real, kExclusions>& shared,
                      std::uint32_t lane)
      : tiles_(tiles), table_(table), excluded_(excluded), shared_(shared), lane_(lane) {}

  __device__ void run(const WarpItems& work) {
    const ITileItems items{i_tiles_of(tiles_.n_atoms)};
    std::uint32_t left = work.count, item = work.item;
    for (i_tile_ = work.i_tile; left > 0; ++i_tile_, item = 0) {
      load_i_tile();
      const std::uint32_t last = min(items.j_tiles(i_tile_) * kJTileItems, item + left);
      left -= last - item;
      while (item < last) {
        derived().begin_sums();
        item = meet_j_tiles(items, item, last);
        derived().end_sums();
      }
    }
  }

 protected:
  static constexpr bool kRelative = std::is_same_v<Real, float>;
  /// Number of j-tiles after which the i-tile's sums are added in fixed point: 512 pairs per lane. At most the number
  /// of lanes.
  static constexpr std::uint32_t kJTilesAtOnce = 16;

  /// Storage index of the lane's a-th atom of the i-tile.
  __device__ std::uint32_t i_index(int a) const { return i_tile_ * kITileAtoms + a * kJTileAtoms + lane_; }

  /// The low-order part of the lane's a-th atom of the i-tile.
  __device__ Vec3<Real> i_low_order(int a) const {
    if constexpr (!kRelative) return {0, 0, 0};
    const auto& low = shared_.i_low_order[a];
    return {low[0][lane_], low[1][lane_], low[2][lane_]};
  }

  /// Returns the vector from the j-tile's atom `at` to atom a of the i-tile. low: low-order part of the i-tile's atom.
  template <PairPath kPath>
  __device__ Vec3<Real> vector(int a, const LocalAtom<Real>& other, int at, const Vec3<Real>& low) const {
    Vec3<Real> d{atom_[a].x - other.x, atom_[a].y - other.y, atom_[a].z - other.z};
    if constexpr (kPath != PairPath::plain && kRelative) {
      const LocalAtom<Real> r = shared_.low_order[at];
      d += Vec3<Real>{low.x - r.x, low.y - r.y, low.z - r.z};
    }
    return d;
  }

  /// Returns one bit for each of the lane's atoms of the i-tile that forms a pair with atom `at` of the j-tile; masked
  /// path only.
  __device__ unsigned pairs_with(int at) const {
    unsigned pairs = 0;
#pragma unroll
    for (int a = 0; a < kJTilesPerITile; ++a) pairs |= i_index(a) < shared_.limit[at] ? 1U << a : 0U;
    if constexpr (kExclusions) {
      if (!tiles_.excluded.any()) return pairs;
      const auto& exclusions = shared_.exclusions;
      const std::uint64_t mask = exclusions.mask[at];
#pragma unroll
      for (int a = 0; a < kJTilesPerITile; ++a)
        if (tiles_.excluded.pairs.excludes(mask, exclusions.host[at], exclusions.i_host[a][lane_])) pairs &= ~(1U << a);
    }
    return pairs;
  }

  __device__ const Coefficients& coefficients(int a, int at) const {
    return table_.coefficients[species_[a] * table_.n_species + shared_.species[at]];
  }

  const AtomTilesView<Real>& tiles_;
  const PairTableView<Real, Coefficients>& table_;
  const ExcludedTilesView& excluded_;
  WarpSharedMemory<Real, kExclusions>& shared_;
  std::uint32_t lane_;
  std::uint32_t i_tile_ = 0;
  /// Atoms of the i-tile, in its frame; the charge is multiplied by k_e.
  LocalAtom<Real> atom_[kJTilesPerITile];
  std::uint32_t species_[kJTilesPerITile];

 private:
  /// The shift from a tile's frame to that of the i-tile, rounded, and its low-order part: centres of tiles that
  /// outliers stretch may be too far apart for fp32.
  struct Shift {
    Vec3<Real> by, low_order;
  };

  static __device__ Vec3<Real> low_order_of(const LocalAtom<Real>& local, const LocalAtom<Real>& low,
                                            const Shift& shift) {
    return {low.x + shift.low_order.x + rounding_of_sum(local.x, shift.by.x),
            low.y + shift.low_order.y + rounding_of_sum(local.y, shift.by.y),
            low.z + shift.low_order.z + rounding_of_sum(local.z, shift.by.z)};
  }

  __device__ Derived& derived() { return static_cast<Derived&>(*this); }
  /// Limits an index to what can be read: up to the end of the last tile.
  __device__ std::uint32_t readable(std::uint32_t index) const { return min(index, tiles_.n_tiles() * kTileAtoms - 1); }
  __device__ Shift shift_to(const Vec3<double>& centre) const {
    const Vec3<double> d = centre - centre_;
    const Vec3<Real> by = near_enough<Real>(d);
    return {by, {low_order_part(d.x, by.x), low_order_part(d.y, by.y), low_order_part(d.z, by.z)}};
  }

  /// Loads the i-tile. All loads come first, so that they overlap. Indices past the last atom load values that the
  /// masked path ignores.
  __device__ void load_i_tile() {
    const std::uint32_t tile = i_tile_ * kTilesPerITile, next = min(tile + 1, tiles_.n_tiles() - 1);
    const Vec3<double> centre[kTilesPerITile] = {tiles_.frame[tile].centre, tiles_.frame[next].centre};
    LocalAtom<Real> local[kJTilesPerITile], low[kJTilesPerITile] = {};
#pragma unroll
    for (int a = 0; a < kJTilesPerITile; ++a) {
      const std::uint32_t index = readable(i_index(a));
      local[a] = tiles_.local[index];
      if constexpr (kRelative) low[a] = tiles_.low_order[index];
      if constexpr (!kOneSpecies) species_[a] = tiles_.species[min(index, tiles_.n_atoms - 1)];
    }
    const std::uint32_t j_tile = readable(i_tile_ * kITileAtoms + lane_ % kJTilesPerITile * kJTileAtoms) / kJTileAtoms;
    const JTileBox<Real> box = tiles_.box[j_tile];

    // The i-tile's frame lies between those of its tiles, unless these are far apart; then it is that of the tile
    // nearer to the origin, as positions of the other one have fewer significant digits to lose.
    const Vec3<double> d = centre[1] - centre[0];
    wide_ = kRelative && !(fmax(fabs(d.x), fmax(fabs(d.y), fabs(d.z))) < kWide);
    centre_ = !wide_                                                  ? centre[0] + 0.5 * d
              : dot(centre[1], centre[1]) < dot(centre[0], centre[0]) ? centre[1]
                                                                      : centre[0];
    const Shift shift[kTilesPerITile] = {shift_to(centre[0]), shift_to(centre[1])};
    __syncwarp();  // the previous i-tile is no longer read
#pragma unroll
    for (int a = 0; a < kJTilesPerITile; ++a) {
      const Shift& to = shift[a / kJTilesPerTile];
      atom_[a] = {local[a].x + to.by.x, local[a].y + to.by.y, local[a].z + to.by.z,
                  local[a].charge * table_.coulomb_constant};
      if constexpr (kRelative) {
        const Vec3<Real> left = low_order_of(local[a], low[a], to);
        auto& mine = shared_.i_low_order[a];
        mine[0][lane_] = left.x, mine[1][lane_] = left.y, mine[2][lane_] = left.z;
      }
      if constexpr (kExclusions)
        if (tiles_.excluded.any()) shared_.exclusions.i_host[a][lane_] = tiles_.excluded.host(i_index(a));
    }
    if (kRelative && lane_ < kJTilesPerITile) {
      const Vec3<Real> by = lane_ < kJTilesPerTile ? shift[0].by : shift[1].by;
      const Vec3<Real> ends[2] = {box.low + by, box.high + by};
      for (int end = 0; end < 2; ++end) {
        auto& to = shared_.i_box[lane_][end];
        to[0] = ends[end].x, to[1] = ends[end].y, to[2] = ends[end].z;
      }
    }
    __syncwarp();
  }

  /// Computes the items from `item` on, of as many j-tiles as may be summed in fp32; lane k determines the path of the
  /// k-th. Returns the next item.
  __device__ std::uint32_t meet_j_tiles(const ITileItems& items, std::uint32_t item, std::uint32_t last) {
    const std::uint32_t first = item / kJTileItems, n_j_tiles = items.n_i_tiles * kJTilesPerITile;
    const std::uint32_t n = min(kJTilesAtOnce, (last + kJTileItems - 1) / kJTileItems - first);
    std::uint32_t next_j_tile = items.j_tile_met(i_tile_, first);
    LocalAtom<Real> next = atom_of(next_j_tile);
    const std::uint32_t mine = items.j_tile_met(i_tile_, min(first + lane_, items.j_tiles(i_tile_) - 1));
    const std::uint32_t here = readable(mine * kJTileAtoms);
    const JTileBox<Real> box = tiles_.box[here / kJTileAtoms];
    const Shift my_shift = shift_to(tiles_.frame[here / kTileAtoms].centre);
    const bool incomplete = mine / kJTilesPerITile == i_tile_ || (mine + 1) * kJTileAtoms > tiles_.n_atoms ||
                            (i_tile_ + 1) * kITileAtoms > tiles_.n_atoms ||
                            (kExclusions && excluded_.has(i_tile_, mine));
    const bool near = kRelative && (wide_ || is_near(box, my_shift.by));
    const unsigned of_full = __ballot_sync(0xFFFFFFFFU, incomplete), of_near = __ballot_sync(0xFFFFFFFFU, near);
    __syncwarp();  // the previous shifts are no longer read
    shared_.shift[0][lane_] = my_shift.by.x, shared_.shift[1][lane_] = my_shift.by.y,
    shared_.shift[2][lane_] = my_shift.by.z;
    __syncwarp();
    for (std::uint32_t k = 0; k < n; ++k) {
      const std::uint32_t rotation = item % kJTileItems * kItemRotations;
      const std::uint32_t end = min(static_cast<std::uint32_t>(kJTileAtoms), rotation + (last - item) * kItemRotations);
      item += (end - rotation) / kItemRotations;
      const LocalAtom<Real> local = next;
      const std::uint32_t j_tile = next_j_tile;
      next_j_tile = j_tile + 1 < n_j_tiles ? j_tile + 1 : 0;
      if (k + 1 < n) next = atom_of(next_j_tile);  // loads while the current one is computed
      Shift shift{{shared_.shift[0][k], shared_.shift[1][k], shared_.shift[2][k]}, {}};
      const bool full = (of_full >> k & 1U) != 0;
      if (!full && (of_near >> k & 1U) == 0) {
        meet<PairPath::plain>(j_tile, local, shift, rotation, end);
        continue;
      }
      if constexpr (kRelative) shift.low_order = from_lane(my_shift.low_order, static_cast<int>(k));
      if (full) {
        if (j_tile * kJTileAtoms < tiles_.n_atoms) meet<PairPath::masked>(j_tile, local, shift, rotation, end);
      } else {
        meet<PairPath::precise>(j_tile, local, shift, rotation, end);
      }
    }
    return item;
  }

  __device__ LocalAtom<Real> atom_of(std::uint32_t j_tile) const {
    return tiles_.local[readable(j_tile * kJTileAtoms + lane_)];
  }

  template <PairPath kPath>
  __device__ void meet(std::uint32_t j_tile, const LocalAtom<Real>& local, const Shift& shift, std::uint32_t rotation,
                       std::uint32_t end) {
    const std::uint32_t index = j_tile * kJTileAtoms + lane_, again = lane_ + kJTileAtoms;
    LocalAtom<Real> low{};
    if constexpr (kPath != PairPath::plain && kRelative) low = tiles_.low_order[index];
    __syncwarp();  // the previous j-tile is no longer read
    shared_.local[lane_] =
        shared_.local[again] = {local.x + shift.by.x, local.y + shift.by.y, local.z + shift.by.z, local.charge};
    if constexpr (kPath != PairPath::plain && kRelative) {
      const Vec3<Real> left = low_order_of(local, low, shift);
      shared_.low_order[lane_] = shared_.low_order[again] = {left.x, left.y, left.z, 0};
    }
    if constexpr (!kOneSpecies)
      shared_.species[lane_] = shared_.species[again] = tiles_.species[min(index, tiles_.n_atoms - 1)];
    if constexpr (kPath == PairPath::masked) {
      shared_.limit[lane_] = shared_.limit[again] = first_without(index);
      if constexpr (kExclusions)
        if (tiles_.excluded.any()) {
          const std::uint32_t host = tiles_.excluded.host(index);
          auto& exclusions = shared_.exclusions;
          exclusions.host[lane_] = exclusions.host[again] = host;
          exclusions.mask[lane_] = exclusions.mask[again] = tiles_.excluded.pairs.mask[host];
        }
    }
    __syncwarp();
    derived().template rotate<kPath>(j_tile, rotation, end);
  }

  /// Returns the index below which atoms of the i-tile form a pair with the atom at `index`.
  __device__ std::uint32_t first_without(std::uint32_t index) const {
    if (index >= tiles_.n_atoms) return 0;
    return index / kITileAtoms == i_tile_ ? index : tiles_.n_atoms;
  }

  /// Returns whether an atom of the i-tile may be closer than near_distance to an atom in a box, whose frame is shifted
  /// by `shift`.
  __device__ bool is_near(const JTileBox<Real>& box, const Vec3<Real>& shift) const {
    const Vec3<Real> low = box.low + shift, high = box.high + shift;
    bool near = false;
#pragma unroll
    for (int a = 0; a < kJTilesPerITile; ++a) {
      const auto& other = shared_.i_box[a];
      const auto gap = [&](int axis, Real from, Real to) {
        return max(max(from - other[1][axis], other[0][axis] - to), Real(0));
      };
      const Vec3<Real> d{gap(0, low.x, high.x), gap(1, low.y, high.y), gap(2, low.z, high.z)};
      near = near || dot(d, d) < table_.near_distance2;
    }
    return near;
  }

  Vec3<double> centre_;  ///< of the i-tile's frame
  bool wide_ = false;    ///< whether offsets of the i-tile's atoms are too long for fp32
};

}  // namespace dropmd
