#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "core/particles.h"
#include "engine/model/system.h"
#include "integrators/constraints/cpu_constraints.h"
#include "integrators/integrator.h"
#include "integrators/virtual_sites/cpu_virtual_sites.h"

namespace dropmd {

/// What molecules add to the stages of a step on the host: constraints and virtual sites. Functions that satisfy
/// constraints throw PhysicsError for a cluster without a solution. Plans are made when they are first needed: a run on
/// a GPU seldom needs those of the host.
class HostMolecules {
 public:
  /// system: must outlive this object, with the same atoms. minimizes: whether the steps are those of a minimiser, for
  /// messages.
  HostMolecules(Cpu cpu, const System& system, bool minimizes) : cpu_(cpu), system_(system), minimizes_(minimizes) {}

  bool has_constraints() const { return constraints().plan().n_constraints > 0; }

  /// Performs the move of a step, part by part. force: [n_atoms]; heat: as for Integrator::move().
  void move(Integrator& integrator, std::span<const Vec3<double>> force, std::uint64_t step, Particles& particles,
            std::span<double> heat);
  /// Removes the velocities along the constraints. step: for messages.
  void constrain_velocities(std::int64_t step, Particles& particles) const;
  /// Removes the part of the forces, [n_atoms], that acts against the constraints.
  void project(std::int64_t step, const Particles& particles, std::span<Vec3<double>> force) const;

  /// Places the virtual sites, [n_atoms].
  void place_sites(std::span<Vec3<double>> position) const;
  /// Passes their forces on to their parents, [n_atoms].
  void spread(std::span<const Vec3<double>> position, std::span<Vec3<double>> force) const;

 private:
  void require_solved(const std::optional<std::size_t>& failed, std::int64_t step, const Particles& particles) const;

  const CpuConstraints& constraints() const;
  const CpuVirtualSites& sites() const;

  Cpu cpu_;
  const System& system_;
  bool minimizes_;
  mutable std::optional<CpuConstraints> constraints_;  ///< nullopt: not needed so far
  mutable std::optional<CpuVirtualSites> sites_;
  std::vector<Vec3<double>> before_;  ///< positions before a part of a move
};

}  // namespace dropmd
