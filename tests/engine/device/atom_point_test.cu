#include <gtest/gtest.h>

#include <algorithm>
#include <vector>

#include "device/device_info.h"
#include "engine/device/device_atoms.cuh"
#include "inputs/run_file/run_config.h"
#include "inputs/structures/structure.h"

/// What steps on a GPU give one-body terms: every kernel of every executor takes it from StepView::point().
namespace dropmd {
namespace {

struct Seen {
  std::uint32_t id;
  double charge, time;
  Vec3<double> position;
};

template <class Real>
__global__ void look_kernel(const __grid_constant__ StepView<Real> step, std::uint64_t now, Seen* seen) {
  const std::uint32_t k = blockIdx.x * blockDim.x + threadIdx.x;
  if (k >= step.atoms.n_atoms) return;
  const AtomPoint atom = step.point(k, step.atoms.position[k], now);
  seen[k] = {atom.id.get(), *atom.charge, atom.time, atom.position};
}

constexpr std::uint32_t kAtoms = 131;  // three tiles, the last of three atoms

System charged_row(const RunConfig& config) {
  Structure structure;
  for (std::uint32_t i = 0; i < kAtoms; ++i) {
    structure.position.push_back({1.5 * i, 0, 0});
    structure.charge.push_back(0.01 * i);
  }
  structure.species.assign(kAtoms, 0);
  structure.species_names = {"X"};
  return build_system(config, structure);
}

RunConfig row_run() {
  RunConfig config;
  config.lennard_jones = LennardJonesConfig{.epsilon = 1.0, .sigma = 1.0, .treatment = {"none"}};
  config.integrator = {"velocity-verlet", {{"timestep", 0.25}}};
  return config;
}

/// Looks at atoms that are in the reverse order on the device, at step 8.
template <class Real>
void expect_atoms(const System& system, const RunConfig& config) {
  Method method;
  method.backend = Backend::cuda;
  method.neighbor = NeighborMethod::all_pairs;
  DeviceAtoms<Real> atoms(system, config, method, {}, /*is_accelerated=*/false);
  atoms.view.timestep = 0.25;
  std::vector<std::uint32_t> host_index(kAtoms);
  for (std::uint32_t k = 0; k < kAtoms; ++k) host_index[k] = kAtoms - 1 - k;
  atoms.state.upload(atoms.cuda, system.particles, host_index);
  DeviceBuffer<Seen> d_seen(atoms.stream);
  std::vector<Seen> seen(kAtoms, Seen{0, -1, -1, {-1, -1, -1}});
  d_seen.upload(seen);
  look_kernel<Real><<<2, 128, 0, atoms.stream.get()>>>(atoms.view, 8, d_seen.data());
  DROPMD_CUDA_LAUNCHED("looking at atoms");
  d_seen.download(seen);
  atoms.stream.synchronize("looking at atoms");
  for (std::uint32_t k = 0; k < kAtoms; ++k) {
    const std::uint32_t i = host_index[k];
    const AtomPoint expected = atom_point(system.particles, i, system.particles.position[i], 2.0);
    EXPECT_EQ(seen[k].id, expected.id.get()) << "atom " << i;
    EXPECT_EQ(seen[k].charge, *expected.charge);
    EXPECT_EQ(seen[k].time, expected.time);
    EXPECT_EQ(seen[k].position, expected.position);
  }
}

class AtomPointOnGpu : public testing::Test {
 protected:
  void SetUp() override {
    if (const std::string reason = query_devices().reason; !reason.empty()) GTEST_SKIP() << reason;
  }
};

TEST_F(AtomPointOnGpu, IsThatOfTheHostWhileIdsAre1ToN) {
  const RunConfig config = row_run();
  const System system = charged_row(config);
  ASSERT_TRUE(system.particles.id.empty());
  expect_atoms<float>(system, config);
  expect_atoms<double>(system, config);
}

TEST_F(AtomPointOnGpu, IsThatOfTheHostOnceAtomsHaveLeft) {
  const RunConfig config = row_run();
  System system = charged_row(config);
  for (std::uint32_t i = 0; i < kAtoms; ++i) system.particles.id.push_back(3 * i + 2);
  expect_atoms<float>(system, config);
  expect_atoms<double>(system, config);
}

}  // namespace
}  // namespace dropmd
