#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "core/topology/bonded_terms.h"
#include "core/topology/exclusions.h"
#include "core/topology/virtual_sites.h"

namespace dropmd {

/// A distance that is held fixed.
struct Constraint {
  AtomNumbers<2> atom{};  ///< numbers of the atoms: the id less 1
  double length = 0;      ///< length

  friend bool operator==(const Constraint&, const Constraint&) = default;
};

/// Which atoms belong together, and what acts between atoms of a molecule.
struct Topology {
  /// [n_atoms] id of the molecule, which is the id of its first atom; empty: every atom is a molecule of its own.
  std::vector<std::uint32_t> molecule;
  BondedTerms terms;
  std::vector<CmapGrid> cmap_grids;
  Exclusions exclusions;
  std::vector<Constraint> constraints;
  std::vector<VirtualSite> virtual_sites;
  std::vector<WeightedSite> weighted_sites;

  friend bool operator==(const Topology&, const Topology&) = default;
};

}  // namespace dropmd
