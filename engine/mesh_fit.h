#pragma once

#include <string>
#include <vector>

#include "core/run/run_settings.h"
#include "engine/methods/method.h"
#include "engine/model/system.h"

namespace dropmd {

/// Fits the mesh of a system to the measured error, as a run with these settings does at its start
/// (engine/mesh_check.h). method: by which forces are computed. Returns what the log of the run says: the meshes and
/// their errors. A system without a mesh stays as it is, and so do all positions.
std::vector<std::string> fit_mesh(System& system, const IntegrationSettings& settings, const Method& method);

}  // namespace dropmd
