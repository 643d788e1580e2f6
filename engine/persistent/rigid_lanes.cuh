#pragma once

#include <cstdint>

#include "engine/persistent/deal_by_cost.h"
#include "engine/persistent/rigid_tiles.cuh"
#include "forces/pair/cuda/device_pair_table.cuh"
#include "forces/pair/cuda/partial_energy.cuh"

namespace dropmd {

namespace rigid_tiles {

/// The shared memory of a warp: a j-tile.
template <int kPlaces>
struct WarpMemory {
  LocalAtom<float> place[kPlaces][kJMolecules];
  std::uint32_t species[kJMolecules];
};

/// What is computed of the pairs.
enum class Wanted { forces, energies };

/// What a warp holds of the pairs that it computes: an i-tile in registers, some molecules in each lane, and a j-tile
/// in shared memory. kOneSpecies: whether the atoms at all first places are of one species.
template <class Physics, int kPlaces, bool kOneSpecies, Wanted kWanted>
class RigidLanes {
 public:
  using View = RigidTilesView<kPlaces>;
  using Memory = WarpMemory<kPlaces>;
  static constexpr int kMine = kOfLane<kPlaces>;
  static constexpr bool kEnergies = kWanted == Wanted::energies;

  /// only: the coefficients of all pairs of first places, with kOneSpecies; anchor: the origin of the tiles.
  __device__ RigidLanes(const View& tiles, const PairTableView<float>& table, const LjCoefficients<float>& only,
                        const Physics& physics, const StepView<float>& step, const Vec3<double>& anchor, Memory& shared)
      : tiles_(tiles),
        table_(table),
        physics_(physics),
        step_(step),
        anchor_(anchor),
        shared_(shared),
        lane_(threadIdx.x % 32) {
    if constexpr (kOneSpecies) only_ = only;
  }

  /// Returns the energies of all pairs in lane 0. The pairs are not counted.
  __device__ PartialEnergy energies() const requires kEnergies { return sum_of_warp(energies_); }

 protected:
  __device__ std::uint32_t i_molecule(int a) const { return i_tile_ * kIMolecules<kPlaces> + kJMolecules * a + lane_; }

  /// Sets the lane's molecules relative to the middle of the j-tile.
  __device__ void take(const Place (&own)[kMine][kPlaces], const Place& middle) {
    bool in_range = true;
#pragma unroll
    for (int a = 0; a < kMine; ++a) {
#pragma unroll
      for (int p = 0; p < kPlaces; ++p) in_range = in_range && own[a][p].in_range();
    }
    // Almost always all molecules of the i-tile exist and are in range.
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
  PartialEnergy energies_{0, 0, 0};
  LjCoefficients<float> only_{};
};

}  // namespace rigid_tiles

}  // namespace dropmd
