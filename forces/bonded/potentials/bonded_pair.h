#pragma once

#include <array>
#include <cstddef>
#include <limits>
#include <string_view>

#include "core/topology/bonded_terms.h"
#include "forces/bonded/bonded_context.h"
#include "forces/bonded/potentials/bonded_value.h"
#include "forces/pair/lj_coefficients.h"

namespace dropmd {

/// A Lennard-Jones and Coulomb pair with parameters of its own and without a cutoff, as force fields define for atoms
/// three bonds apart (GROMACS reference manual, "1-4 interactions"):
///
///   U_lj = 4ε [(σ/r)¹² − (σ/r)⁶],   U_coulomb = k_e Q/r
///   F_0 = (24ε/r² [2 (σ/r)¹² − (σ/r)⁶] + k_e Q/r³) (x_0 − x_1) = −F_1
///
/// ε: energy; σ: length; Q: charge². Two atoms in one place have infinite energies. Their force is also infinite, along
/// an axis that stands in for the missing direction: a run stops at such a force and says where it is.
struct BondedPairPotential {
  using Term = BondedPair;
  static constexpr std::size_t kAtoms = 2;
  static constexpr std::array<std::string_view, 2> kEnergies{Term::kEnergy, Term::kCoulombEnergy};
  LjCoefficients<double> lj;
  double coulomb;  ///< k_e Q

  BondedPairPotential(const Term& term, const BondedContext& context)
      : lj(LjCoefficients<double>::unshifted(term.lj)), coulomb(context.coulomb_constant * term.charges) {}

  DROPMD_HOST_DEVICE BondedValue<2, 2> operator()(const Vec3<double> (&x)[2]) const {
    const Vec3<double> d = x[0] - x[1];
    const double r2 = dot(d, d);
    if (r2 <= kNoDirection2) return of_one_place();
    const auto distance = Distance<double>::precise_from_square(r2);
    const PairTerm<double> of_lj = lj_unshifted(distance, lj);
    const double of_charges = coulomb * distance.r_inv;
    BondedValue<2, 2> value{{of_lj.energy, of_charges}};
    value.force[0] = ((of_lj.virial + of_charges) * distance.r2_inv) * d;
    value.force[1] = -value.force[0];
    return value;
  }

 private:
  DROPMD_HOST_DEVICE BondedValue<2, 2> of_one_place() const {
    constexpr double kInfinity = std::numeric_limits<double>::infinity();
    const auto infinite = [](double coefficient) {
      return coefficient > 0 ? kInfinity : coefficient < 0 ? -kInfinity : 0;
    };
    BondedValue<2, 2> value{{infinite(lj.f12), infinite(coulomb)}};
    value.force[0].x = infinite(lj.f12 != 0 ? lj.f12 : coulomb);
    value.force[1].x = -value.force[0].x;
    return value;
  }
};

}  // namespace dropmd
