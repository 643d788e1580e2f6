#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "core/particles.h"

namespace dropmd {

/// The droplet that `dropmd generate droplet` builds; lengths are in the units of the later run.
struct DropletRecipe {
  enum class Lattice { fcc, sc, random };
  enum class Charges { alternating, random, none };

  std::optional<std::size_t> atoms;  ///< exactly one of atoms and radius is given
  std::optional<double> radius;
  double density = 0.07;  ///< atoms per volume
  Lattice lattice = Lattice::sc;
  double min_distance = 0;  ///< random lattice only; 0: 0.8 of the mean spacing
  double charge = 0.2;      ///< magnitude
  Charges charges = Charges::alternating;
  double disorder = 0;       ///< largest displacement of each coordinate
  double vapour = 0;         ///< fraction of `atoms` at random positions around the droplet, below 1
  double vapour_radius = 0;  ///< radius of the sphere that contains them; larger than the droplet's
  std::uint64_t seed = 1;
};

/// The result of generate_droplet().
struct Droplet {
  /// Positions, one species and, unless the recipe has none, charges; nothing else is set.
  Particles particles;
  /// Of the droplet at this density, or of the vapour; at least that of the outermost atom.
  double radius = 0;
};

/// Returns a ball of atoms around the origin. The same recipe gives bitwise identical results on the same system.
/// Throws InputError if the atoms do not fit (random lattice).
Droplet generate_droplet(const DropletRecipe& recipe);

}  // namespace dropmd
