#include <array>
#include <memory>
#include <optional>
#include <utility>
#include <vector>

#include "core/errors.h"
#include "core/topology/topology.h"
#include "engine/device/device_run.h"
#include "inputs/run_file/run_config.h"
#include "inputs/structures/structure.h"
#include "tests/support/brute_force_of_run.h"
#include "tests/support/device_runs.h"
#include "tests/support/state_of.h"

/// Runs on the GPU in which pairs of atoms are excluded, without forces that hold a pair together: its atoms come as
/// close as they like.
namespace dropmd {
namespace {

/// Excludes the atoms of groups of three from each other, and some pairs that are far apart.
System with_exclusions(const RunConfig& config, const Structure& structure) {
  System system = build_system(config, structure);
  const auto n = static_cast<std::uint32_t>(system.particles.size());
  std::vector<std::array<std::uint32_t, 2>> pairs;
  for (std::uint32_t i = 0; i < n; ++i) {
    for (std::uint32_t j = i / 3 * 3; j < i; ++j) pairs.push_back({i, j});
    if (i % 7 == 0) pairs.push_back({i, (i + n / 2) % n});
  }
  Topology topology;
  topology.exclusions = exclusions_of_pairs(n, pairs);
  system.topology = std::make_shared<const Topology>(std::move(topology));
  return system;
}

class ExclusionsRunTest : public DeviceRunTest {
 protected:
  /// A warm droplet that is sorted, recentred and searched anew on the way.
  static RunConfig warm_run(std::int64_t steps) {
    RunConfig config = charged_run({"langevin", {{"timestep", 0.002}, {"temperature", 1.0}, {"friction", 0.5}}}, steps);
    config.fields.erase("wall");
    config.recenter_every = 130;
    config.recenter = Recenter::geometric;
    return config;
  }
  static bool has_two_atom_lists() {
    return GetParam().neighbor == NeighborMethod::pair_list && GetParam().precision == Precision::mixed;
  }
  static Method by_two_atom_clusters() {
    Method method = gpu();
    method.skin = 0.3;
    method.list_form = ListForm::two_atom;
    return method;
  }
};

INSTANTIATE_TEST_SUITE_P(Methods, ExclusionsRunTest, all_device_methods(), name_of_device_method);

TEST_P(ExclusionsRunTest, ForcesAreThoseOfBruteForce) {
  const RunConfig config = warm_run(2'600);
  System system = with_exclusions(config, moving_atoms(1'700, 31));
  std::int64_t seen = 0;
  const auto look = [&](const Snapshot& s) {
    ++seen;
    expect_brute_force(s, system, GetParam().precision);
  };
  run_short(system, config, gpu(), 200, look, never_stop, 200);
  EXPECT_GE(seen, 13);
}

TEST_P(ExclusionsRunTest, ForcesOfTwoAtomListsAreThoseOfBruteForce) {
  if (!has_two_atom_lists()) return;
  RunConfig config = plain_run({"langevin", {{"timestep", 0.002}, {"temperature", 1.0}, {"friction", 0.5}}}, 2'600);
  config.skin = 0.3;
  for (const bool two_species : {false, true}) {
    Structure structure = moving_atoms(1'701, 32);
    if (two_species) give_two_species(config, structure);
    System system = with_exclusions(config, structure);
    const auto look = [&](const Snapshot& s) { expect_brute_force(s, system, GetParam().precision); };
    run_short(system, config, by_two_atom_clusters(), 200, look, never_stop, 200);
  }
}

TEST_P(ExclusionsRunTest, MovesAsTheCpuDoes) {
  for (const std::size_t n : {2U, 3U, 65U, 257U, 1'000U}) {
    SCOPED_TRACE(n);
    const RunConfig config = charged_run(verlet(0.002), 40);
    const Structure structure = moving_atoms(n, static_cast<std::uint32_t>(n));
    System on_cpu = with_exclusions(config, structure), on_gpu = with_exclusions(config, structure);
    const RunResult cpu = run_short(on_cpu, config, fp64_method(), config.steps);
    const RunResult gpu_run = run_short(on_gpu, config, gpu(), config.steps);
    EXPECT_EQ(gpu_run.pairs.pairs_within_cutoff, cpu.pairs.pairs_within_cutoff);
    EXPECT_LT(largest_difference(on_gpu.particles.position, on_cpu.particles.position), bound());
    EXPECT_LT(largest_difference(on_gpu.particles.velocity, on_cpu.particles.velocity), 20 * bound());
  }
}

/// The same run twice, and the rest of it from a state between two sortings.
TEST_P(ExclusionsRunTest, ContinuesToTheSameBytes) {
  const RunConfig config = warm_run(1'500);
  const Structure structure = moving_atoms(900, 33);
  std::optional<RunState> state;
  const auto end_of = [&](const Method& method, const RunState* from) {
    System system = with_exclusions(config, structure);
    Timings timings;
    StepLoop simulation(system, config, method, timings, nullptr, from);
    if (!state) simulation.add_observer(std::make_unique<StateOf>(700, [&] { state.emplace(simulation.state()); }));
    simulation.run(never_stop);
    return system.particles.position;
  };
  const std::vector<Vec3<double>> whole = end_of(gpu(), nullptr);
  ASSERT_TRUE(state);
  EXPECT_TRUE(same_bytes(end_of(gpu(), nullptr), whole));
  EXPECT_TRUE(same_bytes(end_of(with_choice(gpu(), state->choice), &*state), whole));
}

/// Their loops over pairs know no exclusions.
TEST_P(ExclusionsRunTest, PersistentKernelsDoNotMakeThem) {
  const RunConfig config = warm_run(10);
  const Structure structure = moving_atoms(300, 34);
  EXPECT_FALSE(DeviceRun::may_be_persistent(with_exclusions(config, structure), config, gpu()));
  const bool all_pairs_in_mixed = !needs_cutoff(GetParam().neighbor) && GetParam().precision == Precision::mixed;
  EXPECT_TRUE(!all_pairs_in_mixed || DeviceRun::may_be_persistent(build_system(config, structure), config, gpu()));
}

}  // namespace
}  // namespace dropmd
