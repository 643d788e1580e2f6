#include "bench/step.h"

#include <algorithm>
#include <cmath>
#include <memory>

#include "bench/benchmark_droplet.h"
#include "core/clock.h"
#include "engine/mesh_check.h"
#include "engine/methods/catalogue.h"
#include "engine/methods/make_method_source.h"
#include "engine/methods/method_parameters.h"
#include "engine/methods/method_rule.h"
#include "engine/methods/step_cost.h"
#include "engine/step_loop.h"
#include "inputs/run_file/run_config.h"
#include "inputs/structures/structure_file.h"

namespace dropmd {

namespace {

constexpr std::size_t kLargestCpuAllPairs = 5'000, kLargestGpuAllPairs = 200'000;
constexpr std::int64_t kPieces = 5;
constexpr std::int64_t kLeastSteps = 10;
constexpr double kPieceSeconds = 0.4;
/// Shorter trials tell little about the time of a step: launches and first touches of memory matter too much.
constexpr double kTrialSeconds = 0.05;
constexpr double kFemtosecondsPerDay = 86400e15;
/// Steps of a run whose tuner has unlimited time.
constexpr std::int64_t kLongRun = 1'000'000'000'000;
/// Skins besides the default, as multiples of it.
constexpr double kOtherSkins[] = {0.4, 0.63, 1.6, 2.5};

/// A run whose steps are timed.
struct Case {
  RunConfig config;
  System system;
  std::string physics;
};

/// The clock after a step.
struct Mark {
  double seconds;
  double time;   ///< simulated time
  double total;  ///< total energy
};

/// A piece of `steps` steps, with energies every `energy_every` steps, which divides `steps`.
struct Piece {
  std::int64_t steps;
  std::int64_t energy_every;
};

/// Records the clock at the end of each piece, from a given step on. These steps have energies, so that a loop that
/// performs many steps without the host has to return to it there in any case.
class MarkObserver final : public Observer {
 public:
  using Ready = std::function<bool()>;
  MarkObserver(const Piece& piece, std::vector<Mark>& marks, Ready ready)
      : piece_(piece), marks_(marks), ready_(std::move(ready)) {}
  std::int64_t every() const override { return piece_.energy_every; }
  bool wants_state(std::int64_t) const override { return false; }
  bool wants_energies(std::int64_t step) const override { return step > 0 && step % piece_.energy_every == 0; }
  void observe(const Snapshot& snapshot) override {
    if (snapshot.step > 0 && snapshot.step % piece_.steps == 0 && (!marks_.empty() || ready_()))
      marks_.push_back({steady_seconds(), snapshot.time, snapshot.energies->energies.total()});
  }

