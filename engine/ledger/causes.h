#pragma once

#include <cstdint>

#include "core/run/ledger.h"
#include "core/run/run_settings.h"
#include "engine/model/system.h"

namespace dropmd {

/// Returns what can change the energy of a run from outside. population_changes: atoms may be removed and added.
/// Minimisers have no ledger.
CauseSet causes_of(const IntegrationSettings& settings, const System& system, bool population_changes = false);

/// Returns those of them that are booked for each atom.
CauseSet atom_causes_of(const IntegrationSettings& settings, const System& system);

/// Returns the device memory of the bookings of a run on a GPU: those of the last step, and the saved ones to which it
/// returns after a fault. causes: of atoms.
std::uint64_t ledger_device_bytes(const CauseSet& causes, std::uint64_t n_atoms);

}  // namespace dropmd
