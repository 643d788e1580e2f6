#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <random>
#include <sstream>
#include <string>

#include "device/device_info.h"
#include "engine/degrees_of_freedom.h"
#include "engine/device/device_run.h"
#include "engine/methods/catalogue.h"
#include "inputs/run_file/run_config.h"
#include "inputs/structures/structure.h"
#include "tests/support/fcc_ball.h"
#include "tests/support/short_run.h"

/// Helpers of the tests of runs on the GPU.
namespace dropmd {

/// Over 20 steps of 0.002, an error of 5e-6 in forces of about 100 (the bound of docs/guarantees.md for mixed
/// precision) moves an atom by 0.5 · 5e-4 · 0.04² = 4e-7. The bound is ten times that, since neighbours amplify it,
/// with a margin of 2.5.
inline constexpr double kMixedBound = 1e-5;
/// In double precision 1e-12 of the force, with the same factors and the rounding of positions.
inline constexpr double kDoubleBound = 1e-10;

/// How the GPU computes forces.
struct DeviceMethod {
  Precision precision;
  NeighborMethod neighbor;
  bool without_skin = false;  ///< every step searches again
};
inline void PrintTo(const DeviceMethod& method, std::ostream* out) {
  *out << word_of(method.neighbor) << (method.without_skin ? "_without_skin" : "")
       << (method.precision == Precision::mixed ? "_mixed" : "_fp64");
}

inline double bound_of(Precision precision) { return precision == Precision::mixed ? kMixedBound : kDoubleBound; }

inline bool same_bytes(const std::vector<Vec3<double>>& a, const std::vector<Vec3<double>>& b) {
  return a.size() == b.size() && std::memcmp(a.data(), b.data(), a.size() * sizeof(a[0])) == 0;
}

/// Atoms of a loose fcc lattice, as many as requested, with random velocities.
inline Structure moving_atoms(std::size_t n, std::uint32_t seed) {
  ChargedAtoms atoms = fcc_ball(static_cast<int>(std::max<std::size_t>(n, 400)));
  Structure structure = structure_of(atoms);
  structure.position.resize(n);
  structure.charge.resize(n);
  structure.species.resize(n);
  std::mt19937 random(seed);
  std::uniform_real_distribution<double> uniform(-1, 1);
  for (std::size_t i = 0; i < n; ++i) {
    structure.position[i] = 1.1 * structure.position[i] + 0.02 * Vec3<double>{uniform(random), uniform(random), 0};
    structure.charge[i] = 0.3 * uniform(random);
    structure.velocity.push_back(0.5 * Vec3<double>{uniform(random), uniform(random), uniform(random)});
  }
  return structure;
}

/// The same with the first third of the atoms in a row far from the others, all on one side.
inline Structure uneven_moving_atoms(std::size_t n, std::uint32_t seed) {
  Structure structure = moving_atoms(n, seed);
  for (std::size_t i = 0; i < n / 3; ++i)
    structure.position[i] += Vec3<double>{400.0 + 30.0 * static_cast<double>(i), 0, 0};
  return structure;
}

/// Turns every third atom into one of a smaller, softer species. Terms vanish at the cutoff, where only the number of
/// pairs shows a lost pair.
inline void give_two_species(RunConfig& config, Structure& structure) {
  config.lennard_jones =
      LennardJonesConfig{.epsilon = {}, .sigma = {}, .treatment = {"force-shift", {{"cutoff", 2.5}}}};
  config.species.resize(2);
  config.species[0].name = "A";
  config.species[0].epsilon = 1.0;
  config.species[1].name = "B";
  config.species[1].epsilon = 0.5;
  config.species[1].sigma = 0.9;
  structure.species_names = {"A", "B"};
  for (std::size_t i = 0; i < structure.species.size(); ++i) structure.species[i] = i % 3 == 0 ? 1 : 0;
}

/// Adds two atoms far from all others, which meet head-on: with a speed of 60 each, after a time of distance/60.
inline void add_head_on_pair(Structure& structure, double distance) {
  for (const double side : {1.0, -1.0}) {
    structure.position.push_back({side * distance, 200, 0});
    structure.velocity.push_back({-side * 60, 0, 0});
    structure.charge.push_back(0);
    structure.species.push_back(0);
  }
}

/// Returns how a run of atoms that meet head-on breaks, or "no error". system: receives the state that is left.
inline std::string fault_of(const RunConfig& config, System& system, const Method& method) {
  try {
    run_short(system, config, method, 0);
  } catch (const PhysicsError& error) {
    return error.what();
  }
  return "no error";
}
inline std::string fault_of(const RunConfig& config, const Structure& structure, const Method& method) {
  System system = build_system(config, structure);
  return fault_of(config, system, method);
}

/// Expects that the energies of the last step are those that the GPU computes separately afterwards, to the last bit.
inline void expect_same_energies_apart(const System& system, const RunConfig& config, const Method& method,
                                       std::int64_t steps) {
  SCOPED_TRACE(std::to_string(steps) + " steps");
  const auto run = make_device_run(system, config, method, degrees_of_freedom(system, config));
  ASSERT_TRUE(run->upload(system.particles, 0));
  StepWants wants;
  wants.energies = true;
  run->start(steps, wants);
  const DeviceRun::Progress made = run->finish();
  EXPECT_EQ(made.step, steps);
  ASSERT_TRUE(made.energies);
  const ForceField::Result apart = run->energies();
  EXPECT_EQ(made.energies->pairs.pairs_within_cutoff, apart.pairs.pairs_within_cutoff);
  EXPECT_EQ(made.energies->energies.kinetic, apart.energies.kinetic);
  EXPECT_NE(apart.energies.potential(), 0);
  for (const auto& [name, energy] : apart.energies.components())
    EXPECT_EQ(made.energies->energies.of(name), energy) << name;
}

class DeviceRunTest : public testing::TestWithParam<DeviceMethod> {
 protected:
  void SetUp() override {
    if (const std::string reason = query_devices().reason; !reason.empty()) GTEST_SKIP() << reason;
  }
  static bool searches() { return needs_cutoff(GetParam().neighbor); }
  static Method gpu() {
    Method method = fp64_method();
    method.backend = Backend::cuda;
    method.precision = GetParam().precision;
    method.neighbor = GetParam().neighbor;
    return method;
  }
  static double bound() { return bound_of(GetParam().precision); }

