#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "core/execution.h"
#include "neighbor/cells/cell_grid.h"

namespace dropmd {

/// The frame of a cell's atoms: the middle of their box, which in a cell much larger than the droplet is nearer to them
/// than the middle of the cell.
struct CellFrame {
  Vec3<double> centre{};
  double extent = 0;  ///< largest |coordinate − centre| along an axis
};

/// The frame of some atoms, by their numbers. The centre is a multiple of `step`; coordinates that are not finite do
/// not count.
CellFrame frame_of(std::span<const std::uint32_t> atoms, std::span<const Vec3<double>> position, double step);

/// Frames of all cells.
std::vector<CellFrame> cell_frames(Cpu cpu, const CellGrid& grid, std::span<const Vec3<double>> position, double step);

}  // namespace dropmd
