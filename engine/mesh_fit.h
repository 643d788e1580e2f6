#pragma once

#include <string>
#include <vector>

#include "engine/methods/method.h"
#include "engine/model/system.h"

namespace dropmd {

/// Fits the mesh of a system to the error that is measured, as a run does at its start (engine/mesh_check.h). method:
/// by which forces are computed. Returns what the log of the run says: the meshes and their errors. A system without a
/// mesh stays as it is.
std::vector<std::string> fit_mesh(System& system, const Method& method);

}  // namespace dropmd
