#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "core/vec3.h"

namespace dropmd {

/// Returns the sites of the ions, kind by kind, far from each other and from the surface.
///
/// sites: positions, nearest to the origin first, apart from small displacements; radius: of the droplet; counts:
/// number of ions of each kind. The first ion takes the site at the centre, each further one the site that is farthest
/// from all before it (Gonzalez 1985), and kinds alternate in proportion to their numbers, so that each is spread out
/// by itself. The sites to choose from are those deep enough inside, or twice as many as ions if that is more.
std::vector<std::uint32_t> ion_sites(std::span<const Vec3<double>> sites, double radius,
                                     std::span<const std::size_t> counts);

}  // namespace dropmd
