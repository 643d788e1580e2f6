#pragma once

#include <cstdint>
#include <span>

#include "core/particles.h"
#include "core/run/energies.h"

namespace dropmd {

struct ClusterLinks;

/// The state after a step, checked and complete: positions, velocities and forces of the same step.
struct Snapshot {
  std::int64_t step;                    ///< number of the step
  double time;                          ///< in the run's time unit; 0 for minimisers
  const Particles& particles;           ///< of an earlier step if no observer requested the state
  std::span<const Vec3<double>> force;  ///< [n_atoms][3] in the order of particles, energy/length
  const EnergyRow* energies;            ///< null if no observer requested them
  /// Labels of clusters (neighbor/clusters/cluster_labels.h); empty if no observer requested them.
  std::span<const std::uint32_t> labels{};
};

/// Observes the run without changing it: an output, a display, a test.
class Observer {
 public:
  virtual ~Observer() = default;
  /// The observer sees the steps divisible by this number, and may see others. Between them a GPU runs without the
  /// host.
  virtual std::int64_t every() const { return 1; }
  /// Is called when a step that observers will see is complete, before anything else is asked about it, so that an
  /// observer whose requests depend on a clock decides here, once. It is not called for steps that a GPU has already
  /// left because no observer wanted anything but energies there.
  virtual void reached(std::int64_t step) { static_cast<void>(step); }
  /// Whether the observer needs positions, velocities or forces of this step.
  virtual bool wants_state(std::int64_t step) const {
    static_cast<void>(step);
    return true;
  }
  /// Whether the observer needs the energies of this step.
  virtual bool wants_energies(std::int64_t step) const = 0;
  /// The links of the clusters whose labels the observer needs at this step, the same at all steps; null: none. Only
  /// one observer may ask for labels.
  virtual const ClusterLinks* wants_labels(std::int64_t step) const {
    static_cast<void>(step);
    return nullptr;
  }
  /// Whether the observer may end the run at this step: later steps then wait until it has seen this one.
  virtual bool may_end_run(std::int64_t step) const {
    static_cast<void>(step);
    return false;
  }
  /// Is called with each step that the observer sees.
  virtual void observe(const Snapshot& snapshot) = 0;
  /// Is called when the system gets other atoms, or other force terms, after the last observed step.
  virtual void system_changed() {}
  /// Is called once after the last step of a run that was not ended by an error. last: the last step, always with
  /// energies.
  virtual void finish(const Snapshot& last) { static_cast<void>(last); }
};

}  // namespace dropmd
