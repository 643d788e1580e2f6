#include "engine/mesh_fit.h"

#include <optional>

#include "engine/force_field.h"
#include "engine/mesh_check.h"
#include "engine/model/coulomb_division.h"

namespace dropmd {

std::vector<std::string> fit_mesh(System& system, const Method& method) {
  if (!system.mesh) return {};
  std::vector<std::string> said{describe_mesh(system, method.backend)};
  const MeshCheck check([&](std::int64_t, const std::string& text) { said.push_back(text); });
  for (;;) {
    std::vector<Vec3<double>> force(system.particles.size());
    ForceField(system, method).evaluate({system.particles.position, 0}, Want::forces, force);
    const std::optional<CoulombMesh> other = check.other({0, 0, force, method}, system);
    if (!other) return said;
    system = with_mesh(system, *other, method.backend, method.precision);
  }
}

}  // namespace dropmd
