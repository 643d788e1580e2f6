#pragma once

#include <cstdint>
#include <limits>

#include "device/warp.cuh"
#include "engine/persistent/rigid_lanes.cuh"
#include "forces/pair/pair_physics.h"

/// Pairs of molecules that are far from the others of their tile, such as evaporated ones (rigid_tiles.cuh).
namespace dropmd {

namespace rigid_tiles {

/// Adds what the pairs of such molecules lose in rotations, which use rounded positions.
template <class Physics, int kPlaces, bool kOneSpecies, Wanted kWanted>
class RigidOutliers : public RigidLanes<Physics, kPlaces, kOneSpecies, kWanted> {
  using Lanes = RigidLanes<Physics, kPlaces, kOneSpecies, kWanted>;

 public:
  using Lanes::kEnergies;
  using Lanes::kMine;
  using Lanes::Lanes;
  using typename Lanes::View;

 protected:
  using Lanes::add_to_sums;
  using Lanes::anchor_;
  using Lanes::energies_;
  using Lanes::i_molecule;
  using Lanes::j_tile_;
  using Lanes::me_;
  using Lanes::meets;
  using Lanes::only_;
  using Lanes::physics_;
  using Lanes::shared_;
  using Lanes::step_;
  using Lanes::table_;
  using Lanes::tiles_;

  /// Adds what rounding takes from the forces, or energies, of molecules of the j-tile that are far from its middle.
  /// The lost digits count for a pair within 1.5 contact distances, as for PositionGrid, or where the distance would
  /// change by more than 6e-6 of it. (Positions out of the range are rounded twice.) They do not count if the pair is
  /// farther apart than a quarter of the j molecule's distance from the middle: its distance then has as many digits as
  /// that of a pair in contact just before the molecule would be an outlier, which is an eighth to a quarter. first:
  /// the lane's j molecule.
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
      // Each lane takes its own molecules one by one: seldom more than one is near.
#pragma unroll 1
      for (; mine != 0; mine &= mine - 1)
        add_exactly(i_molecule(__ffs(static_cast<int>(mine)) - 1), j_tile_ * kJMolecules + at, rotates);
      if (!rotates) {
        __syncwarp();  // all have read the place
#pragma unroll
        for (int b = 0; b < kPlaces; ++b) shared_.place[b][at] = View::left_out();
        __syncwarp();
      }
    }
  }

 private:
  /// Returns the exact position of a place, or of the first one if there is no atom.
  __device__ Vec3<double> from_anchor(std::uint32_t molecule, int p) const {
    const std::uint32_t own = tiles_.index_at(molecule, p);
    const std::uint32_t index = own != RigidMolecules::kNoAtom ? own : tiles_.index_at(molecule, 0);
    return step_.atoms.position[index] - anchor_;
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

  /// Adds the forces, or energies, of a pair of molecules, from positions in fp64. replaces: whether they replace those
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
};

}  // namespace rigid_tiles

}  // namespace dropmd
