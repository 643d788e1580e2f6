#pragma once

#include <cstdint>
#include <type_traits>

#include "device/warp.cuh"
#include "engine/persistent/deal_by_cost.h"
#include "engine/persistent/rigid_outliers.cuh"
#include "forces/pair/cuda/all_pairs/tile_shape.h"
#include "forces/pair/pair_physics.h"

/// All pairs of rigid molecules or of atoms, each computed once, as tile_kernel.cuh does for atoms of any droplet: a
/// warp holds an i-tile in registers, some molecules per lane, and j-tiles of 32 molecules rotate through its lanes.
namespace dropmd {

namespace rigid_tiles {

/// j-tiles whose forces on a molecule are summed in fp32.
constexpr std::uint32_t kJTilesAtOnce = 16;

/// Energies of at most kFewPairs pairs: so few that their sum in fp32 is about as exact as its terms, as in the general
/// kernels (tile_kernel.cuh).
inline constexpr std::uint32_t kFewPairs = 32;
struct FewEnergies {
  float vdw = 0, coulomb = 0;
};

/// Computes the forces or the energies of a warp's work items. Only pairs of first places have a van der Waals term.
template <class Physics, int kPlaces, bool kOneSpecies, Wanted kWanted>
class RigidWarp : public RigidOutliers<Physics, kPlaces, kOneSpecies, kWanted> {
  using Outliers = RigidOutliers<Physics, kPlaces, kOneSpecies, kWanted>;

 public:
  using Outliers::kEnergies;
  using Outliers::kMine;
  using Outliers::Outliers;
  using typename Outliers::View;

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

 private:
  struct ForcesOnJ {
    Vec3<float> on_j[kPlaces];
  };
  /// What rotations add up besides the forces on the lane's molecules.
  using Gathered = std::conditional_t<kEnergies, FewEnergies, ForcesOnJ>;

  using Outliers::add_outliers;
  using Outliers::add_to_sums;
  using Outliers::coefficients;
  using Outliers::energies_;
  using Outliers::i_molecule;
  using Outliers::i_tile_;
  using Outliers::j_tile_;
  using Outliers::lane_;
  using Outliers::me_;
  using Outliers::meets_own;
  using Outliers::physics_;
  using Outliers::shared_;
  using Outliers::species_;
  using Outliers::take;
  using Outliers::tiles_;

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
  /// Adds the gathered energies to those of all items, and clears them.
  __device__ void add_few(Gathered& gathered) {
    energies_.vdw += gathered.vdw;
    energies_.coulomb += gathered.coulomb;
    gathered = {};
  }

  /// Adds the forces on the lane's a-th molecule and on molecule `at` of the j-tile, or their energies. kMasked:
  /// whether is_pair may be false, in which case the pair does not count; other: the places of molecule `at`.
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

  Vec3<float> force_[kMine][kPlaces];
};

}  // namespace rigid_tiles

}  // namespace dropmd
