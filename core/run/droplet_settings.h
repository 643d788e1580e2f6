#pragma once

#include <cstdint>
#include <optional>

#include "core/units.h"

namespace dropmd {

/// [droplet]: which molecules form the droplet, and what is written about it.
struct DropletSettings {
  std::optional<double>
      link_distance{};        ///< molecules with sites nearer than this link, length; nullopt: the usual one
  std::int64_t every = 1000;  ///< steps between labels
  std::optional<double> surface_tension{};  ///< N/m, for Rayleigh's limit of the charge; nullopt: not known
  /// Clusters leave the run if their centre is farther from the droplet's centre than the droplet's radius plus this
  /// length; nullopt: they stay.
  std::optional<double> remove_beyond{};

  std::int64_t profile_every = 0;  ///< steps between rows of profiles, a multiple of `every`; 0: none

  bool removes() const { return remove_beyond.has_value(); }
};

/// The distance below which sites link unless a user sets it: 3.5 Å, or 1.5 σ in units lj, where σ is 1.
constexpr double usual_link_distance(UnitSystem units) { return units == UnitSystem::real ? 3.5 : 1.5; }
/// Returns the link distance of the settings, length.
inline double link_distance(const DropletSettings& settings, UnitSystem units) {
  return settings.link_distance.value_or(usual_link_distance(units));
}

}  // namespace dropmd
