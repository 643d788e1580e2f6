#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "core/run/run_settings.h"
#include "core/run/run_state.h"
#include "core/timings.h"
#include "engine/device/device_arrays.h"
#include "engine/device/ordering/reorder_interval.h"
#include "engine/force_field.h"
#include "engine/methods/method.h"
#include "engine/model/system.h"
#include "engine/step/step_wants.h"
#include "integrators/integrator.h"
#include "neighbor/clusters/cluster_labels.h"

namespace dropmd {

/// Performs the steps of a run on one processor. engine/step/one_step.h defines a step; StepLoop decides which steps
/// are observed. fetch() brings positions and velocities of a complete step to the system. Between start() and
/// finish(), while steps are being performed, only check(), force() and, after keep(), fetch() may be called.
class Executor {
 public:
  using Result = ForceField::Result;

  /// The result of finish().
  struct Progress {
    bool broken = false;  ///< the step after step() failed: see make_broken_step()
    double seconds = 0;   ///< GPU time of the steps, if it was requested
    /// Energies of the last step, with the kinetic energy, if they were requested and nothing broke.
    std::optional<Result> energies;
  };

  virtual ~Executor() = default;

  /// Performs step 0 for the atoms of the system: all of a step except the integrator's parts. Returns what finish()
  /// returns.
  virtual Progress begin(bool energies) = 0;
  /// Continues from a complete step, whose positions and velocities the system has, instead of begin(). alike: the
  /// previous steps were computed in the same way, so that those to come must be bitwise identical to those of an
  /// uninterrupted run. In either case force terms keep what they had kept, as far as it suits the positions.
  virtual void resume(const RunState& state, bool alike) = 0;

  /// Keeps the last complete step, so that fetch() may be called while the steps after it are performed; to be called
  /// just before start().
  virtual void keep() = 0;
  /// Starts the steps up to `last`. wants: what else is wanted of them. Returns whether those up to wants.next are also
  /// under way. These must then be started next, with the same request for energies, unless finish() reports `broken`;
  /// before that, only check(), force() and, for a kept step, fetch() may be called.
  virtual bool start(std::int64_t last, const StepWants& wants) = 0;
  /// Completes the steps that were started; fewer are performed if physics broke. Throws PhysicsError.
  virtual Progress finish() = 0;
  /// To be called after finish() reported `broken`: performs the failed step by other means, or throws PhysicsError
  /// with a description of the fault.
  virtual Progress make_broken_step(bool energies) = 0;

  /// Returns the last step up to which start() would not wait for steps that it starts itself. Only between steps.
  virtual std::int64_t starts_freely_until() const = 0;
  /// Whether steps are performed in parallel with the host between start() and finish().
  virtual bool runs_ahead() const = 0;
  /// Largest number of steps that may be started at once.
  virtual std::int64_t most_steps() const = 0;
  /// A minimiser is asked whether it has converged at multiples of this step number, besides other observed steps.
  virtual std::int64_t convergence_every() const = 0;

  /// The last complete step, which observers may see.
  virtual std::int64_t step() const = 0;
  virtual const Integrator& integrator() const = 0;
  /// Time of that step, in the run's unit; 0 for minimisers.
  double time() const { return static_cast<double>(step()) * integrator().timestep(); }

  /// Brings positions and velocities of that step to the system and the forces to force(), [n_atoms][3], if they are
  /// not there yet. Throws PhysicsError if a value is not finite.
  virtual void fetch() = 0;
  /// The forces of the last fetch(), [n_atoms][3] in the order of Particles, energy/length.
  virtual const std::vector<Vec3<double>>& force() const = 0;
  /// Returns how several GPUs add up their forces, for the user; empty: the executor does not use several.
  virtual std::string describe_peers() const { return {}; }
  /// Throws PhysicsError if the energies of that step are not finite.
  virtual void check(const Energies& energies) = 0;

  // Between steps:
  /// To be called when the groups of the system's atoms have changed. n_dof: degrees of freedom of those in the bath.
  virtual void groups_changed(std::size_t n_dof) = 0;
  /// Returns the labels of cluster_labels() for that step. links: the same in all calls.
  virtual std::vector<std::uint32_t> cluster_labels(const ClusterLinks& links) = 0;
  virtual Result energies() = 0;  ///< with the kinetic energy
  /// The atoms of that step in the memory of a GPU; nullopt on a CPU.
  virtual std::optional<DeviceArrays> device_arrays() const { return std::nullopt; }
  /// Magnitude of the largest force, energy/length.
  virtual double largest_force() = 0;
  /// When the atoms are reordered; nullopt: never.
  virtual std::optional<ReorderInterval> reordering() const = 0;
  /// Adds to a state what an executor for other atoms or terms continues with: the integrator's internal state, the
  /// bookings, and what force terms have kept.
  virtual void add_carried_to(RunState& state) = 0;
  /// Adds to a state what is needed to continue bitwise identically, including what add_carried_to() adds.
  virtual void add_to(RunState& state) = 0;
  /// Lets the following steps find their pairs by this method, on the same processor. Throws InputError if the method
  /// does not suit the droplet, and DeviceError if there is too little memory; another method must then be used, which
  /// may be the previous one.
  virtual void use(const Method& method) = 0;
};

/// Constructs the executor for the method's processor. All arguments except the method must outlive it. Throws
/// DeviceError if a GPU has too little memory.
std::unique_ptr<Executor> make_executor(System& system, const RunSettings& config, const Method& method,
                                        std::size_t n_dof, Timings& timings);

}  // namespace dropmd
