#pragma once

#include <cmath>
#include <optional>

namespace dropmd {

/// Born-Mayer-Huggins of a pair of species: U = A exp((σ − r)/ρ) − C/r⁶ − D/r⁸. All zero: no van der Waals term.
struct BornMayerParameters {
  double a = 0;      ///< A, energy
  double rho = 1;    ///< ρ, length
  double sigma = 0;  ///< σ, length
  double c = 0;      ///< C, energy·length⁶
  double d = 0;      ///< D, energy·length⁸

  /// Distance below which the pair is attracted without bound; 0: it is not.
  double barrier = 0;
  /// Distance of contact; none: the pair has no van der Waals term.
  std::optional<double> contact = std::nullopt;

  double repulsion(double r) const { return a * std::exp((sigma - r) / rho); }
  /// U(r) without cutoff, for constants at the cutoff.
  double energy(double r) const { return repulsion(r) - c / std::pow(r, 6) - d / std::pow(r, 8); }
  /// dU/dr without cutoff.
  double derivative(double r) const { return -repulsion(r) / rho + 6 * c / std::pow(r, 7) + 8 * d / std::pow(r, 9); }
};

/// Sets `barrier` and `contact` of a pair whose atoms have the Coulomb energy charges/r besides (k_e q_i q_j; 0: none).
/// Dispersion and the attraction of charges outgrow the finite A exp(σ/ρ) at short distances: the barrier is where
/// repulsion ends and that begins, and the distance of contact where repulsion ends on the outside: the minimum of the
/// energy of the pair. Pairs that repel each other at any distance are in contact at the minimum of U; where U has
/// none, at 12 ρ, where the exponential is as steep as r⁻¹². False if the pair is attracted at every distance.
bool find_barrier(BornMayerParameters& pair, double charges);

}  // namespace dropmd
