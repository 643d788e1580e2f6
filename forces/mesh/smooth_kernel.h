#pragma once

#include <vector>

#include "forces/mesh/coulomb_split.h"

namespace dropmd {

/// The smooth part L(r) of a CoulombSplit and its force as Chebyshev series in r², for sums over many pairs: with the
/// exactness of fp64, and some tens of times faster than the quadratures of CoulombSplit. Both are entire functions of
/// r², nearly e^{−cr²/2r_c²}, whose coefficients of degree n beyond c/2 fall faster than any power.
class SmoothKernel {
 public:
  explicit SmoothKernel(const CoulombSplit& split);

  struct Value {
    double potential;     ///< L(r), 1/length
    double force_over_r;  ///< −L'(r)/r, 1/length³
  };

  /// r2: squared distance, length². From the cutoff on the values are those of 1/r.
  Value operator()(double r2) const;

 private:
  double cutoff2_;
  std::vector<double> potential_, force_over_r_;  ///< coefficients of T₀, T₁, ... in 2r²/r_c² − 1
};

}  // namespace dropmd
