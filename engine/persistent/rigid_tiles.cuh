#pragma once

#include <cstdint>
#include <limits>

#include "device/warp.cuh"
#include "engine/device/molecules/rigid_molecules.cuh"
#include "engine/device/step_view.cuh"
#include "engine/persistent/persistent_positions.cuh"

/// Tiles of rigid molecules, or of atoms, whose pairs rigid_warp.cuh computes.
///
/// Positions are integers in one frame, in a unit that is finer than mixed precision needs. Those of a j-tile are also
/// stored in fp32, relative to its middle, and a warp that meets the tile converts its own likewise. For atoms in
/// contact with the tile's atoms these coordinates are so short that rounding changes them by no more than the quantum
/// of PositionGrid, so pairs in contact need no special instructions. Atoms that are far from the others of their tile,
/// such as evaporated ones, lose digits; pairs for which these count are computed once more, from positions in fp64.
namespace dropmd {

namespace rigid_tiles {

/// Molecules of an i-tile per lane, by the number of their places for atoms.
template <int kPlaces>
inline constexpr int kOfLane = kPlaces == 1 ? 4 : 2;
constexpr std::uint32_t kJMolecules = 32;
template <int kPlaces>
inline constexpr std::uint32_t kIMolecules = kOfLane<kPlaces>* kJMolecules;

/// Coordinates up to this one, in units, have differences that fit in 32 bits, from each other and from kNowhere.
constexpr double kRange = 0x1p30 - 0x1p28;
/// Coordinates of a place without an atom, whose charge is zero: at some distance from all atoms.
constexpr int kNowhere = -(1 << 30);
/// Distance along an axis from the middle of a tile, in units, from which on an atom is an outlier: fp32 would round
/// its coordinates by more than a quantum.
constexpr int kOutlier = 1 << 26;

/// A place for an atom.
struct alignas(16) Place {
  /// Position relative to the anchor, in units; z is even. Out of the range: the bits of an fp32 position, those of z
  /// with the last one set.
  int x, y, z;
  float charge;

  DROPMD_HOST_DEVICE bool in_range() const { return z % 2 == 0; }
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
  float near2;  ///< square of the distance up to which all digits of the position of a distant outlier count

  /// Places, relative to a tile's middle, that are far from all atoms and have no charge: for absent molecules of a
  /// j-tile, for those of an i-tile, and for molecules of a j-tile that rotations must leave out. No place of an i-tile
  /// is one of a j-tile, so no pair has the distance zero.
  static DROPMD_HOST_DEVICE LocalAtom<float> nowhere() {
    return {persistent::kAway, persistent::kAway, persistent::kAway, 0};
  }
  static DROPMD_HOST_DEVICE LocalAtom<float> nowhere_of_i() {
    return {persistent::kAway, -persistent::kAway, persistent::kAway, 0};
  }
  static DROPMD_HOST_DEVICE LocalAtom<float> left_out() {
    return {-persistent::kAway, -persistent::kAway, -persistent::kAway, 0};
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
      if (index != RigidMolecules::kNoAtom) {
        // Loaded before position() writes anything, so that the loads overlap.
        const auto charge = static_cast<float>(step.atoms.charge[index]);
        const std::uint32_t of_species = step.atoms.pair_species[index];
        of_atom = rounded(position(index), charge);
        if (p == 0) species[molecule] = of_species;
      }
      if (p == 0) {
        of_middle = middle_of(of_atom, there);
        if (threadIdx.x % 32 == 0) middle[tile] = of_middle;
      }
      if (!there) continue;
      place[slot(molecule, p)] = of_atom;
      near[slot(molecule, p)] = relative(of_atom, of_middle);
    }
  }

  /// Returns a place relative to the middle of a tile.
  __device__ LocalAtom<float> relative(const Place& of_atom, const Place& of_middle) const {
    if (of_atom.in_range()) return relative_in_range(of_atom, of_middle);
    return {__int_as_float(of_atom.x) - unit * static_cast<float>(of_middle.x),
            __int_as_float(of_atom.y) - unit * static_cast<float>(of_middle.y),
            __int_as_float(of_atom.z) - unit * static_cast<float>(of_middle.z), of_atom.charge};
  }

  __device__ LocalAtom<float> relative_in_range(const Place& of_atom, const Place& of_middle) const {
    return {unit * static_cast<float>(of_atom.x - of_middle.x), unit * static_cast<float>(of_atom.y - of_middle.y),
            unit * static_cast<float>(of_atom.z - of_middle.z), of_atom.charge};
  }

 private:
  __device__ Place rounded(const Vec3<double>& from_anchor, float charge) const {
    const Vec3<double> u = unit_inv * from_anchor;
    if (fabs(u.x) <= kRange && fabs(u.y) <= kRange && fabs(u.z) <= kRange)
      return {__double2int_rn(u.x), __double2int_rn(u.y), 2 * __double2int_rn(0.5 * u.z), charge};
    const Vec3<float> far = near_enough<float>(from_anchor);
    return {__float_as_int(far.x), __float_as_int(far.y), __float_as_int(far.z) | 1, charge};
  }

  /// Returns the middle of the lanes' places, without those that are far from the one nearest to the anchor. there:
  /// whether the lane has one.
  static __device__ Place middle_of(const Place& mine, bool there) {
    constexpr unsigned kAll = 0xFFFFFFFFU;
    constexpr int kMost = std::numeric_limits<int>::max();
    const bool counts = there && mine.in_range();
    const int largest = counts ? max(abs(mine.x), max(abs(mine.y), abs(mine.z))) : kMost;
    const int least = least_of_warp(largest);
    // Near the end of the range, and out of it, all atoms are outliers relative to a middle at the anchor: fp32
    // positions of atoms out of the range have too few digits for pairs in contact.
    if (least > kRange - 4 * kOutlier) return {};
    const int inner = __ffs(static_cast<int>(__ballot_sync(kAll, largest == least))) - 1;
    const auto is_near = [&](int x) { return abs(x - __shfl_sync(kAll, x, inner)) < 2 * kOutlier; };
    const Place here = counts ? mine : Place{};
    const bool x = is_near(here.x), y = is_near(here.y), z = is_near(here.z), in_tile = counts && x && y && z;
    const auto middle_along = [&](int c) {
      const int low = least_of_warp(in_tile ? c : kMost), high = largest_of_warp(in_tile ? c : -kMost);
      return low + (high - low) / 2;
    };
    return {middle_along(here.x), middle_along(here.y), middle_along(here.z), 0};
  }
#endif
};

}  // namespace rigid_tiles

}  // namespace dropmd
