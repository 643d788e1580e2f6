#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "core/execution.h"
#include "neighbor/cells/cell_grid.h"

namespace dropmd {

/// The frame of a cell's atoms. Its centre is the middle of their box, which in a cell much larger than the droplet is
/// nearer to them than the middle of the cell.
struct CellFrame {
  Vec3<double> centre{};
  double extent = 0;  ///< largest |coordinate − centre| along an axis, length
};

/// Returns the frame of some atoms, given by index. The centre is a multiple of `step`; coordinates that are not finite
/// are ignored.
CellFrame frame_of(std::span<const std::uint32_t> atoms, std::span<const Vec3<double>> position, double step);

/// Returns the frames of all cells.
std::vector<CellFrame> cell_frames(Cpu cpu, const CellGrid& grid, std::span<const Vec3<double>> position, double step);

}  // namespace dropmd
