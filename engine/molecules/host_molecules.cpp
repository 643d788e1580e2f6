#include "engine/molecules/host_molecules.h"

#include <fmt/core.h>

#include "core/errors.h"
#include "engine/molecules/motion_plans.h"

namespace dropmd {

const CpuConstraints& HostMolecules::constraints() const {
  if (!constraints_) constraints_.emplace(constraints_of(system_));
  return *constraints_;
}

const CpuVirtualSites& HostMolecules::sites() const {
  if (!sites_) sites_.emplace(virtual_sites_of(system_));
  return *sites_;
}

void HostMolecules::move(Integrator& integrator, std::span<const Vec3<double>> force, std::uint64_t step,
                         Particles& particles, std::span<double> heat) {
  const std::span<const MovePart> parts = integrator.parts_of_move();
  for (std::size_t k = 0; k < parts.size(); ++k) {
    if (parts[k].moves) before_ = particles.position;
    integrator.move_part(k, cpu_, particles, force, step, heat);
    if (!parts[k].moves) {
      constrain_velocities(static_cast<std::int64_t>(step), particles);
      continue;
    }
    const double time = parts[k].share * integrator.timestep();
    const std::span<Vec3<double>> velocity = time > 0 ? std::span(particles.velocity) : std::span<Vec3<double>>();
    require_solved(constraints().positions(cpu_, before_, particles.position, velocity, time),
                   static_cast<std::int64_t>(step), particles);
    // The last part's velocities are projected when the step is finished.
    if (k + 1 < parts.size()) constrain_velocities(static_cast<std::int64_t>(step), particles);
  }
}

void HostMolecules::constrain_velocities(std::int64_t step, Particles& particles) const {
  if (has_constraints())
    require_solved(constraints().velocities(cpu_, particles.position, particles.velocity), step, particles);
}

void HostMolecules::project(std::int64_t step, const Particles& particles, std::span<Vec3<double>> force) const {
  if (has_constraints()) require_solved(constraints().forces(cpu_, particles.position, force), step, particles);
}

void HostMolecules::place_sites(std::span<Vec3<double>> position) const {
  if (sites().plan().n_sites() > 0) sites().place(cpu_, position);
}

void HostMolecules::spread(std::span<const Vec3<double>> position, std::span<Vec3<double>> force) const {
  if (sites().plan().n_sites() > 0) sites().spread(cpu_, position, force);
}

void HostMolecules::require_solved(const std::optional<std::size_t>& failed, std::int64_t step,
                                   const Particles& particles) const {
  if (failed)
    throw PhysicsError(fmt::format("step {}: {} ({})", step,
                                   constraint_failure(constraints().plan(), *failed, particles),
                                   minimizes_ ? "use a smaller factor or timestep, or form = \"fire\""
                                              : "use a smaller timestep, or minimise first"));
}

}  // namespace dropmd
