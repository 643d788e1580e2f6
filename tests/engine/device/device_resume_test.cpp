#include <gtest/gtest.h>

#include "inputs/run_file/run_config.h"
#include "inputs/structures/structure.h"
#include "tests/support/device_runs.h"
#include "tests/support/seen_run.h"

/// A run on the GPU that resumes from its state is bitwise identical to one that never stopped. On the CPU:
/// resume_test.cpp.
namespace dropmd {
namespace {

void expect_same_bytes(const RunConfig& config, const Structure& structure, const Method& method, std::int64_t at) {
  SCOPED_TRACE(std::string(config.integrator.form) + ", state of step " + std::to_string(at));
  const System system = build_system(config, structure);
  const Seen whole = seen_of(system, config, method, at);
  ASSERT_TRUE(whole.state);
  EXPECT_EQ(whole.state->device.host_index.size(), structure.position.size());
  const Seen undisturbed = seen_of(system, config, method);
  EXPECT_TRUE(same_bytes(undisturbed.position, whole.position)) << "taking a state changes the run";
  const Seen rest = seen_of(system, config, with_choice(method, whole.state->choice), -1, &*whole.state);
  expect_same(rest, whole);
}

RunConfig with_recentring(RunConfig config) {
  config.recenter_every = 20;
  config.recenter = Recenter::geometric;
  config.remove_momentum = RemoveMomentum::both;
  return config;
}

using DeviceResume = DeviceRunTest;
INSTANTIATE_TEST_SUITE_P(Methods, DeviceResume, all_device_methods(), name_of_device_method);

/// 200 atoms use a persistent kernel where possible, or tiles; 2,500 a persistent kernel with a list; 7,000 neither.
TEST_P(DeviceResume, ResumesToTheSameBytes) {
  for (const std::size_t n : {1U, 200U, 2'500U, 7'000U}) {
    SCOPED_TRACE(n);
    const Structure structure = moving_atoms(n, 3);
    for (const std::int64_t at : {0, 20, 33, 60})
      expect_same_bytes(with_recentring(charged_run(verlet(0.004), 60)), structure, gpu(), at);
  }
}

TEST_P(DeviceResume, ResumesWithEveryIntegrator) {
  const FormChoice integrators[] = {{"descent", {{"factor", 1e-4}}},
                                    {"langevin", {{"timestep", 0.004}, {"temperature", 0.5}, {"friction", 1.0}}},
                                    {"csvr", {{"timestep", 0.004}, {"temperature", 0.5}, {"relaxation", 0.05}}},
                                    {"fire", {{"timestep", 0.002}, {"force-tolerance", 1e-9}}}};
  for (const FormChoice& integrator : integrators)
    expect_same_bytes(charged_run(integrator, 60), moving_atoms(300, 5), gpu(), 23);
}

/// The atoms are sorted after 1,000 steps and then after an interval that follows from their motion; the state lies
/// between.
TEST_P(DeviceResume, SortsItsAtomsWhenTheOtherRunDoes) {
  RunConfig config = plain_run(verlet(0.004), 2'500);
  config.temperature = 1.5;
  expect_same_bytes(config, moving_atoms(400, 6), gpu(), 1'234);
}

TEST(DeviceResumeOfForms, ResumesWithTwoAtomClusters) {
  if (const std::string reason = query_devices().reason; !reason.empty()) GTEST_SKIP() << reason;
  RunConfig config = with_recentring(lj_run(verlet(0.004), 60));
  config.lennard_jones->treatment = {"force-shift", {{"cutoff", 2.5}}};
  Method method = fp64_method(1, NeighborMethod::pair_list);
  method.backend = Backend::cuda;
  method.precision = Precision::mixed;
  method.skin = 0.2;
  config.skin = 0.2;
  method.list_form = ListForm::two_atom;
  for (const std::int64_t at : {20, 33}) expect_same_bytes(config, moving_atoms(3'000, 4), method, at);
}

/// From a GPU to the CPU, to another form on the GPU, and back.
TEST(DeviceResumeOfForms, GoesOverWithinRounding) {
  if (const std::string reason = query_devices().reason; !reason.empty()) GTEST_SKIP() << reason;
  RunConfig config = lj_run(verlet(0.002), 40);
  config.lennard_jones->treatment = {"force-shift", {{"cutoff", 2.5}}};
  config.skin = 0.3;
  const Structure structure = moving_atoms(600, 8);
  std::vector<Method> methods;
  for (const Backend backend : {Backend::cpu, Backend::cuda})
    for (const NeighborMethod neighbor :
         {NeighborMethod::all_pairs, NeighborMethod::pair_list, NeighborMethod::sorted_cells}) {
      Method method = fp64_method(1, neighbor);
      method.backend = backend;
      method.skin = 0.3;
      methods.push_back(method);
    }
  const Seen exact = seen_of(build_system(config, structure), config, methods.front());
  for (const Method& first : methods) {
    const Seen whole = seen_of(build_system(config, structure), config, first, 20);
    for (const Method& then : methods) {
      SCOPED_TRACE(std::string(word_of(first.backend)) + ' ' + std::string(word_of(first.neighbor)) + " to " +
                   std::string(word_of(then.backend)) + ' ' + std::string(word_of(then.neighbor)));
      RunConfig other = config;
      other.neighbor = then.neighbor;
      const Seen rest = seen_of(build_system(other, structure), other, then, -1, &*whole.state);
      EXPECT_LT(largest_difference(rest.position, exact.position), kDoubleBound);
    }
  }
}

}  // namespace
}  // namespace dropmd
