#pragma once

#include <vector>

#include "forces/mesh/prolate.h"
#include "forces/mesh/quadrature.h"

namespace dropmd {

/// The division of 1/r into a short part for pairs and a smooth part for a mesh:
///
///   1/r = S(r) + L(r),   L(r) = Φ(r/r_c)/r,   S(r) = 0 for r ≥ r_c
///
/// Φ is the integral of a prolate function, Φ(1) = 1, so L is the potential of a unit charge that is smeared over a
/// sphere of radius r_c. Its Fourier transform is 4π/k² times transform(k), of which nearly nothing lies beyond c/r_c.
///
/// Source: Jiang and Greengard's dual-space splitting, used in Ewald sums in arXiv 2505.09727.
class CoulombSplit {
 public:
  /// cutoff: r_c, length. bandwidth: c of the prolate function; see bandwidth_for().
  CoulombSplit(double cutoff, double bandwidth);

  double cutoff() const { return cutoff_; }
  double bandwidth() const { return prolate_.bandwidth(); }

  /// Returns L(r), 1/length.
  double smooth(double r) const;
  /// Returns the force of L over the distance, −L'(r)/r, 1/length³. It is regular at 0.
  double smooth_force_over_r(double r) const;
  /// Returns the factor of 4π/k² in the Fourier transform of L; k: 1/length.
  double transform(double k) const { return prolate_.transform(k * cutoff_); }
  /// Returns m of the transform 1 − m k²/2 + ... near 0, length²: r_c² ∫₀¹ x²ψ(x) dx.
  double second_moment() const;
  /// Returns the bandwidth for which the split's own error, relative to that of the mesh, is small: the truncation of
  /// the transform at c leaves about e^{−c}. error: that of the mesh's forces, relative to the RMS force of pairs of
  /// charges.
  static double bandwidth_for(double error);

 private:
  double cutoff_;
  Prolate prolate_;
  Quadrature quadrature_;  ///< on [0, 1]
};

}  // namespace dropmd
