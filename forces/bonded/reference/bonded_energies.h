#pragma once

#include <array>
#include <cmath>
#include <cstddef>
#include <numbers>

#include "core/topology/bonded_terms.h"
#include "core/vec3.h"
#include "forces/bonded/reference/cmap_splines.h"
#include "forces/bonded/reference/dual.h"

/// The energies of bonded terms as plain formulas, for numbers of any type. They share nothing with the potentials that
/// runs evaluate (forces/bonded/potentials), not even the formulas of the angles, and are the reference for them.
namespace dropmd::bonded_reference {

/// What the energies need besides their terms.
struct Constants {
  long double coulomb_constant = 0;           ///< k_e, energy length/charge²
  const CmapSplines* cmap_splines = nullptr;  ///< of all grids
};

template <class Real>
Real length(const Vec3<Real>& a) {
  using std::sqrt;
  return sqrt(dot(a, a));
}

/// The angle between two vectors in rad (W. Kahan): 2 atan(| |b| a − |a| b |/| |b| a + |a| b |).
template <class Real>
Real angle_between(const Vec3<Real>& a, const Vec3<Real>& b) {
  using std::atan2;
  const Vec3<Real> of_a = length(b) * a, of_b = length(a) * b;
  return Real(2) * atan2(length(of_a - of_b), length(of_a + of_b));
}

/// The dihedral angle in rad from the normals of its planes; 0 is cis, and also the angle of atoms that have none.
template <class Real>
Real dihedral_angle(const Vec3<Real>& x0, const Vec3<Real>& x1, const Vec3<Real>& x2, const Vec3<Real>& x3) {
  using std::atan2;
  const Vec3<Real> first = x1 - x0, middle = x2 - x1, last = x3 - x2;
  const Vec3<Real> of_start = cross(first, middle), of_end = cross(middle, last);
  const Real sine = length(middle) * dot(first, of_end), cosine = dot(of_start, of_end);
  if (value_of(sine) == 0 && value_of(cosine) == 0) return Real(0);  // whatever the signs of the zeros
  return atan2(sine, cosine);
}

/// ½ k y².
template <class Real>
Real harmonic(double k, const Real& y) {
  return Real(0.5L * k) * y * y;
}

template <class Real>
std::array<Real, 1> energies(const HarmonicBond& term, const std::array<Vec3<Real>, 2>& x, const Constants&) {
  return {harmonic(term.k, length(x[1] - x[0]) - Real(term.length))};
}

template <class Real>
std::array<Real, 1> energies(const UreyBradley& term, const std::array<Vec3<Real>, 2>& x, const Constants&) {
  return {harmonic(term.k, length(x[1] - x[0]) - Real(term.length))};
}

template <class Real>
std::array<Real, 1> energies(const HarmonicAngle& term, const std::array<Vec3<Real>, 3>& x, const Constants&) {
  return {harmonic(term.k, angle_between(x[0] - x[1], x[2] - x[1]) - Real(term.angle))};
}

template <class Real>
std::array<Real, 1> energies(const PeriodicDihedral& term, const std::array<Vec3<Real>, 4>& x, const Constants&) {
  using std::cos;
  const Real phi = dihedral_angle(x[0], x[1], x[2], x[3]);
  return {Real(term.k) * (Real(1) + cos(Real(term.multiplicity) * phi - Real(term.phase)))};
}

template <class Real>
std::array<Real, 1> energies(const RyckaertBellemans& term, const std::array<Vec3<Real>, 4>& x, const Constants&) {
  using std::cos;
  const Real psi = dihedral_angle(x[0], x[1], x[2], x[3]) - Real(std::numbers::pi_v<long double>);
  Real sum = 0, power = 1;
  for (const double c : term.c) {
    sum += Real(c) * power;
    power *= cos(psi);
  }
  return {sum};
}

template <class Real>
std::array<Real, 1> energies(const HarmonicImproper& term, const std::array<Vec3<Real>, 4>& x, const Constants&) {
  constexpr long double kTurn = 2 * std::numbers::pi_v<long double>;
  const Real whole = dihedral_angle(x[0], x[1], x[2], x[3]) - Real(term.angle);
  return {harmonic(term.k, whole - Real(kTurn * std::nearbyint(value_of(whole) / kTurn)))};
}

template <class Real>
std::array<Real, 1> energies(const CmapDihedrals& term, const std::array<Vec3<Real>, 5>& x,
                             const Constants& constants) {
  return {constants.cmap_splines->at(term.grid, dihedral_angle(x[0], x[1], x[2], x[3]),
                                     dihedral_angle(x[1], x[2], x[3], x[4]))};
}

template <class Real>
std::array<Real, 2> energies(const BondedPair& term, const std::array<Vec3<Real>, 2>& x, const Constants& constants) {
  const Real r = length(x[1] - x[0]), ratio = Real(term.lj.sigma) / r, cube = ratio * ratio * ratio;
  const Real attraction = term.lj.attracts ? cube * cube : Real(0);
  return {Real(4.0L * term.lj.epsilon) * (cube * cube * cube * cube - attraction),
          Real(constants.coulomb_constant * term.charges) / r};
}

template <class Real>
std::array<Real, 1> energies(const PositionRestraint& term, const std::array<Vec3<Real>, 1>& x, const Constants&) {
  return {harmonic(term.k.x, x[0].x - Real(term.reference.x)) + harmonic(term.k.y, x[0].y - Real(term.reference.y)) +
          harmonic(term.k.z, x[0].z - Real(term.reference.z))};
}

}  // namespace dropmd::bonded_reference
