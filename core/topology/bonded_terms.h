#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string_view>
#include <tuple>
#include <vector>

#include "core/lj_parameters.h"
#include "core/vec3.h"

/// The bonded terms of molecules: which atoms they join, and their parameters. Each kind is declared once, in the list
/// BondedTerms; forces/bonded has the formula of each. Angles are in rad, energies and lengths in the run's units.
namespace dropmd {

/// Atoms of a term by number: the id less 1. These numbers never change, while indices do.
template <std::size_t n>
using AtomNumbers = std::array<std::uint32_t, n>;

/// U = ½ k (r − length)².
struct HarmonicBond {
  static constexpr std::string_view kEnergy = "bond";
  AtomNumbers<2> atom{};
  double k = 0;       ///< energy/length²
  double length = 0;  ///< length

  friend bool operator==(const HarmonicBond&, const HarmonicBond&) = default;
};

/// U = ½ k (θ − angle)², θ at the second atom.
struct HarmonicAngle {
  static constexpr std::string_view kEnergy = "angle";
  AtomNumbers<3> atom{};
  double k = 0;      ///< energy/rad²
  double angle = 0;  ///< rad

  friend bool operator==(const HarmonicAngle&, const HarmonicAngle&) = default;
};

/// U = ½ k (r − length)², r between the outer atoms of an angle.
struct UreyBradley {
  static constexpr std::string_view kEnergy = "urey_bradley";
  AtomNumbers<2> atom{};
  double k = 0;       ///< energy/length²
  double length = 0;  ///< length

  friend bool operator==(const UreyBradley&, const UreyBradley&) = default;
};

/// U = k (1 + cos(n φ − phase)); φ is 180° for trans (IUPAC).
struct PeriodicDihedral {
  static constexpr std::string_view kEnergy = "dihedral";
  AtomNumbers<4> atom{};
  double k = 0;                   ///< energy
  double phase = 0;               ///< rad
  std::int32_t multiplicity = 1;  ///< n

  friend bool operator==(const PeriodicDihedral&, const PeriodicDihedral&) = default;
};

/// U = Σ c_n cosⁿ ψ, n = 0 to 5, ψ = φ − 180° (Ryckaert-Bellemans; Fourier dihedrals become these).
struct RyckaertBellemans {
  static constexpr std::string_view kEnergy = "dihedral";
  AtomNumbers<4> atom{};
  std::array<double, 6> c{};  ///< energy

  friend bool operator==(const RyckaertBellemans&, const RyckaertBellemans&) = default;
};

/// U = ½ k (ξ − angle)², ξ the dihedral angle; the difference is taken within ±180°.
struct HarmonicImproper {
  static constexpr std::string_view kEnergy = "improper";
  AtomNumbers<4> atom{};
  double k = 0;      ///< energy/rad²
  double angle = 0;  ///< rad

  friend bool operator==(const HarmonicImproper&, const HarmonicImproper&) = default;
};

/// U = grid(φ, ψ): φ of the first four atoms, ψ of the last four, interpolated on a CmapGrid.
struct CmapDihedrals {
  static constexpr std::string_view kEnergy = "cmap";
  AtomNumbers<5> atom{};
  std::uint32_t grid = 0;  ///< index into Topology::cmap_grids

  friend bool operator==(const CmapDihedrals&, const CmapDihedrals&) = default;
};

/// A pair of one molecule with parameters of its own, such as atoms three bonds apart: U = LJ(r) + k_e charges/r,
/// without a cutoff. Its energies are `lj_14` and `coulomb_14`.
struct BondedPair {
  static constexpr std::string_view kEnergy = "lj_14";
  static constexpr std::string_view kCoulombEnergy = "coulomb_14";
  AtomNumbers<2> atom{};
  LjParameters lj{};
  double charges = 0;  ///< product of the charges, scaled as the force field says: charge²

  friend bool operator==(const BondedPair&, const BondedPair&) = default;
};

/// U = Σ ½ k (x − reference)² over the axes.
struct PositionRestraint {
  static constexpr std::string_view kEnergy = "position_restraint";
  AtomNumbers<1> atom{};
  Vec3<double> k{};          ///< energy/length², of each axis
  Vec3<double> reference{};  ///< position, length; of the structure

  friend bool operator==(const PositionRestraint&, const PositionRestraint&) = default;
};

/// Values of a CMAP term on a grid of both angles.
struct CmapGrid {
  std::uint32_t size = 0;  ///< number of angles along each axis, from −180° in steps of 360°/size
  /// [size of φ][size of ψ] energy.
  std::vector<double> energy;

  friend bool operator==(const CmapGrid&, const CmapGrid&) = default;
};

/// All bonded terms of a model: a vector of each kind.
using BondedTerms =
    std::tuple<std::vector<HarmonicBond>, std::vector<HarmonicAngle>, std::vector<UreyBradley>,
               std::vector<PeriodicDihedral>, std::vector<RyckaertBellemans>, std::vector<HarmonicImproper>,
               std::vector<CmapDihedrals>, std::vector<BondedPair>, std::vector<PositionRestraint>>;

}  // namespace dropmd
