#pragma once

#include <cstdint>

namespace dropmd {

/// The outer steps of a run with slow forces (r-RESPA: Tuckerman, Berne and Martyna, J. Chem. Phys. 97, 1990, 1992),
/// from step 0. Slow forces are computed only at these steps and act as impulses: in the two half kicks beside an outer
/// step they count `every` times. If `every` is 1, every step is an outer step and no force is slow.
struct OuterSteps {
  std::int64_t every = 1;  ///< steps between outer steps

  /// Whether there are steps without slow forces.
  bool has_inner() const { return every > 1; }
  /// Whether a step, or an interval in steps, is a multiple of `every`.
  bool divide(std::int64_t steps) const { return steps % every == 0; }
  /// Returns the first outer step that is not before a step.
  std::int64_t from(std::int64_t step) const { return step + (every - step % every) % every; }
};

}  // namespace dropmd
