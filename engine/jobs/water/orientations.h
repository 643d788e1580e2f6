#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "core/vec3.h"
#include "engine/jobs/water/fcc_ball.h"
#include "inputs/water/water_model.h"

namespace dropmd {

/// A molecule at a site of the lattice: its oxygen, or an ion.
struct WaterSite {
  Vec3<double> position;
  double ion_charge = 0;  ///< e; 0: a water
};

/// Returns the atoms of the waters relative to their oxygens, [sites][model.size()] in the order of
/// WaterModel::geometry(); those of ions are zero. Waters are oriented at random and then rotated, one after another,
/// where that lowers the Coulomb energy with the neighbours, so that most hydrogens point to an oxygen.
std::vector<Vec3<double>> orient_waters(const WaterModel& model, const FccBall& ball, std::span<const WaterSite> sites,
                                        std::uint64_t seed);

}  // namespace dropmd
