#pragma once

#include <cstdint>
#include <limits>

#include "device/warp.cuh"
#include "engine/device/molecules/rigid_molecules.cuh"
#include "engine/device/step_view.cuh"
#include "engine/persistent/persistent_positions.cuh"
#include "forces/pair/cuda/device_pair_table.cuh"
#include "forces/pair/pair_physics.h"
#include "neighbor/position_grid.h"

/// All pairs of rigid molecules or of atoms, each computed once, as tile_kernel.cuh does for atoms of any droplet: a
/// warp holds an i-tile in registers, some molecules per lane, and j-tiles of 32 molecules rotate through its lanes.
///
/// Positions are integers in one frame, in a unit that is finer than mixed precision needs. Those of a j-tile are also
/// there in fp32, relative to its middle, and when a warp meets the tile it converts its own. In contact with the
/// tile's atoms these have so short coordinates that rounding changes them by no more than the quantum of PositionGrid,
/// so pairs in contact need no other instructions than others. Atoms that are far from the others of their tile, such
/// as evaporated ones, lose digits; pairs for which these count are computed from positions in fp64.
namespace dropmd {

namespace rigid_tiles {

/// Molecules of an i-tile per lane, by the number of their places for atoms.
template <int kPlaces>
inline constexpr int kOfLane = kPlaces == 1 ? 4 : 2;
constexpr std::uint32_t kJMolecules = 32;
template <int kPlaces>
inline constexpr std::uint32_t kIMolecules = kOfLane<kPlaces>* kJMolecules;
/// j-tiles whose forces on a molecule are summed in fp32.
constexpr std::uint32_t kJTilesAtOnce = 16;

/// Coordinates up to this one, in units, have differences that fit 32 bits, from each other and from kNowhere.
constexpr double kRange = 0x1p30 - 0x1p28;
/// Coordinates of a place without an atom, whose charge is zero: at some distance from all atoms.
constexpr int kNowhere = -(1 << 30);
/// The first coordinate of an atom that is out of the range.
constexpr int kOutOfRange = std::numeric_limits<int>::min();
/// Distance along an axis, in units, from the middle of a tile from which on an atom is an outlier: fp32 would round
/// its coordinates by more than a quantum.
constexpr int kOutlier = 1 << 26;

/// Returns the unit of positions for a model, a power of two.
inline double unit_for(const PairModel& model) {
  return PositionGrid::for_contact_distance(model.smallest_r_min()).quantum / 2;
}

/// A place for an atom.
struct alignas(16) Place {
  int x, y, z;  ///< position relative to the anchor, in units
  float charge;

  DROPMD_HOST_DEVICE bool in_range() const { return x != kOutOfRange; }
};

/// The molecules in tiles; with one place, the atoms.
template <int kPlacesOfMolecule>
struct RigidTilesView {
  static constexpr int kPlaces = kPlacesOfMolecule;

  const std::uint32_t* at;  ///< [n][kPlaces] storage indices, or RigidMolecules::kNoAtom; null: of atoms
  Place* place;             ///< [j-tiles][kPlaces][kJMolecules]
  LocalAtom<float>* near;   ///< likewise: relative to the tile's middle; of molecules that do not exist: nowhere()
  Place* middle;            ///< [j-tiles]
  std::uint32_t* species;   ///< [j-tiles][kJMolecules] of the first atoms
  std::uint32_t n;
  double unit_inv;  ///< units per length
  float unit;

  static DROPMD_HOST_DEVICE LocalAtom<float> nowhere() {
    return {persistent::kAway, persistent::kAway, persistent::kAway, 0};
  }

  static DROPMD_HOST_DEVICE std::uint32_t i_tiles(std::uint32_t n) {
    return (n + kIMolecules<kPlaces> - 1) / kIMolecules<kPlaces>;
  }
  static DROPMD_HOST_DEVICE std::uint32_t j_tiles(std::uint32_t n) { return kOfLane<kPlaces> * i_tiles(n); }
  static DROPMD_HOST_DEVICE std::uint32_t padded(std::uint32_t n) { return i_tiles(n) * kIMolecules<kPlaces>; }

#if defined(__CUDACC__)
  /// Returns the index in `place`.
  static __device__ std::uint32_t slot(std::uint32_t molecule, std::uint32_t p) {
    return (molecule / kJMolecules * kPlaces + p) * kJMolecules + molecule % kJMolecules;
  }
  /// Returns the storage index of the atom at a place of one of the n molecules, or RigidMolecules::kNoAtom.
  __device__ std::uint32_t index_at(std::uint32_t molecule, std::uint32_t p) const {
    if constexpr (kPlaces == 1)
      return molecule;
    else
      return at[molecule * kPlaces + p];
  }

