#pragma once

#include <cstdint>
#include <optional>

#include "engine/actions/action.h"
#include "engine/device/device_run.h"
#include "engine/device/ordering/reorder_interval.h"
#include "forces/pair/pair_forces.h"

namespace dropmd {

/// Performs those steps of a run on a GPU that need only the integrator and forces: GeneralSteps for every run, or an
/// accelerated implementation for those that it suits. No function waits unless stated. After start_reading() and a
/// wait the host knows the results of the last energies and steps.
class StepMaker {
 public:
  virtual ~StepMaker() = default;

  /// Returns what the order of the atoms in memory is used for.
  virtual OrderUse order_use() const = 0;
  /// Returns whether make() performs such an action within its steps; otherwise the stages of a step at which the
  /// action is due are launched one by one.
  virtual bool supports(const Action& action) const = 0;
  /// To be called when the atoms have changed places in memory, or were replaced by those of another step.
  virtual void reordered() = 0;
  /// Sets the anchor, a point near most of the atoms, for everything from now on.
  virtual void set_anchor(const Vec3<double>& anchor) = 0;

  /// Performs the steps from the complete step `from` to the later step `to`, and computes its sums and energies if
  /// requested.
  virtual void make(std::int64_t from, std::int64_t to, bool energies) = 0;
  /// The two stages of a step that compute forces, for positions that no kept data matches: the tiles are not filled,
  /// or the order is new. With a neighbour structure refresh() waits.
  virtual void refresh() = 0;
  virtual void add_terms(std::int64_t step) = 0;
  /// add_terms() with the scale that fits these forces, in which the forces of later steps are then summed; waits. The
  /// sums must be zero.
  virtual void add_terms_in_fitting_scale(std::int64_t step) = 0;
  /// Computes the sums over the atoms and the energies of the complete step.
  virtual void sum_energies(std::int64_t step) = 0;

  /// Starts a copy of the results to the host.
  virtual void start_reading() const = 0;
  /// Returns the energies that were read, with the kinetic energy.
  virtual ForceField::Result energies_read() const = 0;

  /// Clears a fault, in stream order; to be called while no steps are being performed.
  virtual void clear_fault() = 0;
  /// Returns, after a wait, whether a step performed by make() had a fault; nullopt: only the error record shows it.
  virtual std::optional<bool> faulty() const = 0;
  /// Returns the first step that make() could not perform, if it keeps a record of it; waits.
  virtual std::optional<std::int64_t> fault_step() const = 0;
};

}  // namespace dropmd
