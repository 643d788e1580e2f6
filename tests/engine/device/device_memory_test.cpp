#include "engine/device/device_memory.h"

#include <gtest/gtest.h>

#include <random>

#include "core/errors.h"
#include "device/device_info.h"
#include "device/memory_use.h"
#include "engine/methods/catalogue.h"
#include "inputs/run_file/run_config.h"
#include "inputs/structures/structure.h"
#include "tests/support/device_runs.h"
#include "tests/support/fcc_ball.h"
#include "tests/support/short_run.h"

/// The memory that a run on a GPU is estimated to need, and the memory that it takes. The estimate needs no GPU.
namespace dropmd {
namespace {

RunConfig cut_run(double cutoff, std::int64_t steps = 1) {
  RunConfig config = lj_run(verlet(0.002), steps);
  config.lennard_jones->treatment = {"force-shift", {{"cutoff", cutoff}}};
  return config;
}

Method on_gpu(NeighborMethod neighbor, Precision precision = Precision::fp64) {
  Method method = fp64_method(1, neighbor);
  method.backend = Backend::cuda;
  method.precision = precision;
  return method;
}

std::uint64_t bytes_of(const ChargedAtoms& atoms, double cutoff, NeighborMethod neighbor,
                       Precision precision = Precision::fp64, double cell_share = 0) {
  const System system = build_system(cut_run(cutoff), structure_of(atoms));
  Method method = on_gpu(neighbor, precision);
  method.cell_share = cell_share;
  return device_bytes(system, method);
}

/// A cutoff within which an atom of the crystal has 500 neighbours, as an atom of the benchmark droplet has within 12
/// Å.
constexpr double kCutoffOf500 = 4.92;
/// The most memory that a run by pair list in mixed precision takes, in bytes per atom.
constexpr std::uint64_t kMostListBytes = 600;

/// Cells of 12 hold up to some 1,700 atoms of the crystal, and an eighth of that when it is spread to twice its
/// spacing. Sorting by CUB holds each key of 8 bytes three times, for thirteen axes.
TEST(DeviceMemory, CountsTheSortOfFullCells) {
  ChargedAtoms dense = fcc_ball(400), loose = dense;
  for (Vec3<double>& x : loose.position) x *= 2;
  if (bytes_of(dense, 12, NeighborMethod::pair_list) == 0) GTEST_SKIP() << "built without CUDA";
  EXPECT_EQ(bytes_of(dense, 12, NeighborMethod::sorted_cells) - bytes_of(loose, 12, NeighborMethod::sorted_cells),
            dense.size() * 13 * 3 * 8);
  EXPECT_EQ(bytes_of(dense, 4, NeighborMethod::sorted_cells), bytes_of(loose, 4, NeighborMethod::sorted_cells));
  EXPECT_EQ(bytes_of(dense, 12, NeighborMethod::cells), bytes_of(loose, 12, NeighborMethod::cells));
}

TEST(DeviceMemory, OfALongListInMixedPrecisionIsSixHundredBytesAnAtom) {
  const ChargedAtoms atoms = fcc_ball(400);
  ASSERT_GT(atoms.size(), 48 * 256) << "small droplets have lists of another kind";
  const std::uint64_t bytes = bytes_of(atoms, kCutoffOf500, NeighborMethod::pair_list, Precision::mixed);
  if (bytes == 0) GTEST_SKIP() << "built without CUDA";
  EXPECT_LE(bytes, kFixedDeviceBytes + kMostListBytes * atoms.size());
}

/// The run covers the start, growing lists, energies, a sorting of the atoms, observed states and, at the end, two
/// atoms that meet head-on far from all others; the host makes that last step.
TEST(DeviceMemory, OfARunIsNoMoreThanItIsSaidToBe) {
  if (const std::string reason = query_devices().reason; !reason.empty()) GTEST_SKIP() << reason;
  Structure structure = structure_of(fcc_ball(2'738));
  std::mt19937 random(7);
  std::uniform_real_distribution<double> uniform(-1, 1);
  for (std::size_t i = 0; i < structure.position.size(); ++i)
    structure.velocity.push_back({uniform(random), uniform(random), uniform(random)});
  add_head_on_pair(structure, 132);
  RunConfig config = cut_run(kCutoffOf500, 1'300);
  config.skin = 0.18;
  Method method = on_gpu(NeighborMethod::pair_list, Precision::mixed);
  method.skin = *config.skin;
  System system = build_system(config, structure);
  MemoryUse& use = device_memory_use();
  const std::uint64_t before = use.now(), said = device_bytes(system, method) - kFixedDeviceBytes;
  use.reset_most();
  EXPECT_THROW(run_short(
                   system, config, method, 100, [](const Snapshot&) {}, never_stop, 500),
               PhysicsError);
  const std::uint64_t most = use.most() - before;
  EXPECT_LE(most, said);
  EXPECT_LE(most, kMostListBytes * system.particles.size());
  EXPECT_GE(most, 500 * system.particles.size()) << "not all is counted";
  EXPECT_EQ(use.now(), before) << "a run leaves nothing behind";
}

/// A list of two-atom clusters has each pair twice, and is longer than one of large clusters where atoms have some
/// hundred neighbours.
TEST(DeviceMemory, CountsListsOfTwoAtomClusters) {
  const ChargedAtoms atoms = fcc_ball(400);
  const System system = build_system(cut_run(3.3), structure_of(atoms));
  Method method = on_gpu(NeighborMethod::pair_list, Precision::mixed);
  method.skin = 0.4;
  method.list_form = ListForm::clusters;
  const std::uint64_t of_clusters = device_bytes(system, method);
  if (of_clusters == 0) GTEST_SKIP() << "built without CUDA";
  method.list_form = ListForm::two_atom;
  const std::uint64_t more = device_bytes(system, method) - of_clusters;
  EXPECT_GT(more, 50 * atoms.size());
  EXPECT_LT(more, 200 * atoms.size());
}

/// A cell has at most 342 others within three edges. Half of them are stored, with 4 bytes each, at worst for one cell
/// per atom; the estimate adds half as much again. The edge that the rule chooses is the whole list cutoff here.
TEST(DeviceMemory, CountsTheNeighboursOfSmallCells) {
  const ChargedAtoms atoms = fcc_ball(400);
  const std::uint64_t usual = bytes_of(atoms, 3, NeighborMethod::cells);
  if (usual == 0) GTEST_SKIP() << "built without CUDA";
  EXPECT_EQ(bytes_of(atoms, 3, NeighborMethod::cells, Precision::fp64, 1), usual);
  const std::uint64_t more = bytes_of(atoms, 3, NeighborMethod::cells, Precision::fp64, 1.0 / 3) - usual;
  EXPECT_GT(more, 300 * atoms.size());
  EXPECT_LE(more, std::uint64_t{684} * atoms.size() * 3 / 2);
}

}  // namespace
}  // namespace dropmd
