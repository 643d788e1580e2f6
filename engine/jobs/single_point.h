#pragma once

#include <string>
#include <vector>

#include "engine/force_field.h"
#include "engine/model/system.h"
#include "inputs/run_file/run_config.h"

namespace dropmd {

/// Energies and forces of a structure as it is: without recentring and velocities.
struct SinglePoint {
  Units units = kLjUnits;
  Method method;
  ForceField::Result result;
  std::vector<Vec3<double>> force;  ///< [n_atoms][3] in the order of the file, energy/length
  double max_force = 0;             ///< largest |F| of an atom, energy/length
  std::vector<std::string> warnings;
};

/// Reads the structure and evaluates it. Throws like a run.
SinglePoint single_point(const RunConfig& config);

/// Returns the ratio of pairs within the cutoff to candidate pairs; 1 without candidates.
double fraction_within_cutoff(const PairSums& pairs);

}  // namespace dropmd
