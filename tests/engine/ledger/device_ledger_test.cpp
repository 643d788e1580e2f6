#include <gtest/gtest.h>

#include "engine/device/device_run.h"
#include "engine/methods/step_cost.h"
#include "inputs/run_file/run_config.h"
#include "inputs/structures/structure.h"
#include "tests/support/device_runs.h"

/// The ledger of runs on the GPU with every neighbour method. ledger_test.cpp says what it has to satisfy.
namespace dropmd {
namespace {

class DeviceLedgerTest : public DeviceRunTest {
 protected:
  /// A run with everything that may give energy to the atoms.
  static RunConfig busy_run(FormChoice integrator, std::int64_t steps) {
    RunConfig config = charged_run(std::move(integrator), steps);
    config.fields["field"] =
        FormChoice{"uniform", {{"strength.x", 0.5}, {"strength.y", 0.0}, {"strength.z", -0.3}, {"frequency", 0.4}}};
    config.recenter_every = 10;
    config.recenter = Recenter::mass;
    config.remove_momentum = RemoveMomentum::both;
    return config;
  }
  static std::vector<FormChoice> integrators() {
    return {verlet(0.002),
            {"langevin", {{"timestep", 0.002}, {"temperature", 0.5}, {"friction", 1.0}}},
            {"csvr", {{"timestep", 0.002}, {"temperature", 0.5}, {"relaxation", 0.05}}}};
  }
};
INSTANTIATE_TEST_SUITE_P(Methods, DeviceLedgerTest, all_device_methods(), name_of_device_method);

/// 200 atoms use a persistent kernel where possible, or tiles; 2,500 use a persistent kernel with a list.
TEST_P(DeviceLedgerTest, IsThatOfTheCpu) {
  for (const std::size_t n : {200U, 2'500U})
    for (const FormChoice& integrator : integrators()) {
      SCOPED_TRACE(integrator.form + " " + std::to_string(n));
      const RunConfig config = busy_run(integrator, 20);
      System on_cpu = build_system(config, moving_atoms(n, 9)), on_gpu = build_system(config, moving_atoms(n, 9));
      const RunResult cpu = run_short(on_cpu, config, fp64_method(2), 20);
      const RunResult run = run_short(on_gpu, config, gpu(), 20);
      const double scale = cpu.last.energies.kinetic + std::abs(cpu.last.energies.potential());
      ASSERT_EQ(run.last.ledger.causes, cpu.last.ledger.causes);
      for (std::size_t k = 0; k < kCauses; ++k)
        EXPECT_NEAR(run.last.ledger.booked[k], cpu.last.ledger.booked[k], bound() * scale) << kCauseNames[k];
      for (const Cause cause : {Cause::field, Cause::recentring, Cause::momentum})
        EXPECT_NE(cpu.last.ledger.of(cause), 0) << kCauseNames[CauseSet::index(cause)];
    }
}

TEST_P(DeviceLedgerTest, HasTheSameBytesWithAnyObservers) {
  for (const FormChoice& integrator : integrators()) {
    SCOPED_TRACE(integrator.form);
    const RunConfig config = busy_run(integrator, 215);
    std::vector<Ledger> seen;
    for (const std::int64_t energies_every : {0, 1, 7, 100}) {
      System system = build_system(config, moving_atoms(200, 9));
      seen.push_back(run_short(system, config, gpu(), energies_every).last.ledger);
    }
    for (const Ledger& other : seen) EXPECT_EQ(other.booked, seen[0].booked);
  }
}

/// A fault takes the run back to a saved state, from which it makes the steps before the fault again.
TEST_P(DeviceLedgerTest, AfterAFaultIsThatOfTheLastCompleteStep) {
  Structure structure = moving_atoms(130, 2);
  structure.position.push_back({30, 0, 0});
  structure.position.push_back({54.72, 0, 0});  // they meet after about a hundred steps
  for (const double speed : {60.0, -60.0}) structure.velocity.push_back({speed, 0, 0});
  structure.charge.resize(132);
  structure.species.resize(132);
  RunConfig config = busy_run({"langevin", {{"timestep", 0.002}, {"temperature", 0.5}, {"friction", 0.1}}}, 500);
  config.fields.erase("wall");
  std::vector<std::int64_t> steps;
  std::vector<Bookings> bookings;
  for (const std::int64_t piece : {500, 45, 7}) {
    System system = build_system(config, structure);
    const auto run = make_device_run(system, config, with_fitting_skin(gpu(), system, config), 396);
    ASSERT_TRUE(run->upload(system.particles, 0));
    DeviceRun::Progress progress{};
    for (std::int64_t last = piece; last <= 500 && !progress.broken; last += piece)
      progress = run->advance(last, false);
    ASSERT_TRUE(progress.broken);
    steps.push_back(progress.step);
    bookings.push_back(run->bookings());
    ASSERT_EQ(bookings.back().of(Cause::bath).size(), 132U);
  }
  for (std::size_t k = 1; k < steps.size(); ++k) {
    EXPECT_EQ(steps[k], steps[0]);
    EXPECT_TRUE(bookings[k] == bookings[0]);
  }
}

/// Bookings come back as they were given, and later steps add to them.
TEST_P(DeviceLedgerTest, ResumesFromBookings) {
  const RunConfig config = busy_run(integrators()[1], 10);
  System system = build_system(config, moving_atoms(100, 4));
  const auto run = make_device_run(system, config, with_fitting_skin(gpu(), system, config), 300);
  ASSERT_TRUE(run->upload(system.particles, 0));
  Bookings given;
  for (std::vector<double>& by_atom : given.by_atom)
    for (int i = 0; i < 100; ++i) by_atom.push_back(i / 8.0);
  run->set_bookings(given);
  EXPECT_TRUE(run->bookings() == given);
  EXPECT_EQ(run->energies().ledger.of(Cause::momentum), 4950 / 8.0);  // 0 + 1 + ... + 99
  run->set_bookings({});
  EXPECT_EQ(run->energies().ledger.total(), 0);
  run->advance(10, false);
  const Bookings from_zero = run->bookings();
  for (std::size_t k = 0; k < kAtomCauses; ++k) EXPECT_NE(from_zero.by_atom[k], std::vector<double>(100, 0.0)) << k;
}

}  // namespace
}  // namespace dropmd
