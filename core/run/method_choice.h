#pragma once

#include <cstdint>
#include <string>

#include "core/run/choices.h"

namespace dropmd {

/// How the steps after `step` find their pairs. Choices that depend on measured times determine the bytes that a run
/// writes: replaying the list of them, in order from step 0, reproduces the run.
struct MethodChoice {
  std::int64_t step = 0;                                ///< number of the step from which the choice holds
  NeighborMethod neighbor = NeighborMethod::all_pairs;  ///< method
  double skin = 0;        ///< skin of the list that is kept, in the run's length unit; 0: no list is kept
  double cell_share = 0;  ///< edge of the cells as a fraction of cutoff + skin; 0: by rule, or no cells
  /// Of a GPU's pair list; automatic: by rule, or no such list.
  ListForm list_form = ListForm::automatic;

  friend bool operator==(const MethodChoice&, const MethodChoice&) = default;
};

/// Why a choice was made, or what was tried: a comment line beside the choices.
struct ChoiceComment {
  std::int64_t step = 0;
  std::string text;

  friend bool operator==(const ChoiceComment&, const ChoiceComment&) = default;
};

}  // namespace dropmd
