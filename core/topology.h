#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

namespace dropmd {

/// Which atoms belong together.
struct Topology {
  std::vector<std::uint32_t> molecule;  ///< [n_atoms] id of the molecule; empty: every atom is one of its own
};

}  // namespace dropmd
