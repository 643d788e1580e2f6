#pragma once

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "core/particles.h"
#include "core/run/map_grid.h"

/// Maps for the tests of map files.
namespace dropmd {

/// A map with different counts and spacings, a negative origin, and distinct values of both signs from 1e-5 to 1e4.
inline PotentialMap sample_map(Vec3<std::int32_t> points, bool field = false) {
  PotentialMap map{.grid = {.origin = {-3.1, 0.7, -12.25}, .spacing = {0.5, 0.25, 1.0 / 3.0}, .points = points},
                   .unit = "kcal/mol/e",
                   .length = "A",
                   .title = "two ions, direct"};
  for (std::size_t p = 0; p < map.grid.n_points(); ++p) {
    const auto number = static_cast<double>(p);
    map.potential.push_back(std::sin(1 + number) * std::pow(10.0, static_cast<double>(p % 10) - 5));
    if (field) map.field.push_back({number, -number / 3, 1e-3 * number * number});
  }
  return map;
}

/// Counts of one, different counts, and counts that do not fill lines of three or six values.
inline const std::vector<Vec3<std::int32_t>>& sample_points() {
  static const std::vector<Vec3<std::int32_t>> points{{1, 1, 1}, {1, 2, 3}, {7, 5, 3}, {2, 3, 13}, {17, 1, 6}};
  return points;
}

inline Particles two_ions() {
  Particles ions;
  ions.position = {{-1.5, 0, 2.25}, {10.0, -0.125, 0}};
  ions.velocity.resize(2);
  ions.mass = {22.99, 35.45};
  ions.charge = {1.0, -0.5};
  ions.species = {1, 0};
  ions.species_names = {"Cl", "Na"};
  return ions;
}

}  // namespace dropmd
