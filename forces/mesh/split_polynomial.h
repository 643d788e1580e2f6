#pragma once

#include <optional>
#include <vector>

#include "core/forms/form.h"
#include "forces/mesh/coulomb_split.h"

namespace dropmd {

/// The smooth part of a CoulombSplit as a polynomial, for pair kernels:
///
///   −L'(r)/r ≈ g(r²) = r_c⁻³ Σ_k force[k] wᵏ,   w = 1 − r²/r_c²,   r ≤ r_c
///
/// ψ is nearly a Gaussian function of r, so g as a function of w is nearly e^{cw/2}, whose terms are all positive: what
/// cancels in the sum is at most 2.4 times the result for the degrees of mixed precision, and 16 times for an accuracy
/// of 1e-10 (degree 18). A Horner scheme in fp32 has an error of 3e-7 of g. In powers of r² the terms would alternate
/// and cancel to e^{−c/2} of their size. The energy is the exact integral of g,
///
///   L(r) = 1/r_c + ½ ∫_{r²}^{r_c²} g(s) ds = 1/r_c + w Σ_k force[k] wᵏ / (2 (k + 1) r_c)
///
/// so the pair force is the derivative of the pair energy, which is 0 at r_c.
struct SplitPolynomial {
  std::vector<double> force{};  ///< [degree + 1]
  /// The error of the fit, f = √(4π r_c ∫₀^{r_c} r⁴ δg² dr), of the same dimension as f_P of a mesh. Charges at random
  /// places, of density ρ, have pair forces whose mean square error is Σ_j (k_e q_i q_j r δg)² = k_e² q_i² ⟨q²⟩ ρ ∫ 4π
  /// r² (r δg)² dr. The RMS error is thus k_e ⟨q²⟩ √(ρ/r_c) f. By Cauchy's inequality for δL(r) = ∫_r^{r_c} r δg dr,
  /// the energy of a pair is wrong by at most f/√(4π) · √((r_c − r)/r) k_e q_i q_j / r_c, which is at most 0.15 f of
  /// the bare energy.
  double error = 0;
};

/// Returns the polynomial of a degree whose error is least.
SplitPolynomial fit_split(const CoulombSplit& split, int degree);

/// Returns the least degree whose error is at most a bound; nullopt if no degree up to `most` suffices.
std::optional<int> least_degree(const CoulombSplit& split, double bound, int most);

/// Returns the Coulomb form of pairs (forces/pair/coulomb_short_range.h) with the polynomial of a degree.
FormChoice short_range_choice(const CoulombSplit& split, int degree);

}  // namespace dropmd
