#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "core/vec3.h"

namespace dropmd {

/// Which atoms of a frame a picture shows.
struct ShownAtoms {
  std::vector<std::uint32_t> index;  ///< ascending
  std::string what;                  ///< in words, if not all are shown: "the surface: 31,000 of 200,000 atoms"
};

/// Chooses at most `most` atoms for a picture: all if there are no more; else those of the surface, which hide the
/// others: atoms in cubes next to an empty one. If these are too many as well, every second, third, ... of them.
/// position: [n_atoms][3]. among: indices of the atoms to choose from, ascending. edge: that of the cubes, length; a
/// few atoms should fit into one.
ShownAtoms choose_atoms(const std::vector<Vec3<double>>& position, std::vector<std::uint32_t> among, double edge,
                        std::size_t most);

}  // namespace dropmd