  /// Writes a j-tile; by a warp. position(index): of the atom at `index`, relative to the anchor.
  template <class Position>
  __device__ void fill(std::uint32_t tile, const StepView<float>& step, const Position& position) const {
    const std::uint32_t molecule = tile * kJMolecules + threadIdx.x % kJMolecules;
    const bool there = molecule < n;
    Place of_middle{};
#pragma unroll
    for (int p = 0; p < kPlaces; ++p) {
      const std::uint32_t index = there ? index_at(molecule, p) : RigidMolecules::kNoAtom;
      Place of_atom{kNowhere, kNowhere, kNowhere, 0};
      Vec3<double> exact{};
      if (index != RigidMolecules::kNoAtom) {
        exact = position(index);
        of_atom = rounded(exact, static_cast<float>(step.atoms.charge[index]));
        if (p == 0) species[molecule] = step.atoms.pair_species[index];
      }
      if (p == 0) {
        of_middle = middle_of(of_atom, there);
        if (threadIdx.x % 32 == 0) middle[tile] = of_middle;
      }
      if (!there) continue;
      place[slot(molecule, p)] = of_atom;
      near[slot(molecule, p)] = relative(of_atom, of_middle, [&] { return exact; });
    }
  }

  /// Returns a place relative to the middle of a tile. exact(): its position relative to the anchor, if it is out of
  /// the range.
  template <class Exact>
  __device__ LocalAtom<float> relative(const Place& of_atom, const Place& of_middle, const Exact& exact) const {
    if (of_atom.in_range())
      return {unit * static_cast<float>(of_atom.x - of_middle.x), unit * static_cast<float>(of_atom.y - of_middle.y),
              unit * static_cast<float>(of_atom.z - of_middle.z), of_atom.charge};
    const double length = unit;
    const Vec3<float> at =
        near_enough<float>(exact() - Vec3<double>{length * of_middle.x, length * of_middle.y, length * of_middle.z});
    return {at.x, at.y, at.z, of_atom.charge};
  }

 private:
  __device__ Place rounded(const Vec3<double>& from_anchor, float charge) const {
    const Vec3<double> u = unit_inv * from_anchor;
    const bool in_range = fmax(fabs(u.x), fmax(fabs(u.y), fabs(u.z))) <= kRange;  // NaN is not
    return {in_range ? __double2int_rn(u.x) : kOutOfRange, __double2int_rn(u.y), __double2int_rn(u.z), charge};
  }

  /// Returns the middle of the lanes' places, without those that are far from the one nearest to the anchor. there:
  /// whether the lane has one.
  static __device__ Place middle_of(const Place& mine, bool there) {
    constexpr unsigned kAll = 0xFFFFFFFFU;
    constexpr int kMost = std::numeric_limits<int>::max();
    const bool counts = there && mine.in_range();
    const int largest = counts ? max(abs(mine.x), max(abs(mine.y), abs(mine.z))) : kMost;
    const int least = __reduce_min_sync(kAll, largest);
    if (least == kMost) return {};
    const int inner = __ffs(static_cast<int>(__ballot_sync(kAll, largest == least))) - 1;
    const auto is_near = [&](int x) { return abs(x - __shfl_sync(kAll, x, inner)) < 2 * kOutlier; };
    const Place here = counts ? mine : Place{};
    const bool x = is_near(here.x), y = is_near(here.y), z = is_near(here.z), in_tile = counts && x && y && z;
    const auto middle_along = [&](int c) {
      const int low = __reduce_min_sync(kAll, in_tile ? c : kMost),
                high = __reduce_max_sync(kAll, in_tile ? c : -kMost);
      return low + (high - low) / 2;
    };
    return {middle_along(here.x), middle_along(here.y), middle_along(here.z), 0};
  }
#endif
};

#if defined(__CUDACC__)

/// The shared memory of a warp: a j-tile.
template <int kPlaces>
struct WarpMemory {
  LocalAtom<float> place[kPlaces][kJMolecules];
  Vec3<float> low_order[kPlaces][kJMolecules];  ///< for pairs that are computed from positions in fp64
  std::uint32_t species[kJMolecules];
};

/// Computes the forces of a warp's work items. Only pairs of first places have a van der Waals term. kOneSpecies:
/// whether the atoms at all first places are of one species.
template <class Physics, int kPlaces, bool kOneSpecies>
class RigidWarp {
 public:
  using View = RigidTilesView<kPlaces>;
  using Memory = WarpMemory<kPlaces>;
  static constexpr int kMine = kOfLane<kPlaces>;

