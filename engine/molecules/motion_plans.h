#pragma once

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
/// Returns its number of constraints, in less time.
std::size_t count_constraints(const System& system);

/// Returns the virtual sites; none without a topology. Throws as plan_virtual_sites().
VirtualSitePlan virtual_sites_of(const System& system);

}  // namespace dropmd
