#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "core/execution.h"
#include "neighbor/cells/cell_index.h"

namespace dropmd {

/// Returns the canonical spatial order: atoms sorted by the position of their cell on the Morton curve, atoms of one
/// cell by index. It depends on the cells alone, never on a previous order or on threads. Radix sort over the bits in
/// use: O(n).
///
/// cells: [n_atoms], n_atoms < 2³². Returns order[n_atoms]: order[k] is the atom at position k.
std::vector<std::uint32_t> spatial_order(std::span<const CellIndex> cells, Cpu cpu = {});

}  // namespace dropmd
