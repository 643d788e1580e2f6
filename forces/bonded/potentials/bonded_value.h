#pragma once

#include <cstddef>

#include "core/macros.h"
#include "core/vec3.h"

namespace dropmd {

/// The result of a bonded term: its energies, and the forces on its atoms in the order of the term. The force on one
/// atom is minus the sum of the others, so that they add up to zero, except for terms that are fixed in space.
template <std::size_t n_atoms, std::size_t n_energies = 1>
struct BondedValue {
  double energy[n_energies];      ///< energy
  Vec3<double> force[n_atoms]{};  ///< energy/length
};

/// Vectors whose squared length is not above this are too short to have a direction: terms that need one are zero or
/// infinite, but never NaN. It is far below any distance between atoms, and the squares, products and quotients that
/// the formulas need stay within the range of fp64 above it.
inline constexpr double kNoDirection2 = 1e-40;  // length²

}  // namespace dropmd
