#pragma once

#include <span>
#include <vector>

#include "core/execution.h"
#include "neighbor/cell_grid.h"

namespace dropmd {

/// The frame of a cell's atoms: the middle of their box, which in a cell much larger than the droplet is nearer to them
/// than the middle of the cell.
struct CellFrame {
  Vec3<double> centre{};
  double extent = 0;  ///< largest |coordinate − centre| along an axis
};

/// Frames of all cells. Centres are multiples of `step`; coordinates that are not finite do not count.
std::vector<CellFrame> cell_frames(Cpu cpu, const CellGrid& grid, std::span<const Vec3<double>> position, double step);

}  // namespace dropmd
