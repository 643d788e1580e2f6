#pragma once

#include <cmath>
#include <optional>

namespace dropmd {

/// Born-Mayer-Huggins parameters of a pair of species: U = A exp((σ − r)/ρ) − C/r⁶ − D/r⁸. All zero: no van der Waals
/// term.
struct BornMayerParameters {
  double a = 0;      ///< A, energy
  double rho = 1;    ///< ρ, length
  double sigma = 0;  ///< σ, length
  double c = 0;      ///< C, energy·length⁶
  double d = 0;      ///< D, energy·length⁸

  /// Distance below which the attraction of the pair is unbounded; 0: it is bounded.
  double barrier = 0;
  /// Contact distance; nullopt: the pair has no van der Waals term.
  std::optional<double> contact = std::nullopt;

  /// The repulsive part of U(r).
  double repulsion(double r) const { return a * std::exp((sigma - r) / rho); }
  /// U(r) without cutoff, for constants at the cutoff.
  double energy(double r) const { return repulsion(r) - c / std::pow(r, 6) - d / std::pow(r, 8); }
  /// dU/dr without cutoff.
  double derivative(double r) const { return -repulsion(r) / rho + 6 * c / std::pow(r, 7) + 8 * d / std::pow(r, 9); }
};

/// Sets `barrier` and `contact` of a pair whose atoms also have the Coulomb energy charges/r (k_e q_i q_j; 0: none). At
/// short distances dispersion and the attraction of charges exceed the finite A exp(σ/ρ). The barrier is the distance
/// at which repulsion gives way to that attraction, and the contact distance is the outer end of the repulsion: the
/// minimum of the pair's energy. For pairs that repel each other at any distance the contact distance is the minimum of
/// U; if U has none, it is 12 ρ, where the exponential is as steep as r⁻¹². Returns false if the pair is attracted at
/// every distance.
bool find_barrier(BornMayerParameters& pair, double charges);

}  // namespace dropmd
