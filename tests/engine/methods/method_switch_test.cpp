#include <cstring>
#include <map>
#include <set>

#include "engine/methods/make_method_source.h"
#include "engine/methods/replayed_choices.h"
#include "inputs/run_file/run_config.h"
#include "inputs/structures/structure.h"
#include "tests/support/brute_force_of_run.h"
#include "tests/support/device_runs.h"
#include "tests/support/processors.h"
#include "tests/support/random_droplets.h"
#include "tests/support/thread_ranks.h"

/// Runs that switch between methods every few steps.
namespace dropmd {
namespace {

class MethodSwitchTest : public OnProcessors {
 protected:
  /// A run with charges, a wall, recentring, and forces that vanish smoothly at the cutoff.
  static RunConfig run_of(FormChoice integrator, std::int64_t steps) {
    RunConfig config = lj_run(std::move(integrator), steps);
    config.lennard_jones->treatment = {"force-shift", {{"cutoff", 2.5}}};
    config.coulomb = FormChoice{"smoothed", {{"cutoff", 3.0}}};
    config.fields["wall"] = FormChoice{"harmonic", {{"radius", 4.0}, {"stiffness", 1.0}}};
    config.recenter = Recenter::mass;
    config.recenter_every = 5;
    config.precision = precision_of(GetParam());
    config.backend = on_cpu() ? Backend::cpu : Backend::cuda;
    config.tune = true;
    return config;
  }

  using Seen = std::map<std::int64_t, std::vector<Vec3<double>>>;
  /// Records the positions at every multiple of `every`.
  static std::unique_ptr<Observer> see(std::int64_t every, Seen& seen) {
    return std::make_unique<StepObserver>(every, every, [every, &seen](const Snapshot& snapshot) {
      if (snapshot.step % every == 0) seen[snapshot.step] = snapshot.particles.position;
    });
  }

