#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "engine/force_field.h"
#include "engine/model/system.h"

/// The forces on virtual sites, which act on the parents of the sites.
namespace dropmd {

/// Passes the forces of the virtual sites on to their parents at the system's positions. force: [n_atoms].
void spread_site_forces(const System& system, std::span<Vec3<double>> force);

/// Returns the exact sums of some atoms as ForceField::reference() does, but with the forces on virtual sites spread to
/// their parents. sample: [n] indices of atoms, none twice.
std::vector<AtomSums> spread_reference(const ForceField& terms, const System& system, const Moment& now,
                                       std::span<const std::uint32_t> sample);

}  // namespace dropmd
