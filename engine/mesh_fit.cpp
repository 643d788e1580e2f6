#include "engine/mesh_fit.h"

#include <optional>

#include "engine/centre.h"
#include "engine/force_field.h"
#include "engine/mesh_check.h"
#include "engine/model/coulomb_division.h"
#include "engine/molecules/site_forces.h"

namespace dropmd {

std::vector<std::string> fit_mesh(System& system, const IntegrationSettings& settings, const Method& method) {
  if (!system.mesh) return {};
  std::vector<std::string> said{describe_mesh(system, method.backend)};
  // At step 0 a run has recentred the atoms. The points of a mesh stay where they are, and its error depends on how the
  // atoms lie among them.
  System start = system;
  if (settings.recenter_every > 0) recenter(method.cpu, start.particles, recentring(settings, start));
  const MeshCheck check([&](std::int64_t, const std::string& text) { said.push_back(text); });
  for (;;) {
    std::vector<Vec3<double>> force(start.particles.size());
    ForceField(start, method).evaluate({start.particles.position, 0}, Want::forces, force);
    spread_site_forces(start, force);
    const std::optional<CoulombMesh> other = check.other({0, 0, force, method}, start);
    if (!other) break;
    start = with_mesh(start, *other, method.backend, method.precision);
  }
  system = with_mesh(system, *start.mesh, method.backend, method.precision);
  return said;
}

}  // namespace dropmd
