#pragma once

#include <string>
#include <vector>

#include "core/run/invariance.h"
#include "core/run/run_settings.h"
#include "core/topology/molecular_model.h"
#include "engine/model/system.h"

/// The rule for what may be done to all atoms together: beside a force term that is not invariant under translation
/// nothing is recentred and no linear momentum is removed, and beside one that is not invariant under rotation no
/// angular momentum, unless the user asks. The terms declare their invariance; recentring() (core/run/run_settings.h)
/// takes its default from it, and no momentum is removed by default anyway.
namespace dropmd {

/// Returns the motions that leave the energies of all force terms of a model unchanged.
Invariance invariance_of(const System& system);
/// The same for the model of a run, before its structure is read. molecules: its molecules; null: none, or they are not
/// read yet.
Invariance invariance_of(const RunConfig& config, const MolecularModel* molecules = nullptr);

/// Returns a warning for each thing that a run does to all its atoms in conflict with a force term, because it was
/// asked to.
std::vector<std::string> motion_warnings(const IntegrationSettings& settings, const System& system);

}  // namespace dropmd
