#pragma once

#include <cstdint>
#include <vector>

namespace dropmd {

/// Which atoms belong together. A molecule's id is that of the first of its atoms.
struct Topology {
  std::vector<std::uint32_t> molecule;  ///< [n_atoms] id of the molecule; empty: every atom is one of its own
};

}  // namespace dropmd