  /// anchor: the origin of the tiles.
  __device__ RigidWarp(const View& tiles, const PairTableView<float>& table, const Physics& physics,
                       const StepView<float>& step, const Vec3<double>& anchor, Memory& shared)
      : tiles_(tiles),
        table_(table),
        physics_(physics),
        step_(step),
        anchor_(anchor),
        shared_(shared),
        lane_(threadIdx.x % 32) {
    if constexpr (kOneSpecies) only_ = table.coefficients[tiles.species[0] * (table.n_species + 1)];
  }

  __device__ void run(const WarpItems& mine) {
    const ITileItems items{View::i_tiles(tiles_.n), kMine};
    std::uint32_t item = mine.item;
    i_tile_ = mine.i_tile;
    for (std::uint32_t left = mine.count; left > 0; ++i_tile_, item = 0) {
      const std::uint32_t end = min(item + left, items.j_tiles(i_tile_) * kJTileItems);
      left -= end - item;
      while (item < end) {
        const std::uint32_t stop = min(end, (item / kJTileItems + kJTilesAtOnce) * kJTileItems);
#pragma unroll
        for (int a = 0; a < kMine; ++a) {
#pragma unroll
          for (int p = 0; p < kPlaces; ++p) force_[a][p] = {0, 0, 0};
        }
        while (item < stop) item = meet(items, item, stop);
#pragma unroll
        for (int a = 0; a < kMine; ++a) add_to_sums(i_molecule(a), force_[a]);
      }
    }
  }

 private:
  __device__ std::uint32_t i_molecule(int a) const { return i_tile_ * kIMolecules<kPlaces> + kJMolecules * a + lane_; }

  /// Computes items of one j-tile from `item` to `stop`, and returns the next one.
  __device__ std::uint32_t meet(const ITileItems& items, std::uint32_t item, std::uint32_t stop) {
    j_tile_ = items.j_tile_met(i_tile_, item / kJTileItems);
    const std::uint32_t rotation = item % kJTileItems * kItemRotations;
    const std::uint32_t end = min(kJMolecules, rotation + (stop - item) * kItemRotations);
    const std::uint32_t mine = j_tile_ * kJMolecules + lane_;
    // All loads at once, since nothing can be computed before they arrive.
    const Place middle = tiles_.middle[j_tile_];
    LocalAtom<float> near[kPlaces];
    Place own[kMine][kPlaces];
#pragma unroll
    for (int p = 0; p < kPlaces; ++p) near[p] = tiles_.near[View::slot(mine, p)];
#pragma unroll
    for (int a = 0; a < kMine; ++a) {
      if constexpr (!kOneSpecies) species_[a] = tiles_.species[i_molecule(a)];
#pragma unroll
      for (int p = 0; p < kPlaces; ++p) own[a][p] = tiles_.place[View::slot(i_molecule(a), p)];
    }
    __syncwarp();  // the previous j-tile is no longer read
#pragma unroll
    for (int p = 0; p < kPlaces; ++p) shared_.place[p][lane_] = near[p];
    if constexpr (!kOneSpecies) shared_.species[lane_] = tiles_.species[mine];
    __syncwarp();
#pragma unroll
    for (int a = 0; a < kMine; ++a) {
      const std::uint32_t molecule = i_molecule(a);
#pragma unroll
      for (int p = 0; p < kPlaces; ++p) {
        me_[a][p] = molecule < tiles_.n ? tiles_.relative(own[a][p], middle, [&] { return from_anchor(molecule, p); })
                                        : View::nowhere();
        me_[a][p].charge *= table_.coulomb_constant;
      }
    }
    if (has_near_outliers(near[0], mine < tiles_.n))
      rotate_far(rotation, end);
    else if (j_tile_ / kMine == i_tile_)
      rotate<true>(rotation, end);
    else
      rotate<false>(rotation, end);
    return item + (end - rotation) / kItemRotations;
  }

