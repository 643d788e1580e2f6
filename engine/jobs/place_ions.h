#pragma once

#include <vector>

#include "core/particles.h"
#include "engine/jobs/map_job.h"

namespace dropmd {

/// Ions to be put into a droplet, one by one.
struct IonRecipe {
  double charge = 1;
  std::size_t count = 0;
  double distance = 5;      ///< from any atom, at least; length
  double ion_distance = 5;  ///< from any other ion, at least
};

struct PlacedIon {
  Vec3<double> position;
  double potential;  ///< at its place before it was there, energy per charge
};

/// Puts each ion at the grid point where its energy in the potential of the atoms and of the ions before it is lowest,
/// as VMD's cionize does: a positive one at the potential's minimum, a negative one at its maximum. Of equal points the
/// first counts. progress: of the map of the atoms. Throws InputError where no point is far enough from all atoms and
/// ions, or as map_grid(), MapStopped.
std::vector<PlacedIon> place_ions(const Method& method, const MapChoices& choices, const Units& units,
                                  const Particles& atoms, const IonRecipe& recipe, const MapProgress& progress = {});

}  // namespace dropmd
