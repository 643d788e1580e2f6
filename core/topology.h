#pragma once

#include <cstdint>
#include <vector>

namespace dropmd {

/// Which atoms belong together. The id of a molecule is the id of its first atom.
struct Topology {
  /// [n_atoms] id of the molecule; empty: every atom is a molecule of its own.
  std::vector<std::uint32_t> molecule;
};

}  // namespace dropmd
