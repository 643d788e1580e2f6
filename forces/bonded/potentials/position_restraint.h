#pragma once

#include <array>
#include <cstddef>
#include <string_view>

#include "core/topology/bonded_terms.h"
#include "forces/bonded/bonded_context.h"
#include "forces/bonded/potentials/bonded_value.h"

namespace dropmd {

/// The harmonic position restraint (GROMACS reference manual, "Position restraints"), along each axis:
///
///   U = Σ ½ k_a (x_a − X_a)²,   F_a = −k_a (x_a − X_a)
///
/// k_a: energy/length²; X: length.
struct PositionRestraintPotential {
  using Term = PositionRestraint;
  static constexpr std::size_t kAtoms = 1;
  static constexpr std::array<std::string_view, 1> kEnergies{Term::kEnergy};
  Vec3<double> k, reference;

  PositionRestraintPotential(const Term& term, const BondedContext&) : k(term.k), reference(term.reference) {}

  DROPMD_HOST_DEVICE BondedValue<1> operator()(const Vec3<double> (&x)[1]) const {
    const Vec3<double> d = x[0] - reference, force{-k.x * d.x, -k.y * d.y, -k.z * d.z};
    return {{-0.5 * dot(force, d)}, {force}};
  }
};

}  // namespace dropmd
