#pragma once

#include <cstdint>
#include <string>

#include "core/run/choices.h"

namespace dropmd {

/// How the steps after `step` find their pairs. Choices that follow clocks are part of what a run's bytes depend on:
/// the list of them, in order and from step 0 on, makes the same run again.
struct MethodChoice {
  std::int64_t step = 0;
  NeighborMethod neighbor = NeighborMethod::all_pairs;
  double skin = 0;                           ///< of what is kept, in the run's length unit; 0: nothing is
  double cell_share = 0;                     ///< edge of cells, as a share of cutoff and skin; 0: by rule, or no cells
  ListForm list_form = ListForm::automatic;  ///< of a GPU's pair list; automatic: by rule, or no such list

  friend bool operator==(const MethodChoice&, const MethodChoice&) = default;
};

/// Why a choice was made, or what was tried: a line beside the choices.
struct ChoiceComment {
  std::int64_t step = 0;
  std::string text;

  friend bool operator==(const ChoiceComment&, const ChoiceComment&) = default;
};

}  // namespace dropmd