 private:
  Piece piece_;
  std::vector<Mark>& marks_;
  Ready ready_;
};

/// The marks of a run, and its method at the end as a choice.
struct TimedRun {
  std::vector<Mark> marks;
  MethodChoice chosen;
};

MethodLog nobody() {
  return [](std::int64_t, const std::string&, const std::string&) {};
}

/// Fits the mesh at the start, as a run does, and never checks it again.
MeshCheck fit_of_mesh() {
  constexpr std::int64_t kNever = std::int64_t{1} << 50;
  return MeshCheck([](std::int64_t, const std::string&) {}, kNever);
}

/// Returns the ends of 1 + n_pieces pieces of one run, of which the first is for warm-up. All are in one run, since
/// each start adds construction, first touches of memory and, on a GPU, copies and a graph, which a step does not need.
/// by_rule: the run chooses its method and skin by the cost model, as `auto` does, and begins with `method`.
TimedRun timed_run(const Case& timed, const Method& method, const Piece& piece, std::int64_t n_pieces,
                   bool by_rule = false) {
  RunConfig config = timed.config;
  if (!by_rule && has_skin(method)) config.skin = method.skin;
  // A GPU starts the next steps before a mark is recorded, so steps follow the last mark, too.
  config.steps = (1 + n_pieces) * piece.steps + (method.backend == Backend::cuda ? piece.energy_every : 0);
  System system = timed.system;
  Timings timings;
  std::vector<Mark> marks;
  marks.reserve(static_cast<std::size_t>(n_pieces + 1));
  auto source =
      by_rule ? make_method_source(config, method, system, {}, tuner_policy(method.backend), nobody()) : nullptr;
  StepLoop simulation(system, config, method, timings, std::move(source));
  simulation.check_mesh(fit_of_mesh());
  simulation.add_observer(std::make_unique<MarkObserver>(piece, marks, [] { return true; }));
  if (simulation.run([] { return false; }) == RunEnd::converged)
    throw InputError({config.file.string()}, "the minimiser converged after step " + std::to_string(simulation.step()) +
                                                 ", before its steps were timed (time an integrator such as "
                                                 "velocity-verlet, or fewer --steps)");
  marks.resize(static_cast<std::size_t>(n_pieces + 1));
  return {std::move(marks), choice_of(simulation.method(), 0)};
}

/// The same for a run whose tuner has already made its first choice; nullopt if there is nothing to choose. The first
/// piece warms up the chosen method. The run ends early if a minimiser converges.
std::optional<TimedRun> tuned_run(const Case& timed, const Method& guess, const Piece& piece, std::int64_t n_pieces) {
  RunConfig config = timed.config;
  config.steps = timed.system.outer.from(kLongRun);
  config.tune = true;
  System system = timed.system;
  bool chosen = false;
  auto source = make_method_source(config, guess, system, {}, tuner_policy(guess.backend),
                                   [&](auto, const auto&, const auto&) { chosen = true; });
  if (!source) return std::nullopt;
  Timings timings;
  std::vector<Mark> marks;
  const auto n_marks = static_cast<std::size_t>(n_pieces + 2);
  StepLoop simulation(system, config, guess, timings, std::move(source));
  simulation.check_mesh(fit_of_mesh());
  simulation.add_observer(std::make_unique<MarkObserver>(piece, marks, [&] { return chosen; }));
  simulation.run([&] { return marks.size() >= n_marks; });
  if (marks.size() < n_marks)
    throw InputError({config.file.string()}, "the minimiser converged before its steps were timed");
  marks = {marks.begin() + 1, marks.begin() + static_cast<std::ptrdiff_t>(n_marks)};
  return TimedRun{std::move(marks), choice_of(simulation.method(), 0)};
}

/// Returns a piece of about that many steps, with energies after a whole number of intervals; if steps are so slow that
/// an interval would take too long, it has energies once.
Piece piece_of_about(double steps, std::int64_t energy_every) {
  const auto every = static_cast<double>(energy_every);
  if (steps >= 0.5 * every && energy_every >= kLeastSteps) {
    const auto intervals = static_cast<std::int64_t>(std::max(1.0, std::round(steps / every)));
    return {intervals * energy_every, energy_every};
  }
  const std::int64_t few = std::max(kLeastSteps, static_cast<std::int64_t>(steps));
  if (energy_every > few) return {few, few};
  return {(few + energy_every - 1) / energy_every * energy_every, energy_every};
}

/// Returns a piece that ends at outer steps, where energies are known.
Piece at_outer_steps(const Piece& piece, const OuterSteps& outer) {
  const std::int64_t steps = outer.from(piece.steps), every = outer.from(piece.energy_every);
  return {steps, steps % every == 0 ? every : steps};
}

Piece choose_piece(const Case& timed, const Method& method, const StepBenchPlan& plan) {
  const OuterSteps& outer = timed.system.outer;
  if (plan.steps) return at_outer_steps({*plan.steps, std::min(*plan.steps, plan.energy_every)}, outer);
  for (double steps = kLeastSteps;;) {
    const Piece trial = at_outer_steps(piece_of_about(steps, plan.energy_every), outer);
    const std::vector<Mark> marks = timed_run(timed, method, trial, 1).marks;
    const double seconds = std::max(marks[1].seconds - marks[0].seconds, 1e-6);
    steps = static_cast<double>(trial.steps) * kPieceSeconds / seconds;
    if (seconds >= kTrialSeconds) return at_outer_steps(piece_of_about(steps, plan.energy_every), outer);
    steps = std::min(steps, 50.0 * static_cast<double>(trial.steps));
  }
}

StepBenchRow row_of_run(const Case& timed, const Method& method, const Piece& piece, const TimedRun& run) {
  const std::vector<Mark>& marks = run.marks;
  std::vector<double> us_per_step;
  for (std::size_t k = 1; k < marks.size(); ++k)
    us_per_step.push_back((marks[k].seconds - marks[k - 1].seconds) * 1e6 / static_cast<double>(piece.steps));
  std::sort(us_per_step.begin(), us_per_step.end());

  StepBenchRow row{.n_atoms = timed.system.particles.size(),
                   .physics = timed.physics,
                   .method = method,
                   .chosen = run.chosen,
                   .integrator = timed.config.integrator.form,
                   .steps = piece.steps,
                   .energy_every = piece.energy_every};
  row.us_per_step = us_per_step[us_per_step.size() / 2];
  row.fastest_us_per_step = us_per_step.front();
  const double steps_per_s = 1e6 / row.us_per_step;
  const auto n = static_cast<double>(row.n_atoms);
  row.atom_steps_per_s = n * steps_per_s;
  if (!needs_cutoff(method.neighbor)) row.unique_pairs_per_s = 0.5 * n * (n - 1) * steps_per_s;
  const auto timed_steps = static_cast<double>(kPieces * piece.steps);
  if (timed.config.units == UnitSystem::real) {
    const double timestep = (marks.back().time - marks.front().time) / timed_steps;  // fs
    row.ns_per_day = timestep * 1e-6 * kFemtosecondsPerDay / (row.us_per_step * 1e9);
  }
  const double begin = marks.front().total, change = marks.back().total - begin;
  row.energy_drift_per_step = change == 0 ? 0 : change / (std::abs(begin) * timed_steps);
  return row;
}

StepBenchRow timed_row(const Case& timed, const Method& method, const StepBenchPlan& plan) {
  const Piece piece = choose_piece(timed, method, plan);
  return row_of_run(timed, method, piece, timed_run(timed, method, piece, kPieces));
}

/// Returns what `auto` chooses by rule, and what a tuner chooses, on the processor and in the precision of a method;
/// empty if there is nothing to choose.
std::vector<StepBenchRow> chosen_rows(const Case& timed, const Method& processor, const StepBenchPlan& plan) {
  Case open = timed;
  open.config.backend = processor.backend;
  open.config.precision = processor.precision;
  const Method begin = choose_by_rule(open.config, open.system);
  if (!MethodRule::is_needed(open.config, begin, open.system)) return {};
  const Piece piece = choose_piece(open, begin, plan);
  Method word = begin;
  word.neighbor = NeighborMethod::automatic;
  std::vector<StepBenchRow> rows{row_of_run(open, word, piece, timed_run(open, begin, piece, kPieces, true))};
  if (const auto run = tuned_run(open, begin, piece, kPieces)) {
    rows.push_back(row_of_run(open, word, piece, *run));
    rows.back().tuned = true;
  }
  return rows;
}

/// Returns every method with the skin, edge and form of a run and, if a tuner's choice is wanted, with other ones.
std::vector<Method> methods_to_time(const Case& timed, const std::vector<Method>& available, bool others) {
  std::vector<Method> methods;
  if (available.empty()) return methods;
  const Workload work = workload_at_start(timed.system, timed.config, available.front().cpu);
  for (const Method& method : available) {
    const StepCost cost(timed.system, timed.config, method);
    Method usual = cost.with_cheapest_skin(method, work);
    if (!has_skin(usual)) usual.skin = 0;
    std::vector<Method> candidates = with_each_parameter(usual, timed.system, timed.config);
    if (!others) candidates.resize(1);
    for (const Method& candidate : candidates) {
      methods.push_back(candidate);
      if (!others || timed.config.skin || !has_skin(candidate)) continue;
      for (const double factor : kOtherSkins) {
        methods.push_back(candidate);
        methods.back().skin = factor * candidate.skin;
      }
    }
  }
  return methods;
}

/// Times a case and shows its rows when they are complete.
void time_case(const Case& timed, const std::vector<Method>& available, const StepBenchPlan& plan,
               const ShowStepRow& show, std::vector<StepBenchRow>& rows) {
  const auto add = [&](const StepBenchRow& row) {
    rows.push_back(row);
    show(row);
  };
  const std::vector<Method> methods = methods_to_time(timed, available, plan.tuner);
  for (std::size_t k = 0; k < methods.size(); ++k) {
    const Method& method = methods[k];
    add(timed_row(timed, method, plan));
    const bool last_of_processor = std::none_of(
        methods.begin() + static_cast<std::ptrdiff_t>(k) + 1, methods.end(),
        [&](const Method& later) { return later.backend == method.backend && later.precision == method.precision; });
    if (!plan.tuner || !last_of_processor) continue;
    for (const StepBenchRow& row : chosen_rows(timed, method, plan)) add(row);
  }
}

bool is_slow(const Method& method, std::size_t n_atoms) {
  const std::size_t largest = method.backend == Backend::cpu ? kLargestCpuAllPairs : kLargestGpuAllPairs;
  return !needs_cutoff(method.neighbor) && n_atoms > largest;
}

}  // namespace

std::vector<StepBenchRow> bench_steps(const RunConfig& choices, std::optional<Precision> only,
                                      std::span<const std::size_t> sizes, const StepBenchPlan& plan,
                                      const ShowStepRow& show) {
  std::vector<StepBenchRow> rows;
  for (const std::size_t n : sizes) {
    const Structure structure = structure_of(generate_droplet(benchmark_recipe(n)));
    for (const bool cut : {false, true}) {
      if (needs_cutoff(choices.neighbor) && !cut) continue;
      const RunConfig config = benchmark_config(choices, cut);
      const Case timed{config, build_system(config, structure), cut ? "cutoff-12" : "exact"};
      std::vector<Method> methods = available_methods(config, timed.system.model, n, only);
      if (choices.neighbor == NeighborMethod::automatic)
        std::erase_if(methods, [n](const Method& method) { return is_slow(method, n); });
      time_case(timed, methods, plan, show, rows);
    }
  }
  return rows;
}

std::vector<StepBenchRow> bench_steps_of_run(const RunConfig& config, const StepBenchPlan& plan,
                                             const ShowStepRow& show) {
  const Case timed{config, read_system(config), "file"};
  const std::size_t n = timed.system.particles.size();
  std::vector<Method> methods = available_methods(config, timed.system.model, n, config.precision);
  const auto slow = [n](const Method& method) { return is_slow(method, n); };
  if (!std::all_of(methods.begin(), methods.end(), slow)) std::erase_if(methods, slow);
  std::vector<StepBenchRow> rows;
  time_case(timed, methods, plan, show, rows);
  return rows;
}

}  // namespace dropmd
