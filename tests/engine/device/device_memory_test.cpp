#include "engine/device/device_memory.h"

#include <gtest/gtest.h>

#include <ostream>
#include <random>
#include <string>
#include <vector>

#include "core/errors.h"
#include "device/device_info.h"
#include "device/memory_use.h"
#include "engine/methods/catalogue.h"
#include "inputs/run_file/run_config.h"
#include "inputs/structures/structure.h"
#include "tests/support/device_runs.h"
#include "tests/support/fcc_ball.h"
#include "tests/support/measured_memory.h"
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

/// Within three edges, a cell has 310 others, as the corners are too far away. Half of them and the cell itself are
/// stored, with 8 bytes each, at worst for one cell per atom; an eighth and 64 cells are spare. The edge that the rule
/// chooses is the whole list cutoff here.
TEST(DeviceMemory, CountsTheNeighboursOfSmallCells) {
  const ChargedAtoms atoms = fcc_ball(400);
  const std::uint64_t usual = bytes_of(atoms, 3, NeighborMethod::cells);
  if (usual == 0) GTEST_SKIP() << "built without CUDA";
  EXPECT_EQ(bytes_of(atoms, 3, NeighborMethod::cells, Precision::fp64, 1), usual);
  const std::uint64_t more = bytes_of(atoms, 3, NeighborMethod::cells, Precision::fp64, 1.0 / 3) - usual;
  EXPECT_GT(more, 300 * atoms.size());
  EXPECT_LE(more, std::uint64_t{156} * 8 * (atoms.size() * 9 / 8 + 64));
}

/// Only runs in mixed precision may be taken by a persistent kernel, which has 64 bytes of packets per atom; its lists
/// have a word of 128 bytes per lane for every 128 atoms of the droplet, and one more.
TEST(DeviceMemory, CountsWhatAPersistentKernelNeeds) {
  const System system = build_system(cut_run(3), structure_of(fcc_ball(120)));
  const std::size_t n = system.particles.size();
  ASSERT_GT(n, 2112U);
  ASSERT_LT(n, 16U * 256) << "with more, no device takes all pairs of them";
  Method method = on_gpu(NeighborMethod::all_pairs, Precision::mixed);
  const std::uint64_t all_pairs = device_bytes(system, method);
  if (all_pairs == 0) GTEST_SKIP() << "built without CUDA";
  method.neighbor = NeighborMethod::pair_list;
  method.skin = 0.3;
  const std::uint64_t lists = device_bytes(system, method), words = (n + 127) / 128 + 1;
  EXPECT_GE(lists, all_pairs + 128 * words * n);
  // Also what lists leave to the next launch: for each atom a position and a number, for each block 4 numbers and an
  // index for each of the 32 slots of its rows; and 4 flags of 16 bytes.
  const std::uint64_t of_block = 4 * 16 + 16 + 128 * ((n + 31) / 32);
  EXPECT_LE(lists, all_pairs + 128 * words * (n + 48) + 28 * n + 256 * of_block);
  method.list_form = ListForm::clusters;
  EXPECT_LT(device_bytes(system, method) - kFixedDeviceBytes, (lists - kFixedDeviceBytes) / 2);
}

/// A run whose memory is measured.
struct MeasuredRun {
  std::string name;
  NeighborMethod neighbor;
  Precision precision;
  ListForm list_form = ListForm::automatic;
  double cell_share = 0;
  int shell = 1'320;  ///< of fcc_ball(): 100,000 atoms, whose memory is ten times kFixedBufferBytes
  bool wall = false;  ///< with a wall; its forces are observed
  bool mesh = false;  ///< with charges, whose smooth part a mesh computes
};
void PrintTo(const MeasuredRun& run, std::ostream* out) { *out << run.name; }

class DeviceMemoryOfRun : public testing::TestWithParam<MeasuredRun> {};

