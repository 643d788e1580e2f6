#pragma once

#include <array>
#include <cmath>
#include <cstddef>
#include <numbers>
#include <string_view>

#include "core/topology/bonded_terms.h"
#include "forces/bonded/bonded_context.h"
#include "forces/bonded/potentials/bonded_value.h"
#include "forces/bonded/potentials/dihedral_angle.h"

namespace dropmd {

/// The harmonic improper dihedral (GROMACS reference manual, "Improper dihedrals: harmonic type"):
///
///   U = ½ k δ²,   δ = ξ − ξ_0 within ±180°,   dU/dξ = k δ
///
/// k: energy/rad²; ξ_0: rad; ξ: the angle of dihedral_angle.h. At δ = ±180° the energy has a cusp; the force there is
/// that of either side.
struct ImproperPotential {
  using Term = HarmonicImproper;
  static constexpr std::size_t kAtoms = 4;
  static constexpr std::array<std::string_view, 1> kEnergies{Term::kEnergy};
  double k, angle;

  ImproperPotential(const Term& term, const BondedContext&) : k(term.k), angle(term.angle) {}

  DROPMD_HOST_DEVICE BondedValue<4> operator()(const Vec3<double> (&x)[4]) const {
    constexpr double kTurn = 2 * std::numbers::pi;
    const DihedralAngle xi(x[0], x[1], x[2], x[3]);
    const double whole = xi.radians() - angle, delta = whole - kTurn * std::rint(whole / kTurn);
    BondedValue<4> value{{0.5 * k * delta * delta}};
    xi.add_forces(-k * delta, value.force);
    return value;
  }
};

}  // namespace dropmd
