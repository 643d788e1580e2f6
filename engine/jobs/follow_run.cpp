#include "engine/jobs/follow_run.h"

#include <memory>
#include <optional>

#include "engine/droplet/follow_droplet.h"
#include "engine/jobs/run_checkpoint.h"
#include "engine/jobs/run_parts.h"
#include "engine/mesh_check.h"

namespace dropmd {

EnergyRow follow_run(const RunConfig& config, const RunHooks& hooks, const Checkpoint* from) {
  RunParts parts(config, hooks, from, [](std::int64_t, const std::string&, const std::string&) {});
  // The only observer that changes the run by what it sees: molecules that have left the droplet may be removed.
  if (config.droplet)
    follow_droplet(std::make_unique<DropletObserver>(DropletWatch(parts.system, config, droplet_of(from)),
                                                     config.droplet->every, std::nullopt, parts.timings),
                   config, parts.loop, OnceDry::ends);
  if (parts.system.mesh) parts.loop.check_mesh(MeshCheck([](std::int64_t, const std::string&) {}));
  parts.loop.run([] { return false; });
  return parts.loop.energies();
}

}  // namespace dropmd
