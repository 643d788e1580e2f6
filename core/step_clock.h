#pragma once

#include <cstdint>

#include "core/macros.h"

namespace dropmd {

/// How far a step of atoms on a GPU has come: kernels in a graph of steps do nothing when it is not their turn. It is a
/// single word, so that it is read and written whole.
class StepClock {
 public:
  enum Phase : std::uint64_t {
    complete = 0,          ///< the step is complete
    at_new_positions = 1,  ///< positions are those of the new step, velocities are not yet
    finished = 2,          ///< velocities are those of the new step, except for the coupling update
  };

  StepClock() = default;
  DROPMD_HOST_DEVICE StepClock(std::uint64_t step, Phase phase) : word_(4 * step + phase) {}

  /// Number of the step.
  DROPMD_HOST_DEVICE std::uint64_t step() const { return word_ / 4; }
  /// Progress within the step.
  DROPMD_HOST_DEVICE Phase phase() const { return static_cast<Phase>(word_ % 4); }
  /// Whether positions, but not yet velocities, are those of the step.
  DROPMD_HOST_DEVICE bool moved() const { return phase() == at_new_positions; }
  friend DROPMD_HOST_DEVICE bool operator==(const StepClock& a, const StepClock& b) { return a.word_ == b.word_; }

 private:
  std::uint64_t word_ = 0;
};

}  // namespace dropmd
