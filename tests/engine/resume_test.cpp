#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstring>
#include <map>
#include <random>

#include "core/errors.h"
#include "engine/jobs/compare.h"  // bounds_of
#include "engine/methods/replayed_choices.h"
#include "inputs/run_file/run_config.h"
#include "inputs/structures/structure.h"
#include "tests/support/fcc_ball.h"
#include "tests/support/force_error.h"
#include "tests/support/short_run.h"

/// A run that resumes from a state, without its files. tests/app/resume_test.cpp tests those.
namespace dropmd {
namespace {

constexpr std::int64_t kSteps = 120;
constexpr std::int64_t kStops[] = {0, 1, 7, 100, kSteps};

/// A small crystal with charges, so hot that atoms leave their lattice sites, and some leave the droplet.
Structure hot_ball() {
  Structure structure = structure_of(fcc_ball(12));
  std::mt19937 random(3);
  std::normal_distribution<double> normal;
  const auto vector = [&] {
    const double x = normal(random), y = normal(random), z = normal(random);
    return Vec3<double>{x, y, z};
  };
  for (std::size_t i = 0; i < structure.position.size(); ++i) {
    structure.position[i] += 0.03 * vector() + Vec3<double>{2, -1, 0.5};
    structure.velocity.push_back(2.0 * vector());
    structure.charge[i] = i % 2 == 0 ? 0.3 : -0.3;
  }
  return structure;
}

std::vector<FormChoice> all_integrators() {
  return {verlet(0.004),
          {"langevin", {{"timestep", 0.004}, {"temperature", 3.0}, {"friction", 0.5}}},
          {"csvr", {{"timestep", 0.004}, {"temperature", 3.0}, {"relaxation", 0.2}}},
          {"descent", {{"factor", 2e-4}}},
          {"fire", {{"timestep", 0.004}, {"force-tolerance", 1e-9}}}};
}

/// A run with cutoffs, a wall that some atoms touch, recentring and removal of momenta every 5 steps.
RunConfig hot_run(const FormChoice& integrator, std::int64_t steps = kSteps) {
  RunConfig config = lj_run(integrator, steps);
  config.lennard_jones->treatment = {"force-shift", {{"cutoff", 2.5}}};
  config.coulomb = FormChoice{"smoothed", {{"cutoff", 2.8}}};
  config.fields["wall"] = FormChoice{"harmonic", {{"radius", 4.0}, {"stiffness", 3.0}}};
  config.fields["field"] =
      FormChoice{"uniform", {{"strength.x", 0.2}, {"strength.y", 0.0}, {"strength.z", -0.1}, {"frequency", 1.7}}};
  config.recenter_every = 5;
  config.recenter = Recenter::mass;
  config.remove_momentum = RemoveMomentum::both;
  config.skin = 0.2;
  return config;
}

struct NamedMethod {
  std::string name;
  Method method;
};

Method cpu_method(NeighborMethod neighbor, Precision precision, double skin = 0, int threads = 1) {
  Method method = fp64_method(threads, neighbor);
  method.precision = precision;
  method.skin = skin;
  return method;
}

std::vector<NamedMethod> cpu_methods() {
  std::vector<NamedMethod> methods;
  for (const Precision precision : {Precision::mixed, Precision::fp64}) {
    const std::string suffix = precision == Precision::mixed ? " mixed" : " fp64";
    methods.push_back({"all pairs" + suffix, cpu_method(NeighborMethod::all_pairs, precision)});
    methods.push_back({"cells" + suffix, cpu_method(NeighborMethod::cells, precision)});
    methods.push_back({"sorted cells" + suffix, cpu_method(NeighborMethod::sorted_cells, precision)});
    methods.push_back({"kept sorted cells" + suffix, cpu_method(NeighborMethod::sorted_cells, precision, 0.2)});
    methods.push_back({"pair list" + suffix, cpu_method(NeighborMethod::pair_list, precision, 0.2)});
  }
  return methods;
}

template <class T>
bool same_bits(const std::vector<T>& a, const std::vector<T>& b) {
  return a.size() == b.size() && (a.empty() || std::memcmp(a.data(), b.data(), a.size() * sizeof(T)) == 0);
}

/// What a run shows and its final state.
struct Shown {
  RunEnd end = RunEnd::finished;
  std::map<std::int64_t, EnergyRow> rows;
  std::map<std::int64_t, RunState> states;  ///< at the steps asked for and at the last one
  std::vector<Vec3<double>> position, velocity, force;
};

/// Runs from a state (null: from the start), and takes states on the way, as checkpoints do.
Shown run_from(const RunConfig& config, const Method& method, const RunState* from = nullptr,
               std::span<const std::int64_t> states_at = {}, const Structure& structure = hot_ball(),
               std::unique_ptr<MethodSource> source = nullptr) {
  System system = build_system(config, structure);
  if (from != nullptr) {  // a run that resumes knows only the state
    system.particles.position.assign(system.particles.size(), {1e3, 1e3, 1e3});
    system.particles.velocity.assign(system.particles.size(), {1e3, 1e3, 1e3});
  }
  Timings timings;
  StepLoop simulation(system, config, method, timings, std::move(source), from);
  EXPECT_EQ(simulation.step(), from != nullptr ? from->step : 0);
  Shown shown;
  simulation.add_observer(std::make_unique<StepObserver>(1, 1, [&](const Snapshot& s) {
    EXPECT_TRUE(shown.rows.emplace(s.step, *s.energies).second) << "seen twice: " << s.step;
    if (std::find(states_at.begin(), states_at.end(), s.step) != states_at.end())
      shown.states.emplace(s.step, simulation.state());
  }));
  shown.end = simulation.run(never_stop);
  shown.states.insert_or_assign(simulation.step(), simulation.state());
  shown.position = system.particles.position;
  shown.velocity = system.particles.velocity;
  shown.force = simulation.force();
  return shown;
}

std::vector<double> numbers_of(const EnergyRow& row) {
  std::vector<double> numbers{row.time, row.energies.kinetic, row.temperature};
  for (const EnergyComponent& component : row.energies.components()) numbers.push_back(component.energy);
  numbers.insert(numbers.end(), row.ledger.booked.begin(), row.ledger.booked.end());
  return numbers;
}

bool same_row(const EnergyRow& a, const EnergyRow& b) {
  return a.step == b.step && same_bits(numbers_of(a), numbers_of(b));
}

bool same_state(const RunState& a, const RunState& b) {
  return a.step == b.step && a.n_dof == b.n_dof && same_bits(a.position, b.position) &&
         same_bits(a.velocity, b.velocity) && same_bits(a.integrator_state, b.integrator_state) &&
         a.booked == b.booked && a.backend == b.backend && a.precision == b.precision && a.choice == b.choice &&
         same_bits(a.force, b.force) && same_bits(a.list_positions, b.list_positions);
}

/// Compares everything that comes after the state.
void expect_resumes(const Shown& resumed, const Shown& whole, std::int64_t from) {
  EXPECT_EQ(resumed.end, whole.end);
  ASSERT_EQ(resumed.rows.size() + static_cast<std::size_t>(from) + 1, whole.rows.size())
      << "the step of the state was seen before it was saved";
  for (const auto& [step, row] : resumed.rows) ASSERT_TRUE(same_row(row, whole.rows.at(step))) << "step " << step;
  EXPECT_TRUE(same_bits(resumed.position, whole.position));
  EXPECT_TRUE(same_bits(resumed.velocity, whole.velocity));
  EXPECT_TRUE(same_bits(resumed.force, whole.force));
  EXPECT_TRUE(same_state(resumed.states.rbegin()->second, whole.states.rbegin()->second));
}

TEST(Resume, EveryMethodAndIntegratorResumesToTheLastBit) {
  int held = 0, went_stale = 0;
  for (const FormChoice& integrator : all_integrators())
    for (const NamedMethod& named : cpu_methods()) {
      SCOPED_TRACE(integrator.form + ", " + named.name);
      const RunConfig config = hot_run(integrator);
      const Shown whole = run_from(config, named.method, nullptr, kStops);
      ASSERT_EQ(whole.rows.size(), static_cast<std::size_t>(kSteps + 1));
      for (const std::int64_t stop : kStops) {
        SCOPED_TRACE(stop);
        const RunState& state = whole.states.at(stop);
        expect_resumes(run_from(config, named.method, &state), whole, stop);
        if (HasFailure()) return;
        if (state.list_positions.empty()) continue;
        ++(same_bits(state.list_positions, whole.states.at(0).list_positions) ? held : went_stale);
      }
      EXPECT_EQ(whole.states.at(0).list_positions.empty(), named.method.skin == 0) << "what keeps a list tells it";
    }
  EXPECT_GT(held, 0) << "steps whose list was built before";
  EXPECT_GT(went_stale, 0) << "and such as had another one";
}

TEST(Resume, TheStateIsTheSameWhateverTheThreads) {
  for (const NeighborMethod neighbor :
       {NeighborMethod::pair_list, NeighborMethod::sorted_cells, NeighborMethod::cells}) {
    const RunConfig config = hot_run(verlet(0.004));
    const double skin = neighbor == NeighborMethod::cells ? 0 : 0.2;
    const Method one = cpu_method(neighbor, Precision::mixed, skin, 1);
    const Method three = cpu_method(neighbor, Precision::mixed, skin, 3);
    const Shown whole = run_from(config, one, nullptr, kStops), by_three = run_from(config, three, nullptr, kStops);
    for (const std::int64_t stop : {std::int64_t{1}, std::int64_t{100}}) {
      EXPECT_TRUE(same_state(whole.states.at(stop), by_three.states.at(stop)));
      expect_resumes(run_from(config, three, &whole.states.at(stop)), whole, stop);
      expect_resumes(run_from(config, one, &by_three.states.at(stop)), whole, stop);
    }
  }
}

/// As after a signal, the run ends at that step and computes its energies once more.
TEST(Resume, ResumesFromWhereItWasStopped) {
  const RunConfig config = hot_run(verlet(0.004));
  const Method method = cpu_method(NeighborMethod::pair_list, Precision::mixed, 0.2);
  const Shown whole = run_from(config, method, nullptr, kStops);
  for (const std::int64_t stop : kStops) {
    System system = build_system(config, hot_ball());
    Timings timings;
    StepLoop simulation(system, config, method, timings);
    const RunEnd end = simulation.run([&] { return simulation.step() >= stop; });
    EXPECT_EQ(end, stop < kSteps ? RunEnd::interrupted : RunEnd::finished);
    EXPECT_TRUE(same_state(simulation.state(), whole.states.at(stop))) << stop;
  }
}

TEST(Resume, ManyTimesOverIsTheSameRun) {
  for (const FormChoice& integrator : all_integrators()) {
    const Method method = cpu_method(NeighborMethod::pair_list, Precision::mixed, 0.2);
    const Shown whole = run_from(hot_run(integrator), method);
    RunState state = run_from(hot_run(integrator, 0), method).states.at(0);
    for (std::int64_t stop = 3; stop < kSteps; stop += 13)
      state = run_from(hot_run(integrator, stop), method, &state).states.at(stop);
    expect_resumes(run_from(hot_run(integrator), method, &state), whole, state.step);
  }
}

/// A finished run that resumes has nothing to do, and reports the same.
TEST(Resume, AtTheEndNothingIsLeftToDo) {
  for (const NamedMethod& named : cpu_methods()) {
    const RunConfig config = hot_run(verlet(0.004), 30);
    const Shown whole = run_from(config, named.method);
    System system = build_system(config, hot_ball());
    Timings timings;
    const RunState& last = whole.states.at(30);
    StepLoop simulation(system, config, named.method, timings, nullptr, &last);
    EXPECT_EQ(simulation.run(never_stop), RunEnd::finished);
    EXPECT_TRUE(same_row(simulation.energies(), whole.rows.at(30))) << named.name;
    EXPECT_TRUE(same_bits(simulation.force(), whole.force)) << named.name;
    EXPECT_TRUE(same_state(simulation.state(), last)) << named.name;
  }
}

TEST(Resume, AMinimiserThatHasConvergedStaysWhereItIs) {
  RunConfig config = lj_run({"fire", {{"timestep", 0.01}, {"force-tolerance", 1e-3}}}, 5000);
  config.recenter_every = 50;
  config.recenter = Recenter::geometric;
  const Structure start = structure_of(fcc_ball(4));
  const Shown whole = run_from(config, fp64_method(), nullptr, {}, start);
  ASSERT_EQ(whole.end, RunEnd::converged);
  const RunState last = whole.states.rbegin()->second;
  const Shown again = run_from(config, fp64_method(), &last, {}, start);
  EXPECT_EQ(again.end, RunEnd::converged);
  EXPECT_TRUE(again.rows.empty());
  EXPECT_TRUE(same_bits(again.position, whole.position));
}

/// Replayed choices, with the state before, at and after a change.
TEST(Resume, ResumesBetweenChoicesThatAreMadeAgain) {
  const RunConfig config = [] {
    RunConfig automatic = hot_run(verlet(0.004));
    automatic.skin.reset();
    return automatic;
  }();
  const std::vector<MethodChoice> choices{{0, NeighborMethod::pair_list, 0.3},
                                          {7, NeighborMethod::sorted_cells, 0.2},
                                          {40, NeighborMethod::sorted_cells, 0.2},  // the same method, rebuilt
                                          {100, NeighborMethod::cells, 0, 0.5}};
  const Method method = cpu_method(NeighborMethod::all_pairs, Precision::mixed);
  const auto source = [&] { return std::make_unique<ReplayedChoices>(choices); };
  const std::int64_t stops[] = {0, 3, 7, 8, 39, 40, 41, 100, 101};
  const Shown whole = run_from(config, method, nullptr, stops, hot_ball(), source());
  for (const std::int64_t stop : stops) {
    SCOPED_TRACE(stop);
    expect_resumes(run_from(config, method, &whole.states.at(stop), {}, hot_ball(), source()), whole, stop);
  }
}

/// Energy and forces of the state itself are within the bounds of the worse precision, and so are the next few steps.
TEST(Resume, AnotherMethodOrPrecisionResumesWithinRounding) {
  const std::vector<NamedMethod> methods = cpu_methods();
  const RunConfig short_run = hot_run(verlet(0.004), 20);
  const std::int64_t stop = 10;
  for (const NamedMethod& before : methods) {
    const Shown whole = run_from(short_run, before.method, nullptr, std::span(&stop, 1));
    const RunState& state = whole.states.at(stop);
    const Shown there = run_from(hot_run(verlet(0.004), stop), before.method);
    for (const NamedMethod& after : methods) {
      SCOPED_TRACE(before.name + ", then " + after.name);
      RunConfig config = hot_run(verlet(0.004), stop);
      config.neighbor = after.method.neighbor;
      config.skin = after.method.skin;
      const Shown here = run_from(config, after.method, &state);
      const MethodChoice& choice = here.states.at(stop).choice;
      EXPECT_EQ(choice.neighbor, after.method.neighbor) << "the method that was asked for";
      EXPECT_EQ(choice.skin, after.method.skin);
      EXPECT_EQ(here.states.at(stop).precision, after.method.precision);
      const Precision worse = before.method.precision == Precision::mixed ? Precision::mixed : after.method.precision;
      const ForceError error = force_error(here.force, there.force);
      EXPECT_LE(error.rms, 2 * bounds_of(worse).rms_force);
      EXPECT_LE(error.worst, 2 * bounds_of(worse).worst_force);
      EXPECT_TRUE(same_bits(here.position, state.position));
      config.steps = 20;
      const Shown later = run_from(config, after.method, &state);
      ASSERT_EQ(later.rows.size(), 10U);
      const double total = whole.rows.at(20).energies.total();
      EXPECT_NEAR(later.rows.at(20).energies.total(), total, (worse == Precision::mixed ? 1e-5 : 1e-11) * 100);
      for (std::size_t i = 0; i < later.position.size(); ++i)
        EXPECT_LT(norm(later.position[i] - whole.position[i]), worse == Precision::mixed ? 1e-5 : 1e-11) << i;
    }
  }
}

TEST(Resume, DegreesOfFreedomAreThoseOfTheStart) {
  RunConfig config = hot_run(verlet(0.004), 10);
  config.remove_momentum = RemoveMomentum::none;
  config.temperature = 2.0;
  Structure cold = hot_ball();
  cold.velocity.clear();  // drawn velocities, without momentum; the state alone does not say so
  const std::int64_t stop = 4;
  const Method method = cpu_method(NeighborMethod::cells, Precision::fp64);
  const Shown whole = run_from(config, method, nullptr, std::span(&stop, 1), cold);
  const RunState& state = whole.states.at(stop);
  EXPECT_EQ(state.n_dof, 3 * cold.position.size() - 3);
  expect_resumes(run_from(config, method, &state), whole, stop);
}

TEST(Resume, AStateOfAnotherRunIsRefused) {
  const RunConfig config = hot_run(verlet(0.004), 20);
  const Method method = cpu_method(NeighborMethod::pair_list, Precision::mixed, 0.2);
  const RunState good = run_from(hot_run(verlet(0.004), 10), method).states.at(10);
  const auto expect_refused = [&](const RunConfig& run, const auto& change) {
    RunState state = good;
    change(state);
    EXPECT_THROW(run_from(run, method, &state), std::invalid_argument);
  };
  expect_refused(config, [](RunState& s) { s.position.pop_back(); });
  expect_refused(config, [](RunState& s) { s.velocity.emplace_back(); });
  expect_refused(config, [](RunState& s) { s.position.clear(), s.velocity.clear(); });
  expect_refused(config, [](RunState& s) { s.integrator_state = {0.004, 0.1, 0}; });
  expect_refused(hot_run({"fire", {{"timestep", 0.004}, {"force-tolerance", 1e-9}}}), [](RunState&) {});
  RunState broken = good;
  broken.position[3].y = std::nan("");
  EXPECT_THROW(run_from(config, method, &broken), PhysicsError);
}

TEST(Resume, AStateWithoutForcesMakesThem) {
  const RunConfig config = hot_run(verlet(0.004), 20);
  const Method method = cpu_method(NeighborMethod::all_pairs, Precision::fp64);
  const std::int64_t stop = 10;
  const Shown whole = run_from(config, method, nullptr, std::span(&stop, 1));
  RunState bare = whole.states.at(stop);
  bare.force.clear();
  expect_resumes(run_from(config, method, &bare), whole, stop);  // all-pairs keeps nothing
}

TEST(Resume, NoAtomsAndOneAtomGoOn) {
  for (const std::size_t n : {0U, 1U}) {
    RunConfig config = lj_run(verlet(0.01), 10);
    Structure structure = structure_of(ChargedAtoms{});
    if (n == 1) structure = structure_of(fcc_ball(0));
    structure.velocity.assign(n, {1, 2, 3});
    const std::int64_t stop = 4;
    const Shown whole = run_from(config, fp64_method(), nullptr, std::span(&stop, 1), structure);
    expect_resumes(run_from(config, fp64_method(), &whole.states.at(stop), {}, structure), whole, stop);
  }
}

}  // namespace
}  // namespace dropmd
