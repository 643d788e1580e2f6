#pragma once

#include <cstdint>
#include <span>

#include "core/particles.h"
#include "core/run/energies.h"

namespace dropmd {

/// The state after a step, checked and complete: positions, velocities and forces of the same moment.
struct Snapshot {
  std::int64_t step;
  double time;
  const Particles& particles;           ///< of an earlier step where no observer wanted the state
  std::span<const Vec3<double>> force;  ///< [n_atoms][3], as particles
  const EnergyRow* energies;            ///< null where no observer wanted them
};

/// Something that looks at the run without changing it: an output, a display, a test.
class Observer {
 public:
  virtual ~Observer() = default;
  /// The observer sees the steps divisible by this, and may see others. Between them a GPU runs without the host.
  virtual std::int64_t every() const { return 1; }
  /// A step is complete that observers are going to see: told before anything else is asked about it, so that an
  /// observer whose wishes depend on a clock decides here, once.
  virtual void reached(std::int64_t step) { static_cast<void>(step); }
  /// Whether the observer looks at positions, velocities or forces of this step.
  virtual bool wants_state(std::int64_t step) const {
    static_cast<void>(step);
    return true;
  }
  /// Whether the observer wants the energies of this step.
  virtual bool wants_energies(std::int64_t step) const = 0;
  /// Whether the observer may end the run at this step: the steps after it then wait until it has seen this one.
  virtual bool may_end_run(std::int64_t step) const {
    static_cast<void>(step);
    return false;
  }
  virtual void observe(const Snapshot& snapshot) = 0;
  /// After the step that was observed last, the system has other atoms.
  virtual void population_changed() {}
  /// Once, after the last step of a run that was not broken off by an error.
  /// `last`: the last step, always with energies.
  virtual void finish(const Snapshot& last) { static_cast<void>(last); }
};

}  // namespace dropmd
