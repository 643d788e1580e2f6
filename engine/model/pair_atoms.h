#pragma once

#include <cstddef>

#include "core/topology/excluded_pairs.h"
#include "engine/model/system.h"
#include "forces/pair/pair_forces.h"

namespace dropmd {

/// Returns the pairs of a system that no pair term counts.
inline ExcludedPairs excluded_pairs(const System& system) {
  return system.topology ? ExcludedPairs(system.topology->exclusions, system.particles) : ExcludedPairs();
}

/// Returns the total length, over all atoms of the topology, of the lists of pairs that no pair term counts; 0: none.
inline std::size_t n_excluded(const System& system) {
  return system.topology ? system.topology->exclusions.excluded.size() : 0;
}

/// Returns what pair forces read of the atoms. Both arguments must outlive it.
inline PairAtoms pair_atoms(const System& system, const ExcludedPairs& excluded) {
  return {system.particles.charge, system.particles.pair_species, excluded.empty() ? nullptr : &excluded};
}

}  // namespace dropmd
