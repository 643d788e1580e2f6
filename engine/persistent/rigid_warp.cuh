#pragma once

#include <cstdint>
#include <limits>
#include <type_traits>

#include "device/warp.cuh"
#include "engine/persistent/deal_by_cost.h"
#include "engine/persistent/rigid_tiles.cuh"
#include "forces/pair/cuda/all_pairs/tile_shape.h"
#include "forces/pair/cuda/device_pair_table.cuh"
#include "forces/pair/cuda/partial_energy.cuh"
#include "forces/pair/pair_physics.h"

/// All pairs of rigid molecules or of atoms, each computed once, as tile_kernel.cuh does for atoms of any droplet: a
/// warp holds an i-tile in registers, some molecules per lane, and j-tiles of 32 molecules rotate through its lanes.
namespace dropmd {

namespace rigid_tiles {

/// j-tiles whose forces on a molecule are summed in fp32.
constexpr std::uint32_t kJTilesAtOnce = 16;

/// The shared memory of a warp: a j-tile.
template <int kPlaces>
struct WarpMemory {
  LocalAtom<float> place[kPlaces][kJMolecules];
  std::uint32_t species[kJMolecules];
};

/// What is computed of the pairs.
enum class Wanted { forces, energies };

/// Energies of at most kFewPairs pairs: so few that their sum in fp32 is about as exact as its terms, as in the general
/// kernels (tile_kernel.cuh).
inline constexpr std::uint32_t kFewPairs = 32;
struct FewEnergies {
  float vdw = 0, coulomb = 0;
};

/// Computes the forces or the energies of a warp's work items. Only pairs of first places have a van der Waals term.
/// kOneSpecies: whether the atoms at all first places are of one species.
template <class Physics, int kPlaces, bool kOneSpecies, Wanted kWanted>
class RigidWarp {
  static constexpr bool kEnergies = kWanted == Wanted::energies;
  struct ForcesOnJ {
    Vec3<float> on_j[kPlaces];
  };
  /// What rotations add up besides the forces on the lane's molecules.
  using Gathered = std::conditional_t<kEnergies, FewEnergies, ForcesOnJ>;

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
      const std::uint32_t end = min(item + left, items.j_tiles(i_tile_) * kDealtItems);
      left -= end - item;
      while (item < end) {
        const std::uint32_t stop = min(end, (item / kDealtItems + kJTilesAtOnce) * kDealtItems);
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

  /// Returns the energies of all items in lane 0. The pairs are not counted.
  __device__ PartialEnergy energies() const requires kEnergies { return sum_of_warp(energies_); }

 private:
  __device__ std::uint32_t i_molecule(int a) const { return i_tile_ * kIMolecules<kPlaces> + kJMolecules * a + lane_; }

  /// Computes items of one j-tile from `item` to `stop`, and returns the next one.
  __device__ std::uint32_t meet(const ITileItems& items, std::uint32_t item, std::uint32_t stop) {
    j_tile_ = items.j_tile_met(i_tile_, item / kDealtItems);
    const std::uint32_t rotation = item % kDealtItems * kDealtRotations;
    const std::uint32_t end = min(kJMolecules, rotation + (stop - item) * kDealtRotations);
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
    take(own, middle);
    add_outliers(near[0], mine < tiles_.n, rotation, end);
    if (j_tile_ / kMine == i_tile_)
      rotate_own(rotation, end);
    else
      rotate<kMine>(rotation, end);
    return item + (end - rotation) / kDealtRotations;
  }

  /// Sets the lane's molecules relative to the middle of the j-tile.
  __device__ void take(const Place (&own)[kMine][kPlaces], const Place& middle) {
    bool in_range = true;
#pragma unroll
    for (int a = 0; a < kMine; ++a) {
#pragma unroll
      for (int p = 0; p < kPlaces; ++p) in_range = in_range && own[a][p].in_range();
    }
    // Almost always all molecules of the i-tile are there and in the range.
    const bool is_usual = (i_tile_ + 1) * kIMolecules<kPlaces> <= tiles_.n && __all_sync(0xFFFFFFFFU, in_range);
#pragma unroll
    for (int a = 0; a < kMine; ++a) {
#pragma unroll
      for (int p = 0; p < kPlaces; ++p) {
        if (is_usual)
          me_[a][p] = tiles_.relative_in_range(own[a][p], middle);
        else
          me_[a][p] = i_molecule(a) < tiles_.n ? tiles_.relative(own[a][p], middle) : View::nowhere_of_i();
        me_[a][p].charge *= table_.coulomb_constant;
      }
    }
  }

  /// Returns the exact position of a place, or of the first one if there is no atom.
  __device__ Vec3<double> from_anchor(std::uint32_t molecule, int p) const {
    const std::uint32_t own = tiles_.index_at(molecule, p);
    const std::uint32_t index = own != RigidMolecules::kNoAtom ? own : tiles_.index_at(molecule, 0);
    return step_.atoms.position[index] - anchor_;
  }

  /// Whether in rotation t a lane's molecule in the j-tile, which is a part of the i-tile, forms a pair with that of
  /// lane lane_ + t: over all rotations and lanes each pair counts once.
  __device__ bool meets_own(std::uint32_t t) const {
    return t > kFirstWithin || (t == kFirstWithin && lane_ < kFirstWithin);
  }
  /// Whether the lane's a-th molecule forms a pair with molecule `at` of the j-tile, in one of these rotations.
  __device__ bool meets(int a, std::uint32_t at, std::uint32_t rotation, std::uint32_t end) const {
    const std::uint32_t t = (at - lane_) % kJMolecules, own = j_tile_ % kMine;
    if (t < rotation || t >= end || i_molecule(a) >= tiles_.n) return false;
    if (j_tile_ / kMine != i_tile_) return true;
    return static_cast<std::uint32_t>(a) < own || (static_cast<std::uint32_t>(a) == own && meets_own(t));
  }

  /// Adds what rounding takes from the forces, or energies, of molecules of the j-tile that are far from its middle.
  /// Such digits count for a pair within 1.5 contact distances, as for PositionGrid, or where the distance would change
  /// by more than 6e-6 of it. (Positions out of the range are rounded twice.) They do not count if the pair is farther
  /// apart than a quarter of the j molecule's distance from the middle: its distance then has as many digits as that of
  /// a pair in contact just before the molecule would be an outlier, which is an eighth to a quarter. first: the lane's
  /// j molecule.
  __device__ void add_outliers(const LocalAtom<float>& first, bool there, std::uint32_t rotation, std::uint32_t end) {
    // Rounding changes distances from here on by a hundredth of a contact distance, and farther away atoms in contact
    // might come to be at the same place.
    constexpr float kMostWithRounding = 0x1p28F;  // square, relative to the square of about two contact distances
    const auto out2_of = [](const LocalAtom<float>& j) { return squared_norm(Vec3<float>{j.x, j.y, j.z}); };
    const auto near2_of = [&](float out2) { return fminf(0x1p-4F * out2, tiles_.near2 + 0x1p-9F * out2); };
    const auto rotates_at = [&](float out2) { return out2 < kMostWithRounding * tiles_.near2; };
    const float limit = tiles_.unit * static_cast<float>(kOutlier);
    const bool is_outlier = there && fmaxf(fabsf(first.x), fmaxf(fabsf(first.y), fabsf(first.z))) > limit;
    if (!__any_sync(0xFFFFFFFFU, is_outlier)) return;
    const float distance2 = distance2_to_i_tile(first), out2_of_first = out2_of(first);
    const bool may_be_near = !rotates_at(out2_of_first) || !(distance2 >= near2_of(out2_of_first));
#pragma unroll 1
    for (unsigned left = __ballot_sync(0xFFFFFFFFU, is_outlier && may_be_near); left != 0; left &= left - 1) {
      const auto at = static_cast<std::uint32_t>(__ffs(static_cast<int>(left)) - 1);
      const LocalAtom<float> j = shared_.place[0][at];
      const float out2 = out2_of(j), near2 = near2_of(out2);
      const bool rotates = rotates_at(out2);
      unsigned mine = 0;  // the lane's molecules that are near, as bits
#pragma unroll
      for (int a = 0; a < kMine; ++a) {
        const LocalAtom<float>& i = me_[a][0];
        const bool near = !rotates || squared_norm(Vec3<float>{i.x - j.x, i.y - j.y, i.z - j.z}) < near2;
        if (near && meets(a, at, rotation, end)) mine |= 1U << static_cast<unsigned>(a);
      }
      if (__any_sync(0xFFFFFFFFU, mine != 0)) {
#pragma unroll 1
        for (int a = 0; a < kMine; ++a)
          if ((mine >> static_cast<unsigned>(a)) % 2 != 0)
            add_exactly(i_molecule(a), j_tile_ * kJMolecules + at, rotates);
      }
      if (!rotates) {
        __syncwarp();  // all have read the place
#pragma unroll
        for (int b = 0; b < kPlaces; ++b) shared_.place[b][at] = View::left_out();
        __syncwarp();
      }
    }
  }

  /// Returns the square of the distance from a place to the box of the i molecules' first places. All lanes must call
  /// it.
  __device__ float distance2_to_i_tile(const LocalAtom<float>& from) const {
    const auto beyond = [&](float LocalAtom<float>::*axis) {
      constexpr float kNone = std::numeric_limits<float>::infinity();
      float low = kNone, high = -kNone;
#pragma unroll
      for (int a = 0; a < kMine; ++a)
        if (i_molecule(a) < tiles_.n) low = fminf(low, me_[a][0].*axis), high = fmaxf(high, me_[a][0].*axis);
      low = least_of_warp(low), high = largest_of_warp(high);
      return fmaxf(0, fmaxf(low - from.*axis, from.*axis - high));
    };
    return squared_norm(
        Vec3<float>{beyond(&LocalAtom<float>::x), beyond(&LocalAtom<float>::y), beyond(&LocalAtom<float>::z)});
  }

  /// Adds the forces of a pair of molecules from positions in fp64, or their energies. replaces: they replace those
  /// from rounded positions, which rotations add.
  __device__ void add_exactly(std::uint32_t i, std::uint32_t j, bool replaces) {
    const Place middle = tiles_.middle[j_tile_];
    const LjCoefficients<float> of_species = [&] {
      if constexpr (kOneSpecies)
        return only_;
      else
        return table_.coefficients[tiles_.species[i] * table_.n_species + tiles_.species[j]];
    }();
    Vec3<float> on_i[kPlaces] = {}, on_j[kPlaces] = {};
#pragma unroll
    for (int p = 0; p < kPlaces; ++p) {
      const LocalAtom<float> mine = tiles_.relative(tiles_.place[View::slot(i, p)], middle);
      const Vec3<double> exactly_mine = from_anchor(i, p);
#pragma unroll
      for (int b = 0; b < kPlaces; ++b) {
        const LocalAtom<float> other = tiles_.near[View::slot(j, b)];
        const float qq = mine.charge * table_.coulomb_constant * other.charge;
        const auto add = [&](const Vec3<float>& d, float sign) {
          const float r2 = squared_norm(d);
          const bool has_vdw = p == 0 && b == 0;
          if constexpr (kEnergies) {
            const PairResult<float> pair = physics_.for_energies(
                r2, has_vdw, [&] { return of_species; }, qq);
            energies_.vdw += sign * pair.vdw;
            energies_.coulomb += qq == 0 ? 0 : sign * pair.coulomb;
          } else {
            const float f = sign * physics_(
                                       r2, has_vdw, [&] { return of_species; }, qq)
                                       .force_over_r;
            on_i[p] += f * d;
            on_j[b] -= f * d;
          }
        };
        add(near_enough<float>(exactly_mine - from_anchor(j, b)), 1);
        if (replaces) add({mine.x - other.x, mine.y - other.y, mine.z - other.z}, -1);
      }
    }
    add_to_sums(i, on_i);
    add_to_sums(j, on_j);
  }

  /// Computes pairs of a j-tile that is a part of the i-tile.
  __device__ void rotate_own(std::uint32_t rotation, std::uint32_t end) {
    switch (j_tile_ % kMine) {
      case 0:  // nothing but its own pairs
        return rotate<0>(max(rotation, kFirstWithin), end);
      case 1:
        return rotate<1>(rotation, end);
      case 2:
        if constexpr (kMine > 2) return rotate<2>(rotation, end);
        break;
      default:
        if constexpr (kMine > 3) return rotate<3>(rotation, end);
    }
  }

  /// Computes pairs in rotations. kOwn: which of the lane's molecules is in the j-tile; kMine: none.
  template <int kOwn>
  __device__ void rotate(std::uint32_t rotation, std::uint32_t end) {
    constexpr bool kSame = kOwn < kMine;
    Gathered gathered{};
    const auto meet_one = [&]<bool kWithin>(std::uint32_t t) {
      const std::uint32_t at = (lane_ + t) % kJMolecules;
      LocalAtom<float> other[kPlaces];
#pragma unroll
      for (int b = 0; b < kPlaces; ++b) other[b] = shared_.place[b][at];
#pragma unroll
      for (int a = 0; a < kOwn; ++a) add_pairs<false>(a, at, true, other, gathered);
      if constexpr (kWithin) add_pairs<true>(kOwn, at, meets_own(t), other, gathered);
      if constexpr (!kEnergies) pass_on(gathered);
    };
    if (rotation >= end) return;
    std::uint32_t t = rotation;
    // The loops have no conditions, and several rotations in one iteration take fewer instructions each.
    const auto meet_until = [&]<bool kWithin, std::uint32_t kAtOnce>(std::uint32_t stop) {
      static_assert(kAtOnce * kMine * kPlaces * kPlaces <= kFewPairs);
#pragma unroll 1
      for (; t + kAtOnce <= stop; t += kAtOnce) {
#pragma unroll
        for (std::uint32_t k = 0; k < kAtOnce; ++k) meet_one.template operator()<kWithin>(t + k);
        if constexpr (kEnergies) add_few(gathered);
      }
    };
    if constexpr (kPlaces == 1 && !kSame) meet_until.template operator()<false, 4>(end);
    if constexpr (kOwn > 0) meet_until.template operator()<false, 1>(kSame ? min(end, kFirstWithin) : end);
    if constexpr (kSame) meet_until.template operator()<true, 1>(end);
    if constexpr (!kEnergies) add_to_sums(j_tile_ * kJMolecules + (lane_ + end) % kJMolecules, gathered.on_j);
  }

  /// Passes the forces on a lane's j molecule to the lane that holds it in the next rotation.
  __device__ void pass_on(Gathered& gathered) const {
    const int next_lane = static_cast<int>(lane_ + 1) % 32;
#pragma unroll
    for (int b = 0; b < kPlaces; ++b) gathered.on_j[b] = from_lane(gathered.on_j[b], next_lane);
  }
  /// Adds energies to those of all items, and begins with others.
  __device__ void add_few(Gathered& gathered) {
    energies_.vdw += gathered.vdw;
    energies_.coulomb += gathered.coulomb;
    gathered = {};
  }

  /// Adds the forces on the lane's a-th molecule and on molecule `at` of the j-tile, or their energies. kMasked:
  /// whether is_pair may be false, and the pair then does not count; other: the places of the latter.
  template <bool kMasked>
  __device__ void add_pairs(int a, std::uint32_t at, bool is_pair, const LocalAtom<float> (&other)[kPlaces],
                            Gathered& gathered) {
    if constexpr (kEnergies)
      add_energies<kMasked>(a, at, is_pair, other, gathered);
    else
      add_forces<kMasked>(a, at, is_pair, other, gathered.on_j);
  }

  /// Returns the vector from another place to one of the lane's a-th molecule.
  __device__ Vec3<float> vector_to(int a, int p, const LocalAtom<float>& other) const {
    const LocalAtom<float>& mine = me_[a][p];
    return {mine.x - other.x, mine.y - other.y, mine.z - other.z};
  }

  template <bool kMasked>
  __device__ void add_forces(int a, std::uint32_t at, bool is_pair, const LocalAtom<float> (&other)[kPlaces],
                             Vec3<float> (&back)[kPlaces]) {
#pragma unroll
    for (int p = 0; p < kPlaces; ++p) {
#pragma unroll
      for (int b = 0; b < kPlaces; ++b) {
        const Vec3<float> d = vector_to(a, p, other[b]);
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

  template <bool kMasked>
  __device__ void add_energies(int a, std::uint32_t at, bool is_pair, const LocalAtom<float> (&other)[kPlaces],
                               FewEnergies& few) {
#pragma unroll
    for (int p = 0; p < kPlaces; ++p) {
#pragma unroll
      for (int b = 0; b < kPlaces; ++b) {
        const float qq = me_[a][p].charge * other[b].charge;
        PairResult<float> pair = physics_.for_energies(
            squared_norm(vector_to(a, p, other[b])), p == 0 && b == 0, [&] { return coefficients(a, at); }, qq);
        // Two places without atoms, which molecules that exist may have, have no distance.
        if (kPlaces > 1 && qq == 0) pair.coulomb = 0;
        if (kMasked && !is_pair) pair = {0, 0, 0};
        few.vdw += pair.vdw;
        few.coulomb += pair.coulomb;
      }
    }
  }

  __device__ LjCoefficients<float> coefficients(int a, std::uint32_t at) const {
    if constexpr (kOneSpecies)
      return only_;
    else
      return table_.coefficients[species_[a] * table_.n_species + shared_.species[at]];
  }

  /// Adds forces to the sums, if any are computed.
  __device__ void add_to_sums(std::uint32_t molecule, const Vec3<float> (&force)[kPlaces]) const {
    if constexpr (!kEnergies) {
      if (molecule >= tiles_.n) return;
#pragma unroll
      for (int p = 0; p < kPlaces; ++p) {
        const std::uint32_t index = tiles_.index_at(molecule, p);
        if (index != RigidMolecules::kNoAtom) step_.sums.add(index, force[p]);
      }
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
  PartialEnergy energies_{0, 0, 0};
  LjCoefficients<float> only_{};
};

}  // namespace rigid_tiles

}  // namespace dropmd
