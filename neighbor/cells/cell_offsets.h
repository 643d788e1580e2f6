#pragma once

#include <optional>
#include <vector>

#include "neighbor/cells/cell_index.h"

namespace dropmd {

/// Returns the smallest distance, in cell edges, between two cells whose indices differ by n along one axis.
DROPMD_HOST_DEVICE inline double cell_gap(std::int64_t n) {
  if (n < 0) n = -n;
  return n > 1 ? static_cast<double>(n - 1) : 0.0;
}

/// Returns the offsets of all cells that may hold an atom closer than `distance` to an atom of the cell at the origin,
/// including that cell, in lexicographic order; nullopt if there were more than `limit` (the caller then visits the
/// occupied cells instead).
std::optional<std::vector<CellIndex>> offsets_within(double edge, double distance, std::size_t limit);

}  // namespace dropmd