  struct Made {
    std::vector<Vec3<double>> state;  ///< positions, velocities, forces; the last energy
    std::vector<MethodChoice> choices;
    RunEnd end;
    Seen seen;  ///< positions at the observed steps
  };
  /// Makes a run with one method where switch_every = 0; `replayed` holds choices to replay.
  static Made make(const RunConfig& config, const Structure& structure, std::int64_t switch_every,
                   const std::vector<MethodChoice>& replayed = {}, std::int64_t look_every = 7) {
    System system = build_system(config, structure);
    Method guess = choose_method(config, system.model, system.particles.size());
    guess.neighbor = NeighborMethod::pair_list;
    std::unique_ptr<MethodSource> source;
    TunerPolicy policy;
    policy.switch_every = switch_every;
    if (!replayed.empty())
      source = std::make_unique<ReplayedChoices>(replayed);
    else if (switch_every > 0)
      source = make_method_source(config, guess, system, {}, policy,
                                  [](std::int64_t, const std::string&, const std::string&) {});
    Timings timings;
    StepLoop simulation(system, config, guess, timings, std::move(source));
    Made made{};
    simulation.on_switch([&](const MethodChoice& choice) { made.choices.push_back(choice); });
    simulation.add_observer(see(look_every, made.seen));
    made.end = simulation.run(never_stop);
    made.state = system.particles.position;
    made.state.insert(made.state.end(), system.particles.velocity.begin(), system.particles.velocity.end());
    made.state.insert(made.state.end(), simulation.force().begin(), simulation.force().end());
    made.state.push_back({simulation.energies().energies.total(), simulation.energies().temperature, 0});
    return made;
  }
};
INSTANTIATE_TEST_SUITE_P(Processors, MethodSwitchTest, all_processors(), name_of_processor);

/// The physics is that of a run with one method, for every integrator: a switch loses nothing, not even the state of
/// fire. The bounds are those of tests/support/device_runs.h: rounding differs, and velocities differ by 20 times as
/// much.
TEST_P(MethodSwitchTest, ForcedEveryFewStepsMakesTheSameRun) {
  const FormChoice integrators[] = {verlet(0.002),
                                    {"langevin", {{"timestep", 0.002}, {"temperature", 0.5}, {"friction", 1.0}}},
                                    {"csvr", {{"timestep", 0.002}, {"temperature", 0.5}, {"relaxation", 0.05}}},
                                    {"fire", {{"timestep", 0.002}, {"force-tolerance", 1e-9}}}};
  for (const FormChoice& integrator : integrators) {
    SCOPED_TRACE(integrator.form);
    const RunConfig config = run_of(integrator, 40);
    const Structure structure = moving_atoms(300, 3);
    const Made fixed = make(config, structure, 0), switched = make(config, structure, 3);
    EXPECT_EQ(fixed.choices.size(), 0U);
    ASSERT_EQ(switched.choices.size(), 14U) << "steps 0, 3, ... 39";
    EXPECT_EQ(switched.end, fixed.end);
    const std::size_t n = structure.position.size();
    for (std::size_t i = 0; i < 2 * n; ++i)
      ASSERT_LT(norm(switched.state[i] - fixed.state[i]), (i < n ? 1 : 20) * bound_of(precision_of(GetParam()))) << i;
  }
}

TEST_P(MethodSwitchTest, ReplayedChoicesMakeTheSameBytes) {
  RunConfig config = run_of(verlet(0.002), 100);
  config.temperature = 0.5;
  const Structure structure = structure_of(random_droplet(Regime::liquid, 400, 5));
  const Made made = make(config, structure, 4);
  ASSERT_GT(made.choices.size(), 20U);
  EXPECT_FALSE(same_bytes(made.state, make(config, structure, 0).state)) << "a switch changes bytes";
  const Made again = make(config, structure, 0, made.choices);
  EXPECT_EQ(again.choices, made.choices);
  EXPECT_TRUE(same_bytes(again.state, made.state));
  EXPECT_TRUE(same_bytes(make(config, structure, 0, made.choices, 1).state, made.state)) << "looked at every step";
  config.threads = 2;
  EXPECT_TRUE(same_bytes(make(config, structure, 0, made.choices).state, made.state)) << "by two threads";
}

/// No pair is lost with any edge of cells and any form of a list, and a replay is bitwise identical. With this many
/// atoms, a list on a GPU has two forms in mixed precision.
TEST_P(MethodSwitchTest, EdgesAndFormsChangeEveryFewStepsAndNoPairIsLost) {
  RunConfig config = run_of(verlet(0.002), 60);
  config.fields.erase("wall");  // brute force knows pairs only
  const Structure structure = moving_atoms(2'600, 17);
  System system = build_system(config, structure);
  Method guess = choose_method(config, system.model, system.particles.size());
  TunerPolicy policy;
  policy.switch_every = 3;
  const auto run = [&](std::unique_ptr<MethodSource> source, std::vector<MethodChoice>& choices) {
    system = build_system(config, structure);
    Timings timings;
    StepLoop simulation(system, config, guess, timings, std::move(source));
    simulation.on_switch([&](const MethodChoice& choice) { choices.push_back(choice); });
    simulation.add_observer(std::make_unique<StepObserver>(4, 4, [&](const Snapshot& snapshot) {
      if (snapshot.step % 4 != 0) return;
      expect_brute_force(snapshot, system, precision_of(GetParam()));
      std::vector<Vec3<double>> force(structure.position.size());
      const PairSums exact =
          make_brute_force(Cpu{}, system.model, {system.particles.charge, system.particles.pair_species})
              ->evaluate(snapshot.particles.position, force, Want::forces_and_energies);
      // Hardly any pair is within rounding of the cutoff.
      EXPECT_NEAR(static_cast<double>(simulation.pairs().pairs_within_cutoff),
                  static_cast<double>(exact.pairs_within_cutoff), is_mixed() ? 1 : 0);
    }));
    EXPECT_EQ(simulation.run(never_stop), RunEnd::finished);
    return system.particles.position;
  };
  std::vector<MethodChoice> choices, again;
  const auto position = run(make_method_source(config, guess, system, {}, policy,
                                               [](std::int64_t, const std::string&, const std::string&) {}),
                            choices);
  ASSERT_EQ(choices.size(), 20U) << "steps 0, 3, ... 57";
  std::set<double> shares;
  std::set<ListForm> forms;
  for (const MethodChoice& choice : choices) {
    if (choice.neighbor == NeighborMethod::cells) shares.insert(choice.cell_share);
    if (choice.neighbor == NeighborMethod::pair_list) forms.insert(choice.list_form);
  }
  std::set<double> expected{1.0 / 3, 0.5, 1};
  if (GetParam() == Processor::cpu) expected.insert(usual_cell_share(system.model));
  EXPECT_EQ(shares, expected);
  EXPECT_EQ(forms.size(), GetParam() == Processor::gpu_mixed ? 2U : 1U);
  EXPECT_TRUE(same_bytes(run(std::make_unique<ReplayedChoices>(choices), again), position));
  EXPECT_EQ(again, choices);
}

TEST_P(MethodSwitchTest, AReplayOfOneChoiceIsTheRunOfThatMethod) {
  RunConfig config = run_of(verlet(0.002), 50);
  const Structure structure = moving_atoms(300, 3);
  for (const NeighborMethod method : {NeighborMethod::all_pairs, NeighborMethod::pair_list}) {
    const double skin = method == NeighborMethod::pair_list ? 0.25 : 0;
    config.skin = skin;
    System system = build_system(config, structure);
    Method fixed = choose_method(config, system.model, system.particles.size());
    fixed.neighbor = method;
    run_short(system, config, fixed, 7);
    const Made replayed = make(config, structure, 0, {{0, method, skin}});
    const std::size_t n = structure.position.size();
    EXPECT_TRUE(same_bytes({replayed.state.begin(), replayed.state.begin() + static_cast<std::ptrdiff_t>(n)},
                           system.particles.position));
  }
}

/// The tuner chooses by the clock and in few steps; any choice is fine. It counts the pairs when it begins, if at all,
/// and counting does not change the run.
TEST_P(MethodSwitchTest, ATunerByTheClockIsReplayed) {
  constexpr std::int64_t kSteps = 1'000;
  RunConfig config = run_of(verlet(0.002), kSteps);
  config.temperature = 0.5;
  const Structure structure = structure_of(random_droplet(Regime::liquid, 400, 5));
  TunerPolicy hasty;
  hasty.least_steps = 1;
  hasty.largest_share = 1e9;
  hasty.trial_seconds = hasty.longest_trial = hasty.screen_seconds = hasty.look_seconds = 0;
  hasty.trial_steps = 6;
  hasty.rounds = 1;  // at most some 50 candidates with 8 steps each, done long before the last step
  hasty.screen_steps = hasty.warm_steps = 2;
  hasty.look_every = 20;
  System system = build_system(config, structure);
  const Method guess = choose_method(config, system.model, system.particles.size());
  Timings timings;
  std::size_t said = 0;
  std::vector<MethodChoice> choices;
  Seen seen;
  StepLoop simulation(system, config, guess, timings,
                      make_method_source(config, guess, system, {}, hasty,
                                         [&](std::int64_t, const std::string&, const std::string&) { ++said; }));
  simulation.on_switch([&](const MethodChoice& choice) { choices.push_back(choice); });
  simulation.add_observer(see(7, seen));
  EXPECT_EQ(simulation.run(never_stop), RunEnd::finished);
  EXPECT_GE(said, 2U) << "tuned more than once";
  EXPECT_GE(choices.size(), 3U);
  const Made again = make(config, structure, 0, choices);
  EXPECT_TRUE(same_bytes({again.state.begin(), again.state.begin() + 400}, system.particles.position));
  ASSERT_EQ(seen.size(), static_cast<std::size_t>(1 + kSteps / 7));
  for (const auto& [step, position] : seen) {
    std::ostringstream all;
    for (const MethodChoice& choice : choices)
      all << choice.step << " " << word_of(choice.neighbor) << " " << choice.skin << "; ";
    ASSERT_TRUE(same_bytes(again.seen.at(step), position)) << "step " << step << " of the choices " << all.str();
  }
}

/// Requests a pair list at step 5, which a model without cutoff does not allow.
class Impossible final : public MethodSource {
 public:
  explicit Impossible(bool takes_refusal) : takes_refusal_(takes_refusal) {}
  MethodChoice first() const override { return {0, NeighborMethod::all_pairs, 0}; }
  MethodRequest next(const StepReport& report, const std::function<StepSums()>&) override {
    const bool orders = report.step == 5 && !report.refused;
    return {{report.step, orders ? NeighborMethod::pair_list : NeighborMethod::all_pairs, 0.0},
            report.step < 5 ? 5 : std::int64_t{1'000'000}};
  }
  bool takes_refusal() const override { return takes_refusal_; }

 private:
  bool takes_refusal_;
};

TEST_P(MethodSwitchTest, WhatCannotBeUsedIsRefusedOrEndsTheRun) {
  RunConfig config = run_of(verlet(0.002), 12);
  config.lennard_jones->treatment = {"none"};
  config.coulomb = FormChoice{"exact"};
  const Structure structure = moving_atoms(200, 3);
  const auto run = [&](std::unique_ptr<MethodSource> source, System& system, std::vector<MethodChoice>& choices,
                       RunRanks* ranks = nullptr) {
    Method method = choose_method(config, system.model, system.particles.size());
    method.ranks = ranks;
    Timings timings;
    StepLoop simulation(system, config, method, timings, std::move(source));
    simulation.on_switch([&](const MethodChoice& choice) { choices.push_back(choice); });
    return simulation.run(never_stop);
  };
  std::vector<MethodChoice> choices, again;
  System system = build_system(config, structure), replayed = build_system(config, structure);
  EXPECT_EQ(run(std::make_unique<Impossible>(true), system, choices), RunEnd::finished);
  EXPECT_EQ(choices, (std::vector<MethodChoice>{{0, NeighborMethod::all_pairs, 0}, {5, NeighborMethod::all_pairs, 0}}));
  EXPECT_EQ(run(std::make_unique<ReplayedChoices>(choices), replayed, again), RunEnd::finished);
  EXPECT_EQ(again, choices);
  EXPECT_TRUE(same_bytes(replayed.particles.position, system.particles.position));
  System broken = build_system(config, structure);
  EXPECT_THROW(run(std::make_unique<Impossible>(false), broken, again), InputError);
  if (!on_cpu()) return;  // two ranks on one GPU are refused
  ThreadRanks two(2);
  const auto part = [&](RunRanks& ranks) {
    System of_rank = build_system(config, structure);
    std::vector<MethodChoice> ignored;
    run(std::make_unique<Impossible>(true), of_rank, ignored, &ranks);
  };
  EXPECT_THROW(two.run(part), InputError);
}

}  // namespace
}  // namespace dropmd
