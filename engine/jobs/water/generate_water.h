#pragma once

#include <cstddef>
#include <cstdint>

#include "core/particles.h"
#include "core/topology/atom_names.h"
#include "inputs/water/water_topology.h"

namespace dropmd {

/// Density of liquid water at 300 K and 1 bar, g/cm³.
inline constexpr double kLiquidDensity = 0.997;
/// Denser droplets cannot be generated; 1 is the liquid's density.
inline constexpr double kLargestRelativeDensity = 1.05;

/// Returns the radius in Å of a sphere of so many molecules at the liquid's density; an ion takes the room of a water.
double liquid_radius(double molecules);
/// Returns the number of molecules in a sphere of the liquid.
double liquid_molecules(double radius);

/// The droplet that `dropmd generate water` builds.
struct WaterRecipe {
  WaterComposition composition;  ///< at least one water
  double radius = 0;             ///< Å; relative density at most kLargestRelativeDensity
  std::uint64_t seed = 1;
};

/// The result of generate_water(), in the order of the composition.
struct GeneratedWater {
  Particles particles;  ///< positions (Å), charges (e), masses (g/mol), species; nothing else is set
  AtomNames names;
};

/// Returns a droplet around the origin: oxygens and ions on a face-centred cubic lattice with a small disorder, waters
/// turned so that hydrogens point to oxygens (engine/jobs/water/orientations.h), ions deep inside and far from each
/// other. Neighbouring oxygens are 3.1 Å apart or more, so that nothing overlaps. The same recipe gives bitwise
/// identical results.
GeneratedWater generate_water(const WaterRecipe& recipe);

}  // namespace dropmd
