#pragma once

#include <filesystem>
#include <string>

#include "inputs/topologies/openmm/openmm_system.h"

namespace dropmd {

/// Reads a System that OpenMM wrote (tests/data/openmm/make_systems.py).
inline MolecularModel openmm_sample(const std::string& name) {
  return read_openmm_system(std::filesystem::path(DROPMD_SOURCE_DIR) / "tests/data/openmm" / (name + ".xml"));
}

}  // namespace dropmd
