#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "engine/device/device_run.h"
#include "engine/methods/step_cost.h"
#include "inputs/run_file/run_config.h"
#include "inputs/structures/structure.h"
#include "tests/support/device_runs.h"

/// Steps that a GPU goes on with before the host has seen those before them (StepWants::next).
namespace dropmd {
namespace {

class StepsAheadTest : public DeviceRunTest {
 protected:
  using Energy = std::vector<EnergyComponent>;

  /// A device run without the host's step loop around it, in pieces of equal length.
  class Run {
   public:
    Run(const RunConfig& config, const Structure& structure, const Method& method)
        : config_(config), system_(build_system(config_, structure)) {
      run_ =
          make_device_run(system_, config_, with_fitting_skin(method, system_, config_), 3 * system_.particles.size());
      run_->upload(system_.particles, 0);
    }

    /// Performs the steps from `last - piece` to `last`; ahead: the device may go on with the next piece.
    DeviceRun::Progress make(std::int64_t last, std::int64_t piece, bool ahead) {
      StepWants wants{.energies = true};
      if (ahead) wants.next = last + piece, wants.next_energies = true;
      goes_on_ = run_->start(last, wants);
      return run_->finish();
    }
    /// Whether it went on after the last piece.
    bool goes_on() const { return goes_on_; }

    std::vector<Vec3<double>> positions() {
      std::vector<Vec3<double>> force(system_.particles.size());
      run_->download(system_.particles, force);
      return system_.particles.position;
    }

   private:
    RunConfig config_;
    System system_;
    std::unique_ptr<DeviceRun> run_;
    bool goes_on_ = false;
  };

  /// The methods of these tests: the whole GPU and, where all pairs are computed in mixed precision, a share of it.
  static std::vector<Method> methods() {
    std::vector<Method> all = {gpu()};
    if (GetParam().neighbor == NeighborMethod::all_pairs && GetParam().precision == Precision::mixed) {
      all.push_back(gpu());
      all.back().multiprocessors = 2;
    }
    return all;
  }

  static Energy energies_of(const DeviceRun::Progress& progress) {
    Energy energies;
    if (!progress.energies) return energies;
    for (const EnergyComponent& component : progress.energies->energies.components()) energies.push_back(component);
    energies.push_back({"kinetic", progress.energies->energies.kinetic});
    return energies;
  }
  static void expect_same(const DeviceRun::Progress& a, const DeviceRun::Progress& b) {
    EXPECT_EQ(a.step, b.step);
    EXPECT_EQ(a.broken, b.broken);
    const Energy one = energies_of(a), other = energies_of(b);
    ASSERT_EQ(one.size(), other.size());
    for (std::size_t k = 0; k < one.size(); ++k) EXPECT_EQ(one[k].energy, other[k].energy) << one[k].name;
  }
};
INSTANTIATE_TEST_SUITE_P(Methods, StepsAheadTest, all_device_methods(), name_of_device_method);

/// Sizes for each kind of steps.
TEST_P(StepsAheadTest, ChangeNoByteOfTheStepsBefore) {
  for (const Method& method : methods())
    for (const std::size_t n : {100U, 500U, 2500U}) {
      SCOPED_TRACE(std::to_string(n) + " atoms on " + std::to_string(method.multiprocessors));
      RunConfig config = charged_run(verlet(0.002), 2'000);
      config.recenter_every = 70;
      config.recenter = Recenter::mass;
      const Structure structure = moving_atoms(n, 7);
      Run whole(config, structure, method), ahead(config, structure, method);
      std::int64_t went_on = 0;
      for (std::int64_t last = 30; last <= 600; last += 30) {
        SCOPED_TRACE(last);
        const DeviceRun::Progress alone = whole.make(last, 30, false);
        EXPECT_FALSE(whole.goes_on());
        expect_same(ahead.make(last, 30, last < 600), alone);
        EXPECT_FALSE(energies_of(alone).empty());
        went_on += ahead.goes_on() ? 1 : 0;
      }
      EXPECT_FALSE(ahead.goes_on());
      EXPECT_TRUE(same_bytes(ahead.positions(), whole.positions()));
      if (GetParam().precision == Precision::fp64 && searches()) {
        EXPECT_EQ(went_on, 0);
      }
      // Recentring is a part of persistent steps; at steps 100, 200 and 400 the scale of the forces is determined.
      if (GetParam().precision == Precision::mixed && !searches() && n < 2500) {
        EXPECT_EQ(went_on, 16);
      }
    }
}

/// Two atoms meet after 21 steps.
TEST_P(StepsAheadTest, TheirFaultDoesNotConcernTheStepsBefore) {
  for (const Method& method : methods())
    for (const std::size_t n : {100U, 500U}) {
      SCOPED_TRACE(std::to_string(n) + " atoms on " + std::to_string(method.multiprocessors));
      const RunConfig config = plain_run(verlet(0.002), 100);
      Structure structure = moving_atoms(n, 6);
      add_head_on_pair(structure, 2.6);
      Run whole(config, structure, method), ahead(config, structure, method);
      for (const std::int64_t last : {6, 12, 18}) expect_same(ahead.make(last, 6, true), whole.make(last, 6, false));
      EXPECT_TRUE(ahead.goes_on() || searches());
      const DeviceRun::Progress broken = whole.make(24, 6, false);
      EXPECT_TRUE(broken.broken);
      EXPECT_GT(broken.step, 18);
      EXPECT_LT(broken.step, 24);
      expect_same(ahead.make(24, 6, true), broken);
      EXPECT_TRUE(same_bytes(ahead.positions(), whole.positions()));
    }
}

/// What observers see does not depend on whether the device waited for them.
TEST_P(StepsAheadTest, ObserversSeeTheSame) {
  for (const Method& method : methods()) {
    SCOPED_TRACE(method.multiprocessors);
    const RunConfig config = charged_run(verlet(0.002), 1'500);
    System one = build_system(config, moving_atoms(500, 5)), other = one;
    const RunResult ahead = run_short(one, config, method, 50);
    const RunResult waits = run_short(
        other, config, method, 50, [](const Snapshot&) {}, never_stop, 50);
    ASSERT_EQ(ahead.rows.size(), 31U);
    ASSERT_EQ(waits.rows.size(), 31U);
    for (std::size_t k = 0; k < ahead.rows.size(); ++k) {
      EXPECT_EQ(ahead.rows[k].step, 50 * static_cast<std::int64_t>(k));
      EXPECT_EQ(ahead.rows[k].energies.total(), waits.rows[k].energies.total()) << "step " << ahead.rows[k].step;
    }
    EXPECT_TRUE(same_bytes(one.particles.position, other.particles.position));
  }
}

}  // namespace
}  // namespace dropmd
