#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "engine/model/system.h"
#include "integrators/constraints/constraint_plan.h"
#include "integrators/virtual_sites/virtual_site_plan.h"

/// The constraints and virtual sites of those atoms that a system has, for integrators.
namespace dropmd {

/// Whether a system may have constraints or virtual sites.
inline bool moves_by_clusters(const System& system) {
  return system.topology && (!system.topology->constraints.empty() || system.topology->has_sites());
}

/// Returns the constraints; none without a topology. Throws as plan_constraints().
ConstraintPlan constraints_of(const System& system);
/// Returns the pairs of present atoms that constraints join, [n_constraints][2] indices, ascending. A constraint that
/// the topology has twice counts once.
std::vector<std::array<std::uint32_t, 2>> constrained_pairs(const System& system);
/// Returns their number, in less time. counts: [n_atoms] whether constraints of an atom's molecule count; empty: all
/// do.
std::size_t count_constraints(const System& system, std::span<const char> counts = {});
/// Stores the constraints of all atoms of the topology in a system whose molecules are about to leave, so that what is
/// left of them need not be planned each time.
void keep_constraints(System& system);

/// Returns the virtual sites; none without a topology. Throws as plan_virtual_sites().
VirtualSitePlan virtual_sites_of(const System& system);

/// Returns which atoms have to be moved by the same processor, because constraints join them, or because they are a
/// virtual site and its parents: [n_atoms] the smallest index of such atoms. Throws as plan_virtual_sites().
std::vector<std::uint32_t> atoms_moved_together(const System& system);

}  // namespace dropmd