TEST_P(DeviceMemoryOfRun, IsEstimatedFromAboveAndWithinAFactor) {
  if (const std::string reason = query_devices().reason; !reason.empty()) GTEST_SKIP() << reason;
  const MeasuredRun& run = GetParam();
  Structure structure = structure_of(fcc_ball(run.shell));
  std::mt19937 random(7);
  std::uniform_real_distribution<double> uniform(-1, 1);
  for (std::size_t i = 0; i < structure.position.size(); ++i)
    structure.velocity.push_back({uniform(random), uniform(random), uniform(random)});
  constexpr double kCutoff = 3, kSkin = 0.3;
  RunConfig config = cut_run(kCutoff, 200);
  if (needs_cutoff(run.neighbor)) config.skin = kSkin;
  if (run.mesh) {
    for (std::size_t i = 0; i < structure.charge.size(); ++i) structure.charge[i] = i % 2 == 0 ? 0.3 : -0.3;
    config.coulomb = FormChoice{"exact"};
    config.coulomb_settings = {CoulombMethod::mesh, 1e-4};
    config.backend = Backend::cuda;
    config.precision = run.precision;
  }
  if (run.wall) config.fields["wall"] = FormChoice{"harmonic", {{"radius", 30.0}, {"stiffness", 2.0}}};
  Method method = on_gpu(run.neighbor, run.precision);
  method.skin = config.skin.value_or(0);
  method.list_form = run.list_form;
  method.cell_share = run.cell_share;
  System system = build_system(config, structure);
  expect_memory_as_estimated(system, config, method);
}

/// The run in both precisions.
std::vector<MeasuredRun> in_both_precisions(MeasuredRun run) {
  const std::string name = run.name;
  run.name = name + "_mixed";
  run.precision = Precision::mixed;
  MeasuredRun in_double = run;
  in_double.name = name + "_fp64";
  in_double.precision = Precision::fp64;
  return {run, in_double};
}

std::vector<MeasuredRun> measured_runs() {
  constexpr auto kMixed = Precision::mixed;
  // kPersistentList is too large for all pairs in a persistent kernel, but small enough for its lists, on a device with
  // 132 multiprocessors.
  constexpr int kPersistentList = 130, kPersistentPairs = 40;
  std::vector<MeasuredRun> runs{
      {"pair_list_of_two_atom_clusters_mixed", NeighborMethod::pair_list, kMixed, ListForm::two_atom},
      {"small_all_pairs_mixed", NeighborMethod::all_pairs, kMixed, ListForm::automatic, 0, kPersistentPairs},
      {"small_pair_list_mixed", NeighborMethod::pair_list, kMixed, ListForm::automatic, 0, kPersistentList},
      {"small_pair_list_fp64", NeighborMethod::pair_list, Precision::fp64, ListForm::automatic, 0, kPersistentList}};
  const auto add = [&](const MeasuredRun& run) {
    for (const MeasuredRun& each : in_both_precisions(run)) runs.push_back(each);
  };
  add({"all_pairs", NeighborMethod::all_pairs, kMixed});
  add({"cells", NeighborMethod::cells, kMixed});
  add({"small_cells", NeighborMethod::cells, kMixed, ListForm::automatic, 1.0 / 3});
  add({"sorted_cells", NeighborMethod::sorted_cells, kMixed});
  add({"pair_list_of_clusters", NeighborMethod::pair_list, kMixed, ListForm::clusters});
  add({"walled_pair_list", NeighborMethod::pair_list, kMixed, ListForm::clusters, 0, 1'320, true});
  add({"mesh_and_pair_list", NeighborMethod::pair_list, kMixed, ListForm::clusters, 0, 1'320, false, true});
  return runs;
}

INSTANTIATE_TEST_SUITE_P(AllMethods, DeviceMemoryOfRun, testing::ValuesIn(measured_runs()),
                         [](const auto& run) { return run.param.name; });

}  // namespace
}  // namespace dropmd
