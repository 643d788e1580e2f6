#pragma once

#include <string>
#include <vector>

#include "engine/force_field.h"
#include "engine/model/system.h"
#include "inputs/run_file/run_config.h"

namespace dropmd {

/// Energies and forces of a structure as it is: no recentring, no velocities.
struct SinglePoint {
  Units units = kLjUnits;
  Method method;
  ForceField::Result result;
  std::vector<Vec3<double>> force;  ///< [n_atoms][3], file order
  double max_force = 0;             ///< largest |F| of an atom
  std::vector<std::string> warnings;
};

/// Reads the structure and evaluates it. Throws like a run does.
SinglePoint single_point(const RunConfig& config);

/// Pairs within the cutoff over candidate pairs; 1 where there is none.
double fraction_within_cutoff(const PairSums& pairs);

}  // namespace dropmd
