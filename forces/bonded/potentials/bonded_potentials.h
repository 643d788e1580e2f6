#pragma once

#include <algorithm>
#include <cstddef>
#include <string_view>
#include <tuple>
#include <vector>

#include "core/topology/bonded_terms.h"
#include "forces/bonded/potentials/bonded_pair.h"
#include "forces/bonded/potentials/cmap_dihedrals.h"
#include "forces/bonded/potentials/harmonic_angle.h"
#include "forces/bonded/potentials/harmonic_bond.h"
#include "forces/bonded/potentials/harmonic_improper.h"
#include "forces/bonded/potentials/periodic_dihedral.h"
#include "forces/bonded/potentials/position_restraint.h"
#include "forces/bonded/potentials/ryckaert_bellemans.h"

namespace dropmd {

/// The potentials of all kinds of bonded terms; energies are named in this order. Both processors loop over the list.
///
/// A potential has `Term`, the struct of core/topology/bonded_terms.h that it belongs to; `kAtoms`; `kEnergies`, the
/// names of its energies; a constructor from a term and a BondedContext, which computes its coefficients; and a call
/// for both processors that takes the positions of the atoms, [kAtoms][3] length, and returns a
/// BondedValue<kAtoms, kEnergies.size()>. It is trivially copyable.
using BondedPotentials = std::tuple<HarmonicBondPotential, AnglePotential, UreyBradleyPotential,
                                    PeriodicDihedralPotential, RyckaertBellemansPotential, ImproperPotential,
                                    CmapPotential, BondedPairPotential, PositionRestraintPotential>;

/// Calls visit.template operator()<Potential>() for each potential of the list in order.
template <class Visit>
void for_each_bonded_potential(const Visit& visit) {
  [&]<class... Potential>(std::tuple<Potential...>*) {
    (visit.template operator()<Potential>(), ...);
  }(static_cast<BondedPotentials*>(nullptr));
}

/// The terms of a potential in a topology.
template <class Potential>
const std::vector<typename Potential::Term>& terms_of(const BondedTerms& terms) {
  return std::get<std::vector<typename Potential::Term>>(terms);
}

/// Returns the names of the energies that the terms have, each once.
inline std::vector<std::string_view> bonded_energy_names(const BondedTerms& terms) {
  std::vector<std::string_view> names;
  for_each_bonded_potential([&]<class Potential>() {
    if (terms_of<Potential>(terms).empty()) return;
    for (const std::string_view name : Potential::kEnergies)
      if (std::find(names.begin(), names.end(), name) == names.end()) names.push_back(name);
  });
  return names;
}

}  // namespace dropmd
