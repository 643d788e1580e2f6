#include <gtest/gtest.h>

#include <numeric>

#include "engine/force_errors.h"
#include "inputs/run_file/run_config.h"
#include "inputs/structures/structure.h"
#include "tests/support/device_runs.h"

/// Runs by pair lists that are stale in most steps, or in all of them: no pair is lost, and no step is made twice.
namespace dropmd {
namespace {

struct ListWay {
  Backend backend;
  Precision precision;
};
void PrintTo(const ListWay& way, std::ostream* out) { *out << word_of(way.backend) << '_' << word_of(way.precision); }

class StaleLists : public testing::TestWithParam<ListWay> {
 protected:
  void SetUp() override {
    if (GetParam().backend != Backend::cuda) return;
    if (const std::string reason = query_devices().reason; !reason.empty()) GTEST_SKIP() << reason;
  }
  static Method by_list(const RunConfig& config) {
    Method method = fp64_method(1, NeighborMethod::pair_list);
    method.backend = GetParam().backend;
    method.precision = GetParam().precision;
    method.skin = config.skin.value();
    return method;
  }
  /// The cutoffs are not representable in fp32.
  static RunConfig charged_run(FormChoice integrator, std::int64_t steps, double skin) {
    RunConfig config = lj_run(std::move(integrator), steps);
    config.lennard_jones->treatment = {"force-shift", {{"cutoff", 2.45}}};
    config.coulomb = FormChoice{"smoothed", {{"cutoff", 3.1}}};
    config.recenter_every = 9;
    config.recenter = Recenter::mass;
    config.skin = skin;
    return config;
  }
  static void expect_brute_force(const Snapshot& s, const System& system) {
    std::vector<std::uint32_t> everyone(s.particles.size());
    std::iota(everyone.begin(), everyone.end(), 0U);
    const auto exact = brute_force_atoms(Cpu{1}, system.model, {system.particles.charge, system.particles.pair_species},
                                         s.particles.position, everyone);
    const ForceErrors errors = force_errors(s.force, everyone, exact, GetParam().precision, scale_of_terms(exact));
    EXPECT_LE(errors.rms, bounds_of(GetParam().precision).rms_force) << "step " << s.step;
    EXPECT_LE(errors.worst, bounds_of(GetParam().precision).worst_force) << "step " << s.step;
  }
};
INSTANTIATE_TEST_SUITE_P(All, StaleLists,
                         testing::Values(ListWay{Backend::cpu, Precision::mixed},
                                         ListWay{Backend::cpu, Precision::fp64},
                                         ListWay{Backend::cuda, Precision::mixed},
                                         ListWay{Backend::cuda, Precision::fp64}),
                         [](const auto& instance) { return testing::PrintToString(instance.param); });

/// A hot droplet evaporates; on a GPU the steps between observations are made without the host.
TEST_P(StaleLists, WithoutSkinARunHasBruteForce) {
  for (const auto& [n, look_every] : {std::pair{90U, 1}, {700U, 1}, {700U, 13}, {2500U, 20}}) {
    SCOPED_TRACE(std::to_string(n) + " atoms, every " + std::to_string(look_every));
    RunConfig config = charged_run(verlet(0.002), 60, 0.0);
    Structure structure = moving_atoms(n, 7);
    for (Vec3<double>& v : structure.velocity) v *= 4;
    System system = build_system(config, structure);
    std::int64_t seen = 0;
    const auto look = [&](const Snapshot& s) {
      ++seen;
      expect_brute_force(s, system);
    };
    const RunResult run = run_short(system, config, by_list(config), 0, look, never_stop, look_every);
    EXPECT_EQ(run.steps, 60);
    EXPECT_EQ(seen, 60 / look_every + 1);
    EXPECT_GT(largest_difference(system.particles.position, structure.position), 0.2) << "nothing has moved";
  }
}

/// Some integrators have sums over all atoms: a step that waits for its list must not add to them twice. The reference
/// is all pairs in double precision on the CPU, with the bounds of any run on a GPU.
TEST_P(StaleLists, MakeTheRunOfAllPairsWithEveryIntegrator) {
  const FormChoice integrators[] = {verlet(0.002),
                                    {"langevin", {{"timestep", 0.002}, {"temperature", 0.5}, {"friction", 1.0}}},
                                    {"csvr", {{"timestep", 0.002}, {"temperature", 0.5}, {"relaxation", 0.05}}},
                                    {"fire", {{"timestep", 0.002}, {"force-tolerance", 1e-9}}},
                                    {"descent", {{"factor", 1e-4}}}};
  for (const FormChoice& integrator : integrators)
    for (const std::size_t n : {100U, 300U, 2300U})
      for (const double skin : {0.0, 1e-3, 2e-2}) {
        SCOPED_TRACE(integrator.form + ", " + std::to_string(n) + " atoms, skin " + std::to_string(skin));
        const RunConfig config = charged_run(integrator, 20, skin);
        const Structure structure = moving_atoms(n, 11);
        System all = build_system(config, structure), listed = build_system(config, structure);
        const RunResult expected = run_short(all, config, fp64_method(), 5);
        const RunResult run = run_short(listed, config, by_list(config), 5);
        EXPECT_EQ(run.steps, 20);
        const double bound = bound_of(GetParam().precision);
        EXPECT_LT(largest_difference(listed.particles.position, all.particles.position), bound);
        EXPECT_LT(largest_difference(listed.particles.velocity, all.particles.velocity), 20 * bound);
        ASSERT_EQ(run.rows.size(), expected.rows.size());
        for (std::size_t k = 0; k < run.rows.size(); ++k)
          EXPECT_NEAR(run.rows[k].temperature, expected.rows[k].temperature, bound * (1 + expected.rows[k].temperature))
              << "step " << run.rows[k].step;
      }
}

/// The run includes the sorting of the atoms at step 1000.
TEST_P(StaleLists, StayInTheBoundsThroughAThousandSteps) {
  const FormChoice csvr{"csvr", {{"timestep", 0.002}, {"temperature", 1.5}, {"relaxation", 0.1}}};
  const FormChoice fire{"fire", {{"timestep", 0.002}, {"force-tolerance", 1e-9}}};
  for (const FormChoice& integrator : {csvr, fire}) {
    SCOPED_TRACE(integrator.form);
    const RunConfig config = charged_run(integrator, 1100, 0.01);
    System system = build_system(config, moving_atoms(400, 13));
    const auto look = [&](const Snapshot& s) { expect_brute_force(s, system); };
    run_short(system, config, by_list(config), 0, look, never_stop, 275);
  }
}

}  // namespace
}  // namespace dropmd
