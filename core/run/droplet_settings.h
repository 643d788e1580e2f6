#pragma once

#include <cstdint>
#include <optional>

namespace dropmd {

/// [droplet]: which molecules form the droplet, and what is written of it.
struct DropletSettings {
  std::optional<double> link_distance;  ///< molecules with sites nearer than this link, length; nullopt: the usual one
  std::int64_t every = 1000;            ///< steps between labels
  std::optional<double> surface_tension;  ///< N/m, for Rayleigh's limit of the charge; nullopt: not known
};

}  // namespace dropmd
