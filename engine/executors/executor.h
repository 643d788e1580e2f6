#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <vector>

#include "core/run/run_settings.h"
#include "core/run/run_state.h"
#include "core/timings.h"
#include "engine/device/reorder_interval.h"
#include "engine/force_field.h"
#include "engine/methods/method.h"
#include "engine/model/system.h"
#include "integrators/integrator.h"

namespace dropmd {

/// Carries out the steps of a run on one processor. One step is what engine/step/one_step.h says; which steps are
/// looked at is the business of StepLoop. Positions and velocities of a complete step are brought to the system by
/// fetch(). While steps are being made, between start() and finish(), only fetch(), check() and force() may be called.
class Executor {
 public:
  using Result = ForceField::Result;

  struct Progress {
    bool broken = false;             ///< the step after step() cannot be made: see make_broken_step()
    double seconds = 0;              ///< of a GPU, for the steps
    std::optional<Result> energies;  ///< of the last step, kinetic included; where wanted and not broken
  };

  virtual ~Executor() = default;

  /// Step 0, of the atoms as they are in the system: all of a step but the integrator's parts. Returns what finish()
  /// does.
  virtual Progress begin(bool energies) = 0;
  /// Instead of begin(): continues from a complete step, whose positions and velocities the system has. alike: the
  /// steps before were made in the same way, so that those to come are to be bitwise identical with those of one run.
  virtual void resume(const RunState& state, bool alike) = 0;

  /// Starts the steps up to `last`, and the energies of that one where wanted.
  virtual void start(std::int64_t last, bool energies) = 0;
  /// Completes the steps that were started; fewer are made if physics broke. Throws PhysicsError.
  virtual Progress finish() = 0;
  /// After finish() said `broken`: makes the step that broke by other means, or throws PhysicsError, saying what is
  /// wrong.
  virtual Progress make_broken_step(bool energies) = 0;

  /// Whether steps go on beside the host between start() and finish().
  virtual bool runs_ahead() const = 0;
  /// At most so many steps may be started at once.
  virtual std::int64_t most_steps() const = 0;
  /// A minimiser is asked whether it is done at steps divisible by this, whatever else is looked at.
  virtual std::int64_t convergence_every() const = 0;

  /// The last complete step: the one that observers may see.
  virtual std::int64_t step() const = 0;
  virtual const Integrator& integrator() const = 0;
  double time() const { return static_cast<double>(step()) * integrator().timestep(); }

  /// Brings positions and velocities of that step to the system, and the forces to force(), [n_atoms][3], where they
  /// are not there yet. Throws PhysicsError where one of them is not finite.
  virtual void fetch() = 0;
  virtual const std::vector<Vec3<double>>& force() const = 0;
  /// Throws PhysicsError where the energies of that step are not finite.
  virtual void check(const Energies& energies) = 0;

  // Between steps:
  virtual Result energies() = 0;  ///< kinetic included
  virtual double largest_force() = 0;
  /// When the atoms are sorted; nothing where they never are.
  virtual std::optional<ReorderInterval> reordering() const = 0;
  /// Adds to a state what it takes to continue with the same bytes, the integrator's internal state included.
  virtual void add_to(RunState& state) = 0;
  /// The steps from here on find their pairs by this method, on the same processor. Throws InputError where it does not
  /// suit the droplet, DeviceError where it has no room; then another one is to be used, which may be the one before.
  virtual void use(const Method& method) = 0;
};

/// The executor for the method's processor. All but the method outlive it. Throws DeviceError where the memory of a GPU
/// is too little.
std::unique_ptr<Executor> make_executor(System& system, const RunSettings& config, const Method& method,
                                        std::size_t n_dof, Timings& timings);

}  // namespace dropmd
