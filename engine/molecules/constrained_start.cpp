#include "engine/molecules/constrained_start.h"

#include <cstddef>
#include <optional>
#include <vector>

#include "core/errors.h"
#include "engine/molecules/motion_plans.h"
#include "integrators/virtual_sites/cpu_virtual_sites.h"

namespace dropmd {

void satisfy(const CpuConstraints& constraints, const Particles& particles, std::span<Vec3<double>> position,
             std::span<Vec3<double>> velocity) {
  const std::vector<Vec3<double>> before(position.begin(), position.end());
  std::optional<std::size_t> failed = constraints.positions(Cpu{}, before, position, {}, 0);
  if (!failed) failed = constraints.velocities(Cpu{}, position, velocity);
  if (failed)
    throw PhysicsError("at the start: " + constraint_failure(constraints.plan(), *failed, particles) +
                       " (a structure with the geometry of the topology's constraints)");
}

void satisfy_constraints(System& system) {
  if (!system.topology) return;
  Particles& p = system.particles;
  if (const CpuConstraints constraints(constraints_of(system)); constraints.plan().n_constraints > 0)
    satisfy(constraints, p, p.position, p.velocity);
  place_virtual_sites(system);
  for (std::size_t i = 0; i < p.size(); ++i)
    if (p.mass[i] == 0) p.velocity[i] = {};
}

void place_virtual_sites(System& system) {
  if (!system.topology || !system.topology->has_sites()) return;
  CpuVirtualSites(virtual_sites_of(system)).place(Cpu{}, system.particles.position);
}

}  // namespace dropmd
