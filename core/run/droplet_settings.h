#pragma once

#include <cstdint>
#include <optional>

namespace dropmd {

/// [droplet]: which molecules form the droplet, and what is written of it.
struct DropletSettings {
  std::optional<double>
      link_distance{};        ///< molecules with sites nearer than this link, length; nullopt: the usual one
  std::int64_t every = 1000;  ///< steps between labels
  std::optional<double> surface_tension{};  ///< N/m, for Rayleigh's limit of the charge; nullopt: not known
  /// Clusters whose centre is farther than the droplet's radius and this from the droplet's centre leave the run,
  /// length; nullopt: they stay.
  std::optional<double> remove_beyond{};

  std::int64_t profile_every = 0;  ///< steps between rows of profiles, a multiple of `every`; 0: none

  bool removes() const { return remove_beyond.has_value(); }
};

}  // namespace dropmd
