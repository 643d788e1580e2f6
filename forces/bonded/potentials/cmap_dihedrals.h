#pragma once

#include <array>
#include <cstddef>
#include <string_view>

#include "core/topology/bonded_terms.h"
#include "forces/bonded/bonded_context.h"
#include "forces/bonded/potentials/bonded_value.h"
#include "forces/bonded/potentials/dihedral_angle.h"

namespace dropmd {

/// The coupling of two dihedral angles that share three bonds (CMAP; MacKerell, Feig and Brooks, J. Comput. Chem. 25,
/// 1400 (2004)):
///
///   U = map(φ, ψ), φ of the atoms 0 to 3, ψ of the atoms 1 to 4 (dihedral_angle.h)
///
/// map: cmap_map.h.
struct CmapPotential {
  using Term = CmapDihedrals;
  static constexpr std::size_t kAtoms = 5;
  static constexpr std::array<std::string_view, 1> kEnergies{Term::kEnergy};
  CmapMap map;

  CmapPotential(const Term& term, const BondedContext& context) : map(context.maps[term.grid]) {}

  DROPMD_HOST_DEVICE BondedValue<5> operator()(const Vec3<double> (&x)[5]) const {
    const DihedralAngle phi(x[0], x[1], x[2], x[3]), psi(x[1], x[2], x[3], x[4]);
    const CmapMap::Value at = map(phi.radians(), psi.radians());
    BondedValue<5> value{{at.energy}};
    phi.add_forces(-at.by_phi, value.force);
    psi.add_forces(-at.by_psi, value.force + 1);
    return value;
  }
};

}  // namespace dropmd
