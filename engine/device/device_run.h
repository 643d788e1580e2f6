#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "core/run/run_settings.h"
#include "core/run/run_state.h"
#include "engine/device/device_arrays.h"
#include "engine/device/ordering/reorder_interval.h"
#include "engine/force_field.h"
#include "engine/model/system.h"
#include "engine/step/step_wants.h"
#include "neighbor/clusters/cluster_labels.h"

namespace dropmd {

/// A run whose state is on a GPU, which performs steps without the host. engine/step/one_step.h defines a step. Between
/// start() and finish(), while steps are being performed, only download() may be called, and only after keep().
class DeviceRun {
 public:
  virtual ~DeviceRun() = default;

  /// Copies the state of a complete step to the device and computes its forces there; waits. Returns false if a force
  /// is beyond the range of the device, so that no step is possible from there.
  virtual bool upload(const Particles& particles, std::int64_t step) = 0;

  /// Lets force terms begin with what the same terms had kept for other atoms (RunState::term_states), such as where a
  /// mesh lies, if it suits the positions. To be called before upload().
  virtual void begin_with(std::span<const std::vector<double>> term_states) = 0;

  /// The result of finish().
  struct Progress {
    std::int64_t step;    ///< last complete step
    bool broken = false;  ///< physics broke in the next step; the state is that of `step`
    double seconds = 0;   ///< device time of the steps, if it was requested
    /// Energies of `step`, with the kinetic energy, if they were requested and nothing broke.
    std::optional<ForceField::Result> energies{};
  };
  /// Enqueues a copy of the last complete step on the device, which download() reads while the steps after it are
  /// performed; to be called just before start().
  virtual void keep() = 0;
  /// Starts the steps up to `last`; the caller may do other work meanwhile. The call itself waits for the steps up to
  /// the last reordering of atoms or measurement of the force scale among them and, with a neighbour structure, for
  /// those before the last recentring. Returns whether the steps up to wants.next are also under way: these must then
  /// be started next, with the same request for energies, unless finish() says that physics broke. Before that, only
  /// download() of a kept step may be called.
  virtual bool start(std::int64_t last, const StepWants& wants) = 0;
  /// Returns the last step up to which start() would not wait. Only between steps.
  virtual std::int64_t starts_freely_until() const = 0;
  /// Waits for the steps that were started; fewer were performed if physics broke.
  virtual Progress finish() = 0;
  /// start() and finish() in one call.
  Progress advance(std::int64_t last, bool energies) {
    start(last, {.energies = energies, .time = true});
    return finish();
  }

  /// Copies positions, velocities and force [n_atoms][3] of the last complete step, in the order of Particles. While
  /// steps are being performed, it copies those of the step that was kept.
  virtual void download(Particles& particles, std::span<Vec3<double>> force) = 0;

  /// Returns the arrays of the atoms, without an owner; they stay where they are as long as the run exists. Only
  /// between steps.
  virtual DeviceArrays arrays() const = 0;

  /// Returns the slow part of the force of the last complete step, an outer step (core/outer_steps.h), [n_atoms][3] in
  /// the order of Particles; empty if no force is slow. Only between steps.
  virtual std::vector<Vec3<double>> slow_force() = 0;

  /// Returns the integrator's internal state (Integrator::internal_state()). Only between steps.
  virtual std::vector<double> internal_state() = 0;
  /// Sets the integrator's internal state. Only between steps.
  virtual void load_internal_state(std::span<const double> internal_state) = 0;

  /// Returns what the force terms have kept (RunState::term_states). Only between steps.
  virtual std::vector<std::vector<double>> term_states() const = 0;

  /// Returns the energy that baths and actions gave to each atom; empty in a run without such causes. Only between
  /// steps.
  virtual Bookings bookings() = 0;
  /// Continues from these bookings; a cause without bookings begins at zero.
  virtual void set_bookings(const Bookings& bookings) = 0;

  /// Returns when the atoms are reordered next. Only between steps.
  virtual ReorderInterval reordering() const = 0;
  /// Sets when the atoms are reordered next, to continue with the interval of another run of the same configuration. To
  /// be called before upload(), which reorders the atoms.
  virtual void set_reordering(const ReorderInterval& reordering) = 0;

  /// Waits for all work on the device, also after a failure.
  virtual void settle() noexcept = 0;

  /// Adds to a state what is needed to continue bitwise identically from it. Only between steps.
  virtual void add_to(RunState& state) = 0;
  /// Continues bitwise identically from a complete step, instead of upload(); waits. Returns false, and does nothing,
  /// if the state is of a run that found its pairs or stored its forces in another way.
  virtual bool resume_from(const Particles& particles, const RunState& state) = 0;

  /// Takes over Particles::groups; n_dof: degrees of freedom of the atoms in the bath. Only between steps; waits.
  virtual void set_groups(const Particles& particles, std::size_t n_dof) = 0;
  /// Returns the labels of cluster_labels() for the last complete step. links: the same in all calls. Only between
  /// steps; waits.
  virtual std::vector<std::uint32_t> cluster_labels(const ClusterLinks& links) = 0;

  /// Returns the energies of the last complete step, with the kinetic energy.
  virtual ForceField::Result energies() = 0;
  /// Returns the magnitude of the largest force of the last complete step, energy/length.
  virtual double largest_force() = 0;

  /// Returns a text for the user: how the GPUs of a run on several add up their forces, or why one of them performs all
  /// steps; empty: the run is on one.
  virtual std::string describe_peers() const { return why_alone_; }
  /// Sets why one of several GPUs performs all steps.
  void set_why_alone(std::string why) { why_alone_ = std::move(why); }

  /// Returns whether a persistent kernel can perform the steps of such a run: on several GPUs of a process, or on the
  /// first one alone, which then performs them, since choices must not depend on the number of GPUs.
  static bool may_be_persistent(const System& system, const RunSettings& config, const Method& method);
  /// The same for a run on a share of a GPU, which may also use other kernels that stay on their multiprocessors.
  static bool may_stay_on_share(const System& system, const RunSettings& config, const Method& method);

 private:
  std::string why_alone_;
};

/// Constructs a run on the GPU; null if the method is not one of a GPU, or if there are no atoms. Throws DeviceError,
/// with the bytes needed and free, if there is too little memory.
std::unique_ptr<DeviceRun> make_device_run(const System& system, const RunSettings& config, const Method& method,
                                           std::size_t n_dof);

}  // namespace dropmd
