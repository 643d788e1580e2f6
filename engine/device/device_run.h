#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "core/run/run_settings.h"
#include "core/run/run_state.h"
#include "engine/device/reorder_interval.h"
#include "engine/force_field.h"
#include "engine/model/system.h"

namespace dropmd {

/// A run whose state lies on a GPU: steps are made there without the host. One step is what engine/step/one_step.h
/// says. While steps are being made, between start() and finish(), only download() may be called.
class DeviceRun {
 public:
  virtual ~DeviceRun() = default;

  /// Copies the state of a complete step to the device and computes its forces there; waits. False if a force is
  /// beyond what the device can hold: no step can then be made from there.
  virtual bool upload(const Particles& particles, std::int64_t step) = 0;

  struct Progress {
    std::int64_t step;    ///< last complete step
    bool broken = false;  ///< the step after it cannot be made: physics broke; the state is that of `step`
    double seconds = 0;   ///< of the device, for the steps
    std::optional<ForceField::Result> energies{};  ///< of `step`, kinetic included; where wanted and not broken
  };
  /// Starts the steps up to `last`; the caller may do something else while they are made. It waits for those up to the
  /// last sorting or look at the scale of the forces among them, and with a search for those before the last
  /// recentring.
  virtual void start(std::int64_t last, bool energies) = 0;
  /// Waits for the steps that were started; fewer were made if physics broke.
  virtual Progress finish() = 0;
  Progress advance(std::int64_t last, bool energies) {
    start(last, energies);
    return finish();
  }

  /// Positions and velocities, and force [n_atoms][3], of the last complete step in file order: while steps are being
  /// made, of the one before them.
  virtual void download(Particles& particles, std::span<Vec3<double>> force) = 0;

  /// The integrator's internal state (Integrator::internal_state()); between steps.
  virtual std::vector<double> internal_state() = 0;
  virtual void load_internal_state(std::span<const double> internal_state) = 0;

  /// What baths and actions gave to each atom; between steps. Nothing in a run into which no energy comes.
  virtual Bookings bookings() = 0;
  /// Goes on from these; from zero with a cause of which there are none.
  virtual void set_bookings(const Bookings& bookings) = 0;

  /// When the atoms are sorted next; between steps. To be set before upload(), which sorts them, in another run of the
  /// same configuration: it then goes on at the same interval.
  virtual ReorderInterval reordering() const = 0;
  virtual void set_reordering(const ReorderInterval& reordering) = 0;

  /// Adds to a state what it takes to go on with the same bytes; between steps.
  virtual void add_to(RunState& state) = 0;
  /// Goes on from a complete step with the same bytes, instead of upload(); waits. False: the state is of a run that
  /// found its pairs in another way, or holds its forces in another form; nothing was done.
  virtual bool go_on_from(const Particles& particles, const RunState& state) = 0;

  /// Of the last complete step, kinetic included.
  virtual ForceField::Result energies() = 0;
  virtual double largest_force() = 0;

  /// Whether a persistent kernel can make the steps of such a run.
  static bool may_be_persistent(const System& system, const RunSettings& config, const Method& method);
};

/// Null where the method is not a GPU's, or there are no atoms. Throws DeviceError, with bytes needed and free where
/// memory is too little.
std::unique_ptr<DeviceRun> make_device_run(const System& system, const RunSettings& config, const Method& method,
                                           std::size_t n_dof);

}  // namespace dropmd
