#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "core/vec3.h"

namespace dropmd {

/// What a structure file says, nothing added. A vector that the file does not give is empty; the others have
/// position.size() elements.
struct Structure {
  std::string title;
  std::vector<Vec3<double>> position;
  std::vector<Vec3<double>> velocity;
  std::vector<double> charge;
  std::vector<double> mass;
  std::vector<std::uint32_t> species;      ///< index into species_names
  std::vector<std::string> species_names;  ///< in order of first appearance
  std::optional<double> radius;            ///< the droplet's radius
  std::optional<double> time;
};

}  // namespace dropmd