  static RunConfig plain_run(FormChoice integrator, std::int64_t steps) {
    RunConfig config = lj_run(std::move(integrator), steps);
    if (searches()) config.lennard_jones->treatment = {"force-shift", {{"cutoff", 2.5}}};
    if (GetParam().without_skin) config.skin = 0;
    return config;
  }
  static RunConfig charged_run(FormChoice integrator, std::int64_t steps) {
    RunConfig config = plain_run(std::move(integrator), steps);
    config.coulomb = searches() ? FormChoice{"smoothed", {{"cutoff", 3.0}}} : FormChoice{"exact"};
    config.fields["wall"] = FormChoice{"harmonic", {{"radius", 3.0}, {"stiffness", 2.0}}};
    return config;
  }

  /// Runs on both processors and expects that positions, velocities and energies agree.
  void expect_same_run(const RunConfig& config, const Structure& structure) const {
    expect_same_run(config, structure, gpu());
  }
  void expect_same_run(const RunConfig& config, const Structure& structure, const Method& on) const {
    System on_cpu = build_system(config, structure), on_gpu = build_system(config, structure);
    const RunResult cpu = run_short(on_cpu, config, fp64_method(), config.steps);
    const RunResult gpu_run = run_short(on_gpu, config, on, config.steps);
    EXPECT_EQ(gpu_run.steps, cpu.steps);
    EXPECT_EQ(gpu_run.pairs.pairs_within_cutoff, cpu.pairs.pairs_within_cutoff);
    EXPECT_LT(largest_difference(on_gpu.particles.position, on_cpu.particles.position), bound());
    EXPECT_LT(largest_difference(on_gpu.particles.velocity, on_cpu.particles.velocity), 20 * bound());
    const Energies &a = gpu_run.last.energies, &b = cpu.last.energies;
    double scale = std::abs(b.kinetic) + 1e-3;
    for (const EnergyComponent& component : b.components()) scale += std::abs(component.energy);
    ASSERT_EQ(a.components().size(), b.components().size());
    for (const auto& [name, energy] : b.components()) EXPECT_NEAR(a.of(name), energy, bound() * scale) << name;
    EXPECT_NEAR(a.kinetic, b.kinetic, bound() * scale);
    EXPECT_NEAR(gpu_run.last.temperature, cpu.last.temperature, bound() * (1 + cpu.last.temperature));
  }
};

inline auto all_device_methods() {
  return testing::Values(DeviceMethod{Precision::mixed, NeighborMethod::all_pairs},
                         DeviceMethod{Precision::fp64, NeighborMethod::all_pairs},
                         DeviceMethod{Precision::mixed, NeighborMethod::pair_list},
                         DeviceMethod{Precision::fp64, NeighborMethod::pair_list},
                         DeviceMethod{Precision::mixed, NeighborMethod::pair_list, true},
                         DeviceMethod{Precision::mixed, NeighborMethod::cells},
                         DeviceMethod{Precision::mixed, NeighborMethod::sorted_cells},
                         DeviceMethod{Precision::fp64, NeighborMethod::sorted_cells, true});
}
inline std::string name_of_device_method(const testing::TestParamInfo<DeviceMethod>& method) {
  std::ostringstream text;
  PrintTo(method.param, &text);
  std::string name = text.str();
  std::replace(name.begin(), name.end(), '-', '_');
  return name;
}

}  // namespace dropmd
