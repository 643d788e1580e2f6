#pragma once

#include <cmath>

#include "tests/support/charged_atoms.h"

namespace dropmd {

/// Sites (i, j, k)·2^(−1/3) with i + j + k even and i² + j² + k² ≤ shell: a ball of the fcc crystal whose nearest
/// neighbours are 2^(1/6) apart. Shell 18 has 177 atoms, shell 50 has 767.
inline ChargedAtoms fcc_ball(int shell) {
  const double spacing = std::cbrt(0.5);
  const int n = static_cast<int>(std::sqrt(shell)) + 1;
  ChargedAtoms atoms;
  for (int i = -n; i <= n; ++i)
    for (int j = -n; j <= n; ++j)
      for (int k = -n; k <= n; ++k)
        if ((i + j + k) % 2 == 0 && i * i + j * j + k * k <= shell) atoms.add({i * spacing, j * spacing, k * spacing});
  return atoms;
}

/// side³ sites of a simple cubic lattice with a spacing of 1 and alternating unit charges.
inline ChargedAtoms alternating_cube(int side) {
  ChargedAtoms atoms;
  for (int i = 0; i < side; ++i)
    for (int j = 0; j < side; ++j)
      for (int k = 0; k < side; ++k)
        atoms.add({static_cast<double>(i), static_cast<double>(j), static_cast<double>(k)},
                  (i + j + k) % 2 == 0 ? 1.0 : -1.0);
  return atoms;
}

}  // namespace dropmd
