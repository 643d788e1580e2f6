#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "core/particles.h"

namespace dropmd {

/// What `dropmd generate droplet` builds; lengths in the units of the later run.
struct DropletRecipe {
  enum class Lattice { fcc, sc, random };
  enum class Charges { alternating, random, none };

  std::optional<std::size_t> atoms;  ///< exactly one of atoms and radius
  std::optional<double> radius;
  double density = 0.07;  ///< atoms per volume
  Lattice lattice = Lattice::sc;
  double min_distance = 0;  ///< random lattice only; 0: 0.8 of the mean spacing
  double charge = 0.2;      ///< magnitude
  Charges charges = Charges::alternating;
  double disorder = 0;       ///< each coordinate is moved by up to this
  double vapour = 0;         ///< share of `atoms` that are at random places round the droplet, below 1
  double vapour_radius = 0;  ///< of the sphere that holds them; more than the droplet's
  std::uint64_t seed = 1;
};

struct Droplet {
  Particles particles;  ///< positions, one species and, unless the recipe wants none, charges; nothing else is known
  double radius = 0;    ///< of the droplet at this density, or of the vapour; at least that of the outermost atom
};

/// A ball of atoms around the origin. The same recipe gives the same bytes on the same system. Throws InputError where
/// atoms do not fit (random lattice).
Droplet generate_droplet(const DropletRecipe& recipe);

}  // namespace dropmd
