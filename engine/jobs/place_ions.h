#pragma once

#include <vector>

#include "core/particles.h"
#include "engine/jobs/map_job.h"

namespace dropmd {

/// Ions to be placed in a droplet, one by one.
struct IonRecipe {
  double charge = 1;
  std::size_t count = 0;
  double distance = 5;      ///< smallest distance from any atom, length
  double ion_distance = 5;  ///< smallest distance from any other ion, length
};

/// An ion at its place.
struct PlacedIon {
  Vec3<double> position;
  double potential;  ///< at its place before it was added, energy per charge
};

/// Places each ion at the grid point where its energy in the potential of the atoms and of the previous ions is lowest,
/// as VMD's cionize does: a positive ion at the minimum of the potential, a negative one at its maximum. Of equal
/// points the first is taken. progress: of the map of the atoms. Throws InputError if no point is far enough from all
/// atoms and ions, or as map_grid(); throws MapStopped.
std::vector<PlacedIon> place_ions(const Method& method, const MapChoices& choices, const Units& units,
                                  const Particles& atoms, const IonRecipe& recipe, const MapProgress& progress = {});

}  // namespace dropmd
