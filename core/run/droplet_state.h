#pragma once

#include <cstdint>
#include <vector>

namespace dropmd {

/// What a run's labels of clusters so far pass on to later ones.
struct DropletState {
  std::vector<std::uint32_t> members;  ///< ids of the molecules that count as the droplet's, ascending
  std::vector<double> profile{};       ///< DropletProfile::numbers(); empty: there is none

  friend bool operator==(const DropletState&, const DropletState&) = default;
};

}  // namespace dropmd
