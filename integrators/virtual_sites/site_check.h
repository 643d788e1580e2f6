#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "core/topology/topology.h"
#include "integrators/atom_labels.h"

namespace dropmd {

/// Returns the numbers of the atoms from which a site is constructed.
inline std::span<const std::uint32_t> parents_of(const VirtualSite& site) {
  return std::span(site.parent).first(n_parents(site.form));
}
inline std::span<const std::uint32_t> parents_of(const WeightedSite& site) { return site.parent; }

/// Throws the errors of plan_virtual_sites() (virtual_site_plan.h) for sites that cannot be constructed.
void check_sites(const Topology& topology, std::size_t n_atoms, const AtomLabels& labels);

}  // namespace dropmd
