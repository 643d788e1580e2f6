#include "engine/molecules/constrained_start.h"

#include <fmt/core.h>

#include <cstddef>
#include <optional>
#include <vector>

#include "core/errors.h"
#include "engine/molecules/motion_plans.h"
#include "integrators/virtual_sites/cpu_virtual_sites.h"

namespace dropmd {

namespace {

void require_solved(const std::optional<std::size_t>& failed, const CpuConstraints& constraints,
                    const Particles& particles) {
  if (failed)
    throw PhysicsError(constraint_failure(constraints.plan(), *failed, particles) +
                       " (use a structure with the geometry of the topology's constraints)");
}

/// Files round positions, and force fields differ a little; an atom that moves farther belongs to a molecule that is
/// broken, or that is not the one in the topology.
void require_near(std::span<const Vec3<double>> before, std::span<const Vec3<double>> after,
                  const Particles& particles) {
  constexpr double kFarthest = 1;  // Å
  for (std::size_t i = 0; i < before.size(); ++i)
    if (const double moved = norm(after[i] - before[i]); moved > kFarthest)
      throw PhysicsError(
          fmt::format("the constraints would move atom {} by {:.3g} A (use whole molecules with the geometry of the "
                      "topology: gmx trjconv -pbc mol makes them whole)",
                      particles.id_of(i), moved));
}

void stop_sites(const Particles& particles, std::span<Vec3<double>> velocity) {
  for (std::size_t i = 0; i < velocity.size(); ++i)
    if (particles.mass[i] == 0) velocity[i] = {};
}

}  // namespace

void satisfy(const CpuConstraints& constraints, const Particles& particles, std::span<Vec3<double>> position,
             std::span<Vec3<double>> velocity) {
  const std::vector<Vec3<double>> before(position.begin(), position.end());
  require_solved(constraints.positions(Cpu{}, before, position, {}, 0), constraints, particles);
  require_near(before, position, particles);
  require_solved(constraints.velocities(Cpu{}, position, velocity), constraints, particles);
}

void satisfy_constraints(const System& system, std::span<Vec3<double>> position, std::span<Vec3<double>> velocity) {
  if (!system.topology) return;
  if (const CpuConstraints constraints(constraints_of(system)); constraints.plan().n_constraints > 0)
    satisfy(constraints, system.particles, position, velocity);
  if (system.topology->has_sites()) CpuVirtualSites(virtual_sites_of(system)).place(Cpu{}, position);
  stop_sites(system.particles, velocity);
}

void constrain_velocities(const System& system, std::span<const Vec3<double>> position,
                          std::span<Vec3<double>> velocity) {
  if (!system.topology) return;
  const CpuConstraints constraints(constraints_of(system));
  require_solved(constraints.velocities(Cpu{}, position, velocity), constraints, system.particles);
  stop_sites(system.particles, velocity);
}

void place_virtual_sites(System& system) {
  if (!system.topology || !system.topology->has_sites()) return;
  CpuVirtualSites(virtual_sites_of(system)).place(Cpu{}, system.particles.position);
}

}  // namespace dropmd
