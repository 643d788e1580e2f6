#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <vector>

#include "engine/device/molecules/waters_with_sites.cuh"
#include "engine/model/system.h"
#include "forces/term_atoms.cuh"

namespace dropmd {

/// A droplet of rigid waters, all alike, and of atoms without constraints, such as ions, as persistent kernels take it:
/// every molecule has the same number of places for atoms. The droplet's exclusions are all pairs of atoms of one
/// molecule.
struct RigidMolecules {
  static constexpr std::uint32_t kNoAtom = TermAtoms::kNoAtom;

  /// [n] atoms, in the order of the solver, then the site; kNoAtom for places without one. An atom without constraints
  /// has the first place.
  std::vector<std::array<std::uint32_t, 4>> at;
  SettleAndSite solver{};           ///< of the waters; those of three sites do not use its site
  int n_places = 3;                 ///< for the atoms of a molecule: 3, or 4 if the waters have virtual sites
  bool only_first_has_vdw = false;  ///< whether the atoms after the first place have no van der Waals term

  /// Returns the molecules; nullopt if a droplet has other ones, or if it has no waters.
  static std::optional<RigidMolecules> of(const System& system);
};

/// The same in device memory, if there are any: rows of storage indices, sorted by the first index of each row.
struct WholeMolecules {
  ClusterView<Settle> without_sites;
  ClusterView<SettleAndSite> with_sites;
  SettleAndSite solver{};
  bool only_first_has_vdw = false;

  std::uint32_t n() const { return without_sites.n + with_sites.n; }
};

}  // namespace dropmd
