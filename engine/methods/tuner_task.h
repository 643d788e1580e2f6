#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "core/run/choices.h"

namespace dropmd {

/// A method to be tried, with the edge of its cells or the form of its list.
struct TunerMethod {
  NeighborMethod neighbor = NeighborMethod::all_pairs;
  double skin = 0;        ///< initial skin; 0: the method keeps nothing
  double cell_share = 0;  ///< as in MethodChoice, and so is list_form
  ListForm list_form = ListForm::automatic;
};

/// What a run lets a tuner choose from.
struct TunerTask {
  std::int64_t steps = 0;  ///< last step of the run
  std::size_t n_atoms = 0;
  /// At least one; the run begins with the first. If edges or forms are open, several methods have the same word: those
  /// after the first of them are tried if that one may win.
  std::vector<TunerMethod> methods;
  double shortest_skin = 0;  ///< limits of the skins that are tried; both 0: skins are given
  double longest_skin = 0;
  double cutoff = 0;  ///< of methods with cells; for the log
  std::string length_unit;

  bool skins_are_open() const { return longest_skin > shortest_skin; }
};

}  // namespace dropmd
