#include "engine/jobs/run_warnings.h"

#include <utility>

#include "engine/device/device_run.h"
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

/// A checkpoint does not say what kind of file its run came from, but it has the run's physics.
bool is_of_droplet_file(const RunConfig& config) {
  if (config.file.empty() || config.file.extension() == ".toml") return false;
  return has_structure_format(config.file) ||
         same_physics(config, bare_structure_config(config.structure, form_catalog()));
}

/// Returns a warning if one GPU would perform the steps by a persistent kernel, which ranks do not have.
std::optional<std::string> small_droplet_warning(const RunConfig& config, const System& system) {
  if (config.ranks == nullptr) return std::nullopt;
  RunConfig of_one = config;
  of_one.ranks = nullptr;
  const Method method = choose_method(of_one, system.model, system.particles.size());
  if (method.backend != Backend::cuda || !DeviceRun::may_be_persistent(system, config, method)) return std::nullopt;
  return "one GPU would perform the steps of a droplet this small with a persistent kernel, which several processes "
         "cannot use (start one process, with --devices for the GPUs of a host)";
}

}  // namespace

std::vector<std::string> run_warnings(const RunConfig& config, const System& system) {
  std::vector<std::string> warnings = motion_warnings(config, system);
  if (!warnings.empty() && is_of_droplet_file(config)) warnings.clear();
  if (std::optional<std::string> hint = mesh_hint(config, system, choose_processor(config).backend))
    warnings.push_back(std::move(*hint));
  if (!config.file.empty())
    for (std::string& warning : warnings) warning = config.file.string() + ": " + warning;
  if (std::optional<std::string> warning = small_droplet_warning(config, system))
    warnings.push_back(std::move(*warning));
  return warnings;
}

}  // namespace dropmd
