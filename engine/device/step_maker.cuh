#pragma once

#include <cstdint>
#include <optional>

#include "engine/actions/action.h"
#include "engine/device/device_run.h"
#include "engine/device/reorder_interval.h"
#include "forces/pair/pair_forces.h"

namespace dropmd {

/// Who makes the steps of a run on a GPU that need nothing but the integrator and forces: GeneralSteps for every run,
/// or an accelerator for those that it suits. Nothing here waits unless said. After start_reading() and a wait the host
/// knows what the last energies and steps gave.
class StepMaker {
 public:
  virtual ~StepMaker() = default;

  /// What the order of the atoms in memory is for.
  virtual OrderUse order_use() const = 0;
  /// Whether make() carries out such an action within its steps; else the stages of a step at which it is due are
  /// launched one by one.
  virtual bool supports(const Action& action) const = 0;
  /// For what is made from now on: near most of the atoms.
  virtual void set_anchor(const Vec3<double>& anchor) = 0;

  /// From the complete step `from` to a later one, `to`, and its sums and energies where wanted.
  virtual void make(std::int64_t from, std::int64_t to, bool energies) = 0;
  /// The two stages of a step that compute forces, where positions are new to everything that is kept: not filled into
  /// tiles, or in a new order. With a search refresh() waits.
  virtual void refresh() = 0;
  virtual void add_terms(std::int64_t step) = 0;
  /// add_terms() in the scale that fits these forces, in which those of later steps are then summed; waits. The sums
  /// are clear.
  virtual void add_terms_in_fitting_scale(std::int64_t step) = 0;
  /// Sums over the atoms and energies of the complete step.
  virtual void sum_energies(std::int64_t step) = 0;

  virtual void start_reading() const = 0;
  /// As they were read: energies, kinetic included.
  virtual ForceField::Result energies_read() const = 0;

  /// Forgets a fault, in stream order.
  virtual void clear_fault() = 0;
  /// The first step that make() could not make, where it has a record of its own; waits.
  virtual std::optional<std::int64_t> fault_step() const = 0;
};

}  // namespace dropmd
