#pragma once

#include <array>
#include <cmath>
#include <cstddef>
#include <string_view>

#include "core/topology/bonded_terms.h"
#include "forces/bonded/bonded_context.h"
#include "forces/bonded/potentials/bonded_value.h"

namespace dropmd {

/// The harmonic angle (GROMACS reference manual, "Harmonic angle potential"), with a = x_0 − x_1, b = x_2 − x_1 and
/// n = a × b/|a × b|:
///
///   U = ½ k (θ − θ_0)²,   θ = atan2(|a × b|, a · b)
///   ∂θ/∂x_0 = a × n/a²,   ∂θ/∂x_2 = n × b/b²
///
/// k: energy/rad²; θ_0: rad. Unlike arccos and a division by sin θ, this keeps its digits where the atoms are nearly on
/// a line: the force on an outer atom is k |θ − θ_0| over its distance, and rounding affects its direction alone. On
/// the line n is undefined. There the force of θ_0 = 180° vanishes anyway; for another θ_0 it has a size but no
/// direction, and zero is its mean over all of them.
struct AnglePotential {
  using Term = HarmonicAngle;
  static constexpr std::size_t kAtoms = 3;
  static constexpr std::array<std::string_view, 1> kEnergies{Term::kEnergy};
  double k, angle;

  AnglePotential(const Term& term, const BondedContext&) : k(term.k), angle(term.angle) {}

  DROPMD_HOST_DEVICE BondedValue<3> operator()(const Vec3<double> (&x)[3]) const {
    const Vec3<double> a = x[0] - x[1], b = x[2] - x[1], c = cross(a, b);
    const double a2 = dot(a, a), b2 = dot(b, b), sine = std::sqrt(dot(c, c));
    const double bend = std::atan2(sine, dot(a, b)) - angle;
    BondedValue<3> value{{0.5 * k * bend * bend}};
    if (!(sine > 0 && a2 > kNoDirection2 && b2 > kNoDirection2)) return value;
    const Vec3<double> normal = (-k * bend / sine) * c;
    value.force[0] = (1 / a2) * cross(a, normal);
    value.force[2] = (1 / b2) * cross(normal, b);
    value.force[1] = -(value.force[0] + value.force[2]);
    return value;
  }
};

}  // namespace dropmd
