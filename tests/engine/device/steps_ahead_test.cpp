#include <algorithm>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "engine/device/device_run.h"
#include "engine/methods/step_cost.h"
#include "inputs/run_file/run_config.h"
#include "inputs/structures/structure.h"
#include "tests/support/device_runs.h"
#include "tests/support/molecules/water_droplet.h"

/// Steps with which a GPU goes on before the host has seen those before them (StepWants::next).
namespace dropmd {
namespace {

/// A device run without the host's step loop around it.
class PlainRun {
 public:
  PlainRun(const RunConfig& config, const System& system, const Method& method) : config_(config), system_(system) {
    run_ = make_device_run(system_, config_, with_fitting_skin(method, system_, config_), 3 * system_.particles.size());
    run_->upload(system_.particles, 0);
  }

  /// Performs the steps up to `last`. next: the last of the steps with which the device may go on at once.
  DeviceRun::Progress make(std::int64_t last, std::int64_t next = 0) {
    StepWants wants{.energies = true};
    wants.next = next, wants.next_energies = next > 0;
    goes_on_ = run_->start(last, wants);
    return run_->finish();
  }
  /// Whether it went on.
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

using Energy = std::vector<EnergyComponent>;

Energy energies_of(const DeviceRun::Progress& progress) {
  Energy energies;
  if (!progress.energies) return energies;
  for (const EnergyComponent& component : progress.energies->energies.components()) energies.push_back(component);
  energies.push_back({"kinetic", progress.energies->energies.kinetic});
  return energies;
}

void expect_same(const DeviceRun::Progress& a, const DeviceRun::Progress& b) {
  EXPECT_EQ(a.step, b.step);
  EXPECT_EQ(a.broken, b.broken);
  const Energy one = energies_of(a), other = energies_of(b);
  ASSERT_EQ(one.size(), other.size());
  for (std::size_t k = 0; k < one.size(); ++k) EXPECT_EQ(one[k].energy, other[k].energy) << one[k].name;
}

class StepsAheadTest : public DeviceRunTest {
 protected:
  /// The methods of these tests: the whole GPU and, where all pairs are computed in mixed precision, a share of it.
  static std::vector<Method> methods() {
    std::vector<Method> all = {gpu()};
    if (GetParam().neighbor == NeighborMethod::all_pairs && GetParam().precision == Precision::mixed) {
      all.push_back(gpu());
      all.back().multiprocessors = 2;
    }
    return all;
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
      const System system = build_system(config, moving_atoms(n, 7));
      PlainRun whole(config, system, method), ahead(config, system, method);
      std::int64_t went_on = 0;
      for (std::int64_t last = 30; last <= 600; last += 30) {
        SCOPED_TRACE(last);
        const DeviceRun::Progress alone = whole.make(last);
        EXPECT_FALSE(whole.goes_on());
        expect_same(ahead.make(last, last < 600 ? last + 30 : 0), alone);
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
      const System system = build_system(config, structure);
      PlainRun whole(config, system, method), ahead(config, system, method);
      for (const std::int64_t last : {6, 12, 18}) expect_same(ahead.make(last, last + 6), whole.make(last));
      EXPECT_TRUE(ahead.goes_on() || searches());
      const DeviceRun::Progress broken = whole.make(24);
      EXPECT_TRUE(broken.broken);
      EXPECT_GT(broken.step, 18);
      EXPECT_LT(broken.step, 24);
      expect_same(ahead.make(24, 30), broken);
      EXPECT_TRUE(same_bytes(ahead.positions(), whole.positions()));
    }
}

/// Two waters meet head-on far from all others. The step that breaks is the first one after those that are finished,
/// and it breaks when they are moved.
TEST(StepsAheadOfWater, MayBreakInTheirFirstMove) {
  if (const std::string reason = query_devices().reason; !reason.empty()) GTEST_SKIP() << reason;
  RunConfig config = lj_run(verlet(1.0), 900);
  config.units = UnitSystem::real;
  config.lennard_jones = LennardJonesConfig{.epsilon = {}, .sigma = {}, .treatment = {"none"}};
  config.coulomb = FormChoice{"exact"};
  System system = water_droplet(water_models()[0], 150, config);
  system.particles.velocity.resize(system.particles.size());
  for (const double side : {1.0, -1.0}) {
    const std::size_t first = side > 0 ? 0 : 3;
    const Vec3<double> to = Vec3<double>{side * 12, 300, 0} - system.particles.position[first];
    for (std::size_t k = first; k < first + 3; ++k) {
      system.particles.position[k] += to;
      system.particles.velocity[k] = {-side * 0.3, 0, 0};
    }
  }
  for (const auto& [precision, multiprocessors] :
       {std::pair{Precision::fp64, 0}, {Precision::mixed, 0}, {Precision::mixed, 2}}) {
    SCOPED_TRACE(std::string(word_of(precision)) + " on " + std::to_string(multiprocessors));
    Method method = fp64_method();
    method.backend = Backend::cuda;
    method.precision = precision;
    method.multiprocessors = multiprocessors;
    PlainRun probe(config, system, method);
    std::int64_t complete = 0;
    while (complete < 200 && !probe.make(complete + 1).broken) ++complete;
    ASSERT_GT(complete, 20);
    ASSERT_LT(complete, 200);
    PlainRun whole(config, system, method), ahead(config, system, method);
    expect_same(ahead.make(complete - 5, complete), whole.make(complete - 5));
    expect_same(ahead.make(complete, complete + 5), whole.make(complete));
    EXPECT_TRUE(ahead.goes_on());
    const DeviceRun::Progress broken = whole.make(complete + 5);
    EXPECT_TRUE(broken.broken);
    EXPECT_EQ(broken.step, complete);
    expect_same(ahead.make(complete + 5), broken);
    EXPECT_TRUE(same_bytes(ahead.positions(), whole.positions()));
  }
}

/// What observers see does not depend on whether the device waited for them. Some of the steps are kept for them.
TEST_P(StepsAheadTest, ObserversSeeTheSame) {
  for (const Method& method : methods()) {
    SCOPED_TRACE(method.multiprocessors);
    const RunConfig config = charged_run(verlet(0.002), 1'500);
    const System start = build_system(config, moving_atoms(500, 5));
    struct Seen {
      RunResult run;
      std::vector<Vec3<double>> positions, last;
    };
    const auto seen_with = [&](std::int64_t state_every) {
      Seen seen;
      System system = start;
      const auto look = [&](const Snapshot& s) {
        if (s.step == 700) seen.positions = s.particles.position;
      };
      seen.run = run_short(system, config, method, 50, state_every > 0 ? look : StepObserver::Look(), never_stop,
                           std::max<std::int64_t>(state_every, 1));
      seen.last = system.particles.position;
      return seen;
    };
    const Seen waits = seen_with(50);
    ASSERT_EQ(waits.run.rows.size(), 31U);
    for (const std::int64_t state_every : {0, 100, 350}) {
      SCOPED_TRACE(state_every);
      const Seen ahead = seen_with(state_every);
      ASSERT_EQ(ahead.run.rows.size(), 31U);
      for (std::size_t k = 0; k < ahead.run.rows.size(); ++k) {
        EXPECT_EQ(ahead.run.rows[k].step, 50 * static_cast<std::int64_t>(k));
        EXPECT_EQ(ahead.run.rows[k].energies.total(), waits.run.rows[k].energies.total()) << "row " << k;
      }
      if (state_every > 0) {
        EXPECT_TRUE(same_bytes(ahead.positions, waits.positions));
      }
      EXPECT_TRUE(same_bytes(ahead.last, waits.last));
    }
  }
}

}  // namespace
}  // namespace dropmd
