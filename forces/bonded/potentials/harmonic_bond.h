#pragma once

#include <array>
#include <cmath>
#include <cstddef>
#include <string_view>

#include "core/topology/bonded_terms.h"
#include "forces/bonded/bonded_context.h"
#include "forces/bonded/potentials/bonded_value.h"

namespace dropmd {

/// The harmonic bond (GROMACS reference manual, "Harmonic potential"), also between the outer atoms of an angle
/// (Urey-Bradley):
///
///   U = ½ k (r − b)²,   F_0 = −k (r − b) (x_0 − x_1)/r = −F_1.
///
/// k: energy/length²; b, r = |x_0 − x_1|: length. Two atoms in one place have the energy of r = 0 and no force, since
/// it would have no direction.
template <class BondTerm>
struct BondPotential {
  using Term = BondTerm;
  static constexpr std::size_t kAtoms = 2;
  static constexpr std::array<std::string_view, 1> kEnergies{Term::kEnergy};
  double k, length;

  BondPotential(const Term& term, const BondedContext&) : k(term.k), length(term.length) {}

  DROPMD_HOST_DEVICE BondedValue<2> operator()(const Vec3<double> (&x)[2]) const {
    const Vec3<double> d = x[0] - x[1];
    const double r2 = dot(d, d), r = std::sqrt(r2), stretch = r - length;
    BondedValue<2> value{{0.5 * k * stretch * stretch}};
    if (!(r2 > kNoDirection2)) return value;
    value.force[0] = (-k * stretch / r) * d;
    value.force[1] = -value.force[0];
    return value;
  }
};

using HarmonicBondPotential = BondPotential<HarmonicBond>;
using UreyBradleyPotential = BondPotential<UreyBradley>;

}  // namespace dropmd