  /// Returns the exact position of a place, or of the first one if there is no atom.
  __device__ Vec3<double> from_anchor(std::uint32_t molecule, int p) const {
    const std::uint32_t own = tiles_.index_at(molecule, p);
    const std::uint32_t index = own != RigidMolecules::kNoAtom ? own : tiles_.index_at(molecule, 0);
    return step_.atoms.position[index] - anchor_;
  }

  /// Returns whether any of the i molecules is so near another one of the j-tile, which is far from its middle, that
  /// rounding their positions would change their distance by more than 2.4e-7 of it. first: the lane's j molecule.
  __device__ bool has_near_outliers(const LocalAtom<float>& first, bool there) const {
    const float limit = tiles_.unit * static_cast<float>(kOutlier);
    const bool is_outlier = there && fmaxf(fabsf(first.x), fmaxf(fabsf(first.y), fabsf(first.z))) > limit;
    bool near = false;
    for (unsigned left = __ballot_sync(0xFFFFFFFFU, is_outlier); left != 0; left &= left - 1) {
      const auto of_tile = static_cast<std::uint32_t>(__ffs(static_cast<int>(left)) - 1);
      const LocalAtom<float> j = shared_.place[0][of_tile];
      const float near2 = 0.0625F * squared_norm(Vec3<float>{j.x, j.y, j.z});
#pragma unroll
      for (int a = 0; a < kMine; ++a) {
        const LocalAtom<float>& i = me_[a][0];
        const bool is_other = i_molecule(a) != j_tile_ * kJMolecules + of_tile;
        near = near || (is_other && squared_norm(Vec3<float>{i.x - j.x, i.y - j.y, i.z - j.z}) < near2);
      }
    }
    return __any_sync(0xFFFFFFFFU, near);
  }

  /// kSame: whether the j-tile is a part of the i-tile.
  template <bool kSame>
  __device__ void rotate(std::uint32_t rotation, std::uint32_t end) {
    Vec3<float> back[kPlaces] = {};
#pragma unroll 1
    for (std::uint32_t t = rotation; t < end; ++t) {
      const std::uint32_t at = (lane_ + t) % kJMolecules;
      LocalAtom<float> other[kPlaces];
#pragma unroll
      for (int b = 0; b < kPlaces; ++b) other[b] = shared_.place[b][at];
#pragma unroll
      for (int a = 0; a < kMine; ++a) {
        if (kSame && static_cast<std::uint32_t>(a) > j_tile_ % kMine) continue;  // no pair counts
        add_pairs<kSame>(
            a, at,
            [&](int p, int b) {
              const LocalAtom<float>&i = me_[a][p], &j = other[b];
              return Vec3<float>{i.x - j.x, i.y - j.y, i.z - j.z};
            },
            other, back);
      }
      pass_on(back);
    }
    add_to_sums(j_tile_ * kJMolecules + (lane_ + end) % kJMolecules, back);
  }

