#pragma once

#include <filesystem>
#include <fstream>
#include <memory>
#include <nlohmann/json.hpp>
#include <string>

#include "engine/molecules/constrained_start.h"
#include "engine/molecules/molecules.h"
#include "inputs/run_file/run_config.h"
#include "inputs/structures/structure.h"
#include "inputs/structures/structure_file.h"

/// The molecular systems of tests/references.
namespace dropmd {

inline std::filesystem::path reference_folder(const std::string& name) {
  return std::filesystem::path(DROPMD_SOURCE_DIR) / "tests/references" / name;
}

inline nlohmann::json read_reference(const std::string& name) {
  return nlohmann::json::parse(std::ifstream(reference_folder(name) / "reference.json"));
}

/// Returns a run of a system without cutoffs.
inline RunConfig reference_config(const std::string& name) {
  const nlohmann::json reference = read_reference(name);
  RunConfig config;
  config.units = UnitSystem::real;
  config.topology.file = reference_folder(name) / reference["topology"].get<std::string>();
  config.topology.define = reference["define"].get<std::vector<std::string>>();
  config.lennard_jones = LennardJonesConfig{.epsilon = {}, .sigma = {}, .treatment = FormChoice{"none"}};
  config.coulomb = FormChoice{"exact"};
  config.integrator = {"velocity-verlet", {{"timestep", 1.0}}};
  config.recenter_every = 0;
  config.recenter = Recenter::none;
  return config;
}

/// Returns the system of such a run at the positions of the reference, with its virtual sites in place.
inline System reference_system(const std::string& name, const RunConfig& config) {
  const nlohmann::json reference = read_reference(name);
  const std::string file = reference["structure"];
  Structure structure = read_structure_file(reference_folder(name) / reference.value("restraint_reference", file));
  const std::shared_ptr<const MolecularModel> molecules = read_molecules(config, structure);
  structure.position = read_structure_file(reference_folder(name) / file).position;
  System made = build_system(config, structure, molecules);
  place_virtual_sites(made);
  return made;
}

}  // namespace dropmd
