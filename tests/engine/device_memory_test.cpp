#include "engine/device_run.h"

#include <gtest/gtest.h>

#include "tests/support/fcc_ball.h"
#include "tests/support/short_run.h"

/// The memory that a run on a GPU is said to need; no GPU is needed to say it.
namespace dropmd {
namespace {

std::uint64_t bytes_of(const ChargedAtoms& atoms, double cutoff, NeighborMethod neighbor) {
  RunConfig config = lj_run(verlet(0.002), 1);
  config.lennard_jones->treatment = {"force-shift", {{"cutoff", cutoff}}};
  const System system = build_system(config, structure_of(atoms));
  Method method = fp64_method(1, neighbor);
  method.backend = Backend::cuda;
  return DeviceRun::bytes(system, method);
}

/// Cells of 12 hold up to some 1,700 atoms of the crystal, an eighth of that when it is spread to twice its spacing.
/// Sorting by CUB holds each key of 8 bytes three times, for thirteen axes.
TEST(DeviceMemory, CountsTheSortOfCrowdedCells) {
  ChargedAtoms dense = fcc_ball(400), loose = dense;
  for (Vec3<double>& x : loose.position) x *= 2;
  if (bytes_of(dense, 12, NeighborMethod::pair_list) == 0) GTEST_SKIP() << "built without CUDA";
  EXPECT_EQ(bytes_of(dense, 12, NeighborMethod::sorted_cells) - bytes_of(loose, 12, NeighborMethod::sorted_cells),
            dense.size() * 13 * 3 * 8);
  EXPECT_EQ(bytes_of(dense, 4, NeighborMethod::sorted_cells), bytes_of(loose, 4, NeighborMethod::sorted_cells));
  EXPECT_EQ(bytes_of(dense, 12, NeighborMethod::cells), bytes_of(loose, 12, NeighborMethod::cells));
}

}  // namespace
}  // namespace dropmd
