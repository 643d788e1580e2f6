#pragma once

#include <sstream>
#include <string>
#include <utility>

#include "core/run/map_grid.h"

namespace dropmd {

/// The map in an OpenDX file as outputs/maps/opendx.h writes it; its title is the lines of comment.
inline PotentialMap opendx_map(const std::string& text) {
  PotentialMap map;
  MapGrid& grid = map.grid;
  std::istringstream in(text);
  const auto skip = [&](int words) {
    for (std::string word; words > 0; --words) in >> word;
  };
  for (std::string line; in.peek() == '#' && std::getline(in, line);) map.title += line.substr(2);
  skip(5);
  in >> grid.points.x >> grid.points.y >> grid.points.z;
  skip(1);
  in >> grid.origin.x >> grid.origin.y >> grid.origin.z;
  skip(1);
  in >> grid.spacing.x;
  skip(4);
  in >> grid.spacing.y;
  skip(4);
  in >> grid.spacing.z;
  for (std::string word; word != "follows" && in >> word;) continue;
  map.potential.resize(grid.n_points());
  for (std::int32_t i = 0; i < grid.points.x; ++i)
    for (std::int32_t j = 0; j < grid.points.y; ++j)
      for (std::int32_t k = 0; k < grid.points.z; ++k) {
        std::string word;
        in >> word;
        map.potential[grid.number(i, j, k)] = std::stod(word);
      }
  return map;
}

}  // namespace dropmd
