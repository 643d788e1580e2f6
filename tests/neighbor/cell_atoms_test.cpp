#include "neighbor/cells/cell_atoms.h"

#include <gtest/gtest.h>

#include <cmath>

#include "tests/support/random_droplets.h"

namespace dropmd {
namespace {

/// Frames so wide that fp32 has no digits for the quantum: the low-order part holds what the offset lacks.
TEST(CellAtoms, OffsetAndRestAreTheWholeInWideCells) {
  const ChargedAtoms atoms = uniform_atoms(1000, 400.0, 1);
  const PositionGrid positions = PositionGrid::for_contact_distance(1.12);
  const CellGrid grid(atoms.position, central_anchor(atoms.position, positions.origin_step), 100.0);
  const auto frames = cell_frames(Cpu{1}, grid, atoms.position, positions.origin_step);
  CellAtoms<float> local;
  local.assign(Cpu{1}, grid, frames, positions, atoms.position, atoms.charge, atoms.species);
  double widest = 0;
  for (std::size_t c = 0; c < grid.cells().size(); ++c) {
    widest = std::max(widest, frames[c].extent);
    for (std::uint32_t k = grid.cells()[c].begin; k < grid.cells()[c].end; ++k) {
      const LocalAtom<float>& a = local.atom()[k];
      const Vec3<float>& low_order = local.low_order()[k];
      const Vec3<double> whole = Vec3<double>{a.x, a.y, a.z} + Vec3<double>{low_order.x, low_order.y, low_order.z};
      // The low-order part of each component, at most half a digit of the offset, has the 24 bits of fp32.
      EXPECT_LE(norm(whole - (atoms.position[grid.order()[k]] - frames[c].centre)), 2 * frames[c].extent * 0x1p-48);
    }
  }
  EXPECT_GT(widest, std::ldexp(positions.quantum, 24)) << "no test of wide cells";
}

}  // namespace
}  // namespace dropmd
