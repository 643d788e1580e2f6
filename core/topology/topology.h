#pragma once

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

/// Which atoms belong together, and what acts between atoms of a molecule. Atoms have numbers here: the id less 1,
/// which an atom keeps while others leave or are added. A topology therefore never changes during a run.
struct Topology {
  /// [number of atoms at the start] id of the molecule, which is the id of its first atom; empty: see molecule_of().
  std::vector<std::uint32_t> molecule;
  BondedTerms terms;
  std::vector<CmapGrid> cmap_grids;
  Exclusions exclusions;
  std::vector<Constraint> constraints;
  std::vector<VirtualSite> virtual_sites;
  std::vector<WeightedSite> weighted_sites;

  /// Returns the id of an atom's molecule. Atoms that are not in `molecule` are molecules of their own.
  std::uint32_t molecule_of(std::uint32_t number) const {
    return number < molecule.size() ? molecule[number] : number + 1;
  }
  /// Whether there are virtual sites.
  bool has_sites() const { return !virtual_sites.empty() || !weighted_sites.empty(); }

  friend bool operator==(const Topology&, const Topology&) = default;
};

}  // namespace dropmd
