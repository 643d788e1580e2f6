#pragma once

#include <cstdint>

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
  Vec3<float> low_order[kPlaces][kJMolecules];  ///< for pairs that are computed from positions in fp64
  std::uint32_t species[kJMolecules];
};

/// What is computed of the pairs.
enum class Wanted { forces, energies };

/// Computes the forces or the energies of a warp's work items. Only pairs of first places have a van der Waals term.
/// kOneSpecies: whether the atoms at all first places are of one species.
template <class Physics, int kPlaces, bool kOneSpecies, Wanted kWanted>
class RigidWarp {
  static constexpr bool kEnergies = kWanted == Wanted::energies;

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

  /// Returns the energies of all items, and the number of their pairs of atoms, in lane 0.
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
#pragma unroll
    for (int a = 0; a < kMine; ++a) {
      const std::uint32_t molecule = i_molecule(a);
#pragma unroll
      for (int p = 0; p < kPlaces; ++p) {
        me_[a][p] = molecule < tiles_.n ? tiles_.relative(own[a][p], middle) : View::nowhere();
        me_[a][p].charge *= table_.coulomb_constant;
      }
    }
    if (has_near_outliers(near[0], mine < tiles_.n))
      rotate_far(rotation, end);
    else if (j_tile_ / kMine == i_tile_)
      rotate<true>(rotation, end);
    else
      rotate<false>(rotation, end);
    return item + (end - rotation) / kDealtRotations;
  }

  /// Returns the exact position of a place, or of the first one if there is no atom.
  __device__ Vec3<double> from_anchor(std::uint32_t molecule, int p) const {
    const std::uint32_t own = tiles_.index_at(molecule, p);
    const std::uint32_t index = own != RigidMolecules::kNoAtom ? own : tiles_.index_at(molecule, 0);
    return step_.atoms.position[index] - anchor_;
  }

  /// Returns whether any of the i molecules is so near another one of the j-tile, which is far from its middle, that
  /// the digits that rounding takes from their positions count: within 1.5 contact distances, as for PositionGrid, or
  /// where the distance would change by more than 6e-6 of it. (Positions out of the range are rounded twice.) They do
  /// not count if the pair is farther apart than a quarter of the j molecule's distance from the middle: its distance
  /// then has as many digits as that of a pair in contact just before the molecule would be an outlier, which is an
  /// eighth to a quarter. first: the lane's j molecule.
  __device__ bool has_near_outliers(const LocalAtom<float>& first, bool there) const {
    const float limit = tiles_.unit * static_cast<float>(kOutlier);
    const bool is_outlier = there && fmaxf(fabsf(first.x), fmaxf(fabsf(first.y), fabsf(first.z))) > limit;
    bool near = false;
    for (unsigned left = __ballot_sync(0xFFFFFFFFU, is_outlier); left != 0; left &= left - 1) {
      const auto of_tile = static_cast<std::uint32_t>(__ffs(static_cast<int>(left)) - 1);
      const LocalAtom<float> j = shared_.place[0][of_tile];
      const float out2 = squared_norm(Vec3<float>{j.x, j.y, j.z}),
                  near2 = fminf(0x1p-4F * out2, tiles_.near2 + 0x1p-9F * out2);
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
    constexpr std::uint32_t kAtOnce = kPlaces == 1 && !kSame ? kDealtRotations : 1;
    Vec3<float> back[kPlaces] = {};
#pragma unroll 1
    for (std::uint32_t t = rotation; t < end; t += kAtOnce) {
#pragma unroll
      for (std::uint32_t k = 0; k < kAtOnce; ++k) {
        const std::uint32_t at = (lane_ + t + k) % kJMolecules;
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
    __syncwarp();  // the first places are no longer read
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
    if constexpr (!kEnergies) {
      const int next_lane = static_cast<int>(lane_ + 1) % 32;
#pragma unroll
      for (int b = 0; b < kPlaces; ++b) back[b] = from_lane(back[b], next_lane);
    }
  }

  /// Whether the lane's a-th molecule forms a pair with molecule `at` of the j-tile.
  __device__ bool counts(int a, std::uint32_t at) const {
    return j_tile_ / kMine != i_tile_ || i_molecule(a) < j_tile_ * kJMolecules + at;
  }

  /// Adds the forces on the lane's a-th molecule and on molecule `at` of the j-tile, or their energies. kMasked:
  /// whether some pairs do not count; vector(p, b): that from place b of the latter to place p of the former.
  template <bool kMasked, class Vector>
  __device__ void add_pairs(int a, std::uint32_t at, const Vector& vector, const LocalAtom<float> (&other)[kPlaces],
                            Vec3<float> (&back)[kPlaces]) {
    if constexpr (kEnergies)
      add_energies(a, at, vector, other);
    else
      add_forces<kMasked>(a, at, vector, other, back);
  }

  template <bool kMasked, class Vector>
  __device__ void add_forces(int a, std::uint32_t at, const Vector& vector, const LocalAtom<float> (&other)[kPlaces],
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

  template <class Vector>
  __device__ void add_energies(int a, std::uint32_t at, const Vector& vector,
                               const LocalAtom<float> (&other)[kPlaces]) {
    if (!counts(a, at) || i_molecule(a) >= tiles_.n || j_tile_ * kJMolecules + at >= tiles_.n) return;
    float vdw = 0, coulomb = 0;
#pragma unroll
    for (int p = 0; p < kPlaces; ++p) {
#pragma unroll
      for (int b = 0; b < kPlaces; ++b) {
        const float qq = me_[a][p].charge * other[b].charge;
        const PairResult<float> pair = physics_.for_energies(
            squared_norm(vector(p, b)), p == 0 && b == 0, [&] { return coefficients(a, at); }, qq);
        vdw += pair.vdw;
        coulomb += qq == 0 ? 0 : pair.coulomb;  // two places without atoms have no distance
      }
    }
    energies_.vdw += vdw;
    energies_.coulomb += coulomb;
    energies_.within += n_atoms(i_molecule(a)) * n_atoms(j_tile_ * kJMolecules + at);
  }

  /// Returns the number of atoms of one of the n molecules.
  __device__ std::uint32_t n_atoms(std::uint32_t molecule) const {
    std::uint32_t n = 0;
#pragma unroll
    for (int p = 0; p < kPlaces; ++p) n += tiles_.index_at(molecule, p) != RigidMolecules::kNoAtom ? 1 : 0;
    return n;
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
