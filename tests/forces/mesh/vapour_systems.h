#pragma once

#include <cmath>
#include <cstddef>

#include "tests/forces/mesh/mesh_systems.h"

namespace dropmd {

/// Returns a cubic droplet of n charges of water, and ions of both signs at random places between it and ten times its
/// radius.
inline Particles droplet_with_vapour(std::size_t n, std::size_t n_vapour) {
  ChargesForMesh charges(11);
  charges.add_water(n);
  const double droplet = std::cbrt(3 * static_cast<double>(n) / (4 * 3.1416 * 0.1)), radius = 10 * droplet;
  for (std::size_t k = 0; k < n_vapour;) {
    const Vec3<double> x{charges.uniform(-radius, radius), charges.uniform(-radius, radius),
                         charges.uniform(-radius, radius)};
    if (norm(x) > radius || norm(x) < 1.3 * droplet) continue;
    charges.add(x, k++ % 2 == 0 ? 0.8 : -0.8);
  }
  return charges.take();
}

}  // namespace dropmd