  /// The same from positions in fp64, with their low-order parts; one of the lane's molecules after the other.
  __device__ void rotate_far(std::uint32_t rotation, std::uint32_t end) {
    const auto split = [&](std::uint32_t molecule, int p, LocalAtom<float>& place, Vec3<float>& low) {
      if (molecule >= tiles_.n) return;
      const Vec3<double> d = from_anchor(molecule, p);
      const Vec3<float> near = near_enough<float>(d);
      place.x = near.x, place.y = near.y, place.z = near.z;
      low = {low_order_part(d.x, near.x), low_order_part(d.y, near.y), low_order_part(d.z, near.z)};
    };
#pragma unroll
    for (int p = 0; p < kPlaces; ++p) {
      shared_.low_order[p][lane_] = {0, 0, 0};
      split(j_tile_ * kJMolecules + lane_, p, shared_.place[p][lane_], shared_.low_order[p][lane_]);
    }
    __syncwarp();
#pragma unroll
    for (int a = 0; a < kMine; ++a) {
      Vec3<float> low[kPlaces] = {}, back[kPlaces] = {};
#pragma unroll
      for (int p = 0; p < kPlaces; ++p) split(i_molecule(a), p, me_[a][p], low[p]);
#pragma unroll 1
      for (std::uint32_t t = rotation; t < end; ++t) {
        const std::uint32_t at = (lane_ + t) % kJMolecules;
        LocalAtom<float> other[kPlaces];
#pragma unroll
        for (int b = 0; b < kPlaces; ++b) other[b] = shared_.place[b][at];
        add_pairs<true>(
            a, at,
            [&](int p, int b) {
              const LocalAtom<float>&i = me_[a][p], &j = other[b];
              return Vec3<float>{i.x - j.x, i.y - j.y, i.z - j.z} + (low[p] - shared_.low_order[b][at]);
            },
            other, back);
        pass_on(back);
      }
      add_to_sums(j_tile_ * kJMolecules + (lane_ + end) % kJMolecules, back);
    }
  }

  /// Passes the forces on a lane's j molecule to the lane that holds it in the next rotation.
  __device__ void pass_on(Vec3<float> (&back)[kPlaces]) const {
    const int next_lane = static_cast<int>(lane_ + 1) % 32;
#pragma unroll
    for (int b = 0; b < kPlaces; ++b) back[b] = from_lane(back[b], next_lane);
  }

  /// Whether the lane's a-th molecule forms a pair with molecule `at` of the j-tile.
  __device__ bool counts(int a, std::uint32_t at) const {
    return j_tile_ / kMine != i_tile_ || i_molecule(a) < j_tile_ * kJMolecules + at;
  }

  /// Adds the forces on the lane's a-th molecule and on molecule `at` of the j-tile. kMasked: whether some pairs do not
  /// count; vector(p, b): that from place b of the latter to place p of the former.
  template <bool kMasked, class Vector>
  __device__ void add_pairs(int a, std::uint32_t at, const Vector& vector, const LocalAtom<float> (&other)[kPlaces],
                            Vec3<float> (&back)[kPlaces]) {
    const bool is_pair = !kMasked || counts(a, at);
#pragma unroll
    for (int p = 0; p < kPlaces; ++p) {
#pragma unroll
      for (int b = 0; b < kPlaces; ++b) {
        const Vec3<float> d = vector(p, b);
        float f = physics_(
                      squared_norm(d), p == 0 && b == 0, [&] { return coefficients(a, at); },
                      me_[a][p].charge * other[b].charge)
                      .force_over_r;
        if constexpr (kMasked) f = is_pair ? f : 0;
        Vec3<float>& force = force_[a][p];
        force = {lane_fma(f, d.x, force.x), lane_fma(f, d.y, force.y), lane_fma(f, d.z, force.z)};
        back[b] = {lane_fma(-f, d.x, back[b].x), lane_fma(-f, d.y, back[b].y), lane_fma(-f, d.z, back[b].z)};
      }
    }
  }

  __device__ LjCoefficients<float> coefficients(int a, std::uint32_t at) const {
    if constexpr (kOneSpecies)
      return only_;
    else
      return table_.coefficients[species_[a] * table_.n_species + shared_.species[at]];
  }

  __device__ void add_to_sums(std::uint32_t molecule, const Vec3<float> (&force)[kPlaces]) const {
    if (molecule >= tiles_.n) return;
#pragma unroll
    for (int p = 0; p < kPlaces; ++p) {
      const std::uint32_t index = tiles_.index_at(molecule, p);
      if (index != RigidMolecules::kNoAtom) step_.sums.add(index, force[p]);
    }
  }

  const View& tiles_;
  const PairTableView<float>& table_;
  const Physics& physics_;
  const StepView<float>& step_;
  const Vec3<double>& anchor_;
  Memory& shared_;
  std::uint32_t lane_, i_tile_ = 0, j_tile_ = 0;
  LocalAtom<float> me_[kMine][kPlaces];
  std::uint32_t species_[kMine];
  Vec3<float> force_[kMine][kPlaces];
  LjCoefficients<float> only_{};
};

#endif

}  // namespace rigid_tiles

}  // namespace dropmd
