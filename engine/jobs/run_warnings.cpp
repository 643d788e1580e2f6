#include "engine/jobs/run_warnings.h"

#include "engine/jobs/resume.h"
#include "engine/methods/method.h"
#include "engine/model/coulomb_division.h"
#include "engine/model/form_catalog.h"
#include "engine/model/invariance.h"
#include "inputs/run_file/run_config.h"
#include "inputs/structures/bare_structure.h"
#include "inputs/structures/structure_file.h"

namespace dropmd {

namespace {

/// A checkpoint does not say what kind of file its run was of, but it has the run's physics.
bool is_of_droplet_file(const RunConfig& config) {
  if (config.file.empty() || config.file.extension() == ".toml") return false;
  return has_structure_format(config.file) ||
         same_physics(config, bare_structure_config(config.structure, form_catalog()));
}

}  // namespace

std::vector<std::string> run_warnings(const RunConfig& config, const System& system) {
  std::vector<std::string> warnings = motion_warnings(config, system);
  if (!warnings.empty() && is_of_droplet_file(config)) warnings.clear();
  if (std::optional<std::string> hint = mesh_hint(config, system, choose_processor(config).backend))
    warnings.push_back(std::move(*hint));
  if (!config.file.empty())
    for (std::string& warning : warnings) warning = config.file.string() + ": " + warning;
  return warnings;
}

}  // namespace dropmd
