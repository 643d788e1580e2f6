#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "core/run/run_settings.h"
#include "core/run/run_state.h"
#include "core/timings.h"
#include "engine/actions/action_list.h"
#include "engine/force_field.h"
#include "engine/ledger/host_ledger.h"
#include "engine/model/system.h"
#include "engine/molecules/host_molecules.h"
#include "engine/physics_guard.h"
#include "integrators/integrator.h"

namespace dropmd {

/// The stages of a step on the host, for the atoms of the system; all except the terms, since the forces may be
/// computed elsewhere.
class HostStages {
 public:
  /// All arguments except `on` must outlive this object.
  HostStages(System& of, const RunSettings& settings, Cpu on, std::size_t n_dof, Timings& times);

  /// Continues from this complete step, whose atoms the system has. Throws PhysicsError if a value is not finite.
  void resume(const RunState& state);

  void move();
  void act(StepStage stage);
  void place_sites();
  void spread_forces();
  void finish();

  /// Returns the result with the kinetic energy and the ledger.
  ForceField::Result with_kinetic(ForceField::Result result) const;
  /// Throws PhysicsError if a value of the step is not finite.
  void check(const Energies& energies) const;

  /// Returns the force of the present step as the integrator applies it.
  std::span<const Vec3<double>> impulse() const;

  double time() const { return static_cast<double>(step) * integrator->timestep(); }
  Moment now() const { return {system.particles.position, time()}; }

  System& system;
  const RunSettings& config;
  Timings& timings;
  Cpu cpu;
  ActionList actions;
  std::unique_ptr<Integrator> integrator;
  HostMolecules molecules;
  HostLedger ledger;  ///< of the steps that the host performs
  PhysicsGuard guard;
  std::vector<Vec3<double>> force;  ///< [n_atoms]
  std::int64_t step = 0;

 protected:
  /// To be called before spread_forces() when the slow part of `force` has been computed again. slow: [n_atoms]; empty:
  /// no force is slow.
  void set_slow_force(std::span<const Vec3<double>> slow);

 private:
  /// Whether the integrator applies forces without their components along the constraints, as minimisers do.
  bool projects() const;

  bool has_moved_ = false;          ///< whether the virtual sites are still where they were in the previous step
  std::vector<Vec3<double>> slow_;  ///< [n_atoms] of the last outer step; empty: no force is slow
  std::vector<Vec3<double>>
      impulse_;  ///< [n_atoms] of the last outer step, or projected; empty: the integrator applies `force`
};

}  // namespace dropmd
