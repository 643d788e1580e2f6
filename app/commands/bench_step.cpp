#include "bench/step.h"

#include <fmt/core.h>

#include <ostream>
#include <utility>

#include "app/commands/bench_operation.h"
#include "app/commands/bench_table.h"
#include "app/option_values.h"
#include "app/shared_options.h"
#include "engine/methods/catalogue.h"
#include "inputs/run_file/run_config.h"

namespace dropmd {

namespace {

/// With more steps, pieces of them could not be counted.
constexpr std::int64_t kMostSteps = 1'000'000'000;

void add_options(OptionTable& options) {
  options.add("bench step",
              {{"steps", "steps of a timed piece, of which there are five (default about 0.4 s)", "N"},
               {"energy-every", "steps between energies (default 100)", "N"},
               {"tuner", "rows for other skins, edges and forms, for what auto chooses, and for what a tuner does"}});
}

std::int64_t steps_option(const GivenOptions& options, const std::string& name) {
  const auto steps = whole_option<std::int64_t>(options, name, 1);
  if (steps > kMostSteps) throw UsageError(fmt::format("--{} {} is too large (at most {})", name, steps, kMostSteps));
  return steps;
}

StepBenchPlan plan_of(const GivenOptions& options) {
  StepBenchPlan plan;
  plan.tuner = options.has("tuner");
  if (options.has("energy-every")) plan.energy_every = steps_option(options, "energy-every");
  if (options.has("steps")) plan.steps = steps_option(options, "steps");
  if (plan.steps && *plan.steps > plan.energy_every && *plan.steps % plan.energy_every != 0)
    throw UsageError(
        fmt::format("--steps {} is not a multiple of the {} steps between energies (such as {}, or choose another "
                    "--energy-every)",
                    *plan.steps, plan.energy_every, *plan.steps / plan.energy_every * plan.energy_every));
  return plan;
}

std::string_view neighbor_of(const StepBenchRow& row) { return row.tuned ? "tuned" : word_of(row.method.neighbor); }

std::optional<double> skin_of(const StepBenchRow& row) {
  Method method = row.method;
  method.neighbor = row.chosen.neighbor;
  return has_skin(method) ? std::optional(row.chosen.skin) : std::nullopt;
}

std::optional<double> cell_share_of(const StepBenchRow& row) {
  return row.chosen.cell_share > 0 ? std::optional(row.chosen.cell_share) : std::nullopt;
}

std::optional<std::string_view> list_form_of(const StepBenchRow& row) {
  if (row.chosen.list_form == ListForm::automatic) return std::nullopt;
  return word_of(row.chosen.list_form);
}

Json to_json(const StepBenchRow& row) {
  return {{"n_atoms", row.n_atoms},
          {"physics", row.physics},
          {"backend", word_of(row.method.backend)},
          {"device", row.method.device_name},
          {"precision", word_of(row.method.precision)},
          {"neighbor", neighbor_of(row)},
          {"chosen", word_of(row.chosen.neighbor)},
          {"skin", skin_of(row)},
          {"cell_share", cell_share_of(row)},
          {"list_form", list_form_of(row)},
          {"integrator", row.integrator},
          {"steps", row.steps},
          {"energy_every_steps", row.energy_every},
          {"us_per_step", row.us_per_step},
          {"fastest_us_per_step", row.fastest_us_per_step},
          {"atom_steps_per_s", row.atom_steps_per_s},
          {"unique_pairs_per_s", row.unique_pairs_per_s},
          {"ns_per_day", row.ns_per_day},
          {"energy_drift_per_step", row.energy_drift_per_step}};
}

std::string heading() {
  return fmt::format(
      "{:>8} {:<10} {:<7} {:<9} {:<10} {:>9} {:>12} {:>12} {:>12} {:>11} {:>10} {:>10} {:<10} {:>6} {:>6} {}\n",
      "atoms", "physics", "backend", "precision", "neighbor", "steps", "us/step", "fastest", "M atom-st/s", "G pairs/s",
      "ns/day", "drift/step", "chosen", "skin", "edge", "form");
}

std::string to_text(const StepBenchRow& row) {
  const auto number = [](const std::optional<double>& value, double unit, int digits) {
    return value ? fmt::format("{:.{}f}", *value / unit, digits) : std::string("-");
  };
  return fmt::format(
      "{:>8} {:<10} {:<7} {:<9} {:<10} {:>9} {:>12.2f} {:>12.2f} {:>12.3f} {:>11} {:>10} {:>10.1e} {:<10} {:>6} {:>6} "
      "{}\n",
      row.n_atoms, row.physics, word_of(row.method.backend), word_of(row.method.precision), neighbor_of(row), row.steps,
      row.us_per_step, row.fastest_us_per_step, row.atom_steps_per_s * 1e-6, number(row.unique_pairs_per_s, 1e9, 3),
      number(row.ns_per_day, 1, 2), row.energy_drift_per_step, word_of(row.chosen.neighbor), number(skin_of(row), 1, 3),
      number(cell_share_of(row), 1, 3), list_form_of(row).value_or("-"));
}

ExitStatus run(const GivenOptions& options, const RunConfig& choices, Streams& streams) {
  const StepBenchPlan plan = plan_of(options);
  const auto [file, sizes] = bench_subject(options, {128, 1000, 4139, 32768}, {}, streams);
  const int device = file ? file->device : choices.device;
  BenchTable table("step", device, heading(), options, streams);
  const auto show = [&](const StepBenchRow& row) { table.add(to_text(row), to_json(row)); };
  if (file)
    bench_steps_of_run(*file, plan, show);
  else
    bench_steps(choices, precision_if_given(options, choices), sizes, plan, show);
  table.finish();
  return ExitStatus::done;
}

}  // namespace

BenchOperation bench_step_operation() {
  return {.name = "step",
          .own_options = {"atoms", "precision", "neighbor", "steps", "energy-every", "tuner"},
          .examples = {"dropmd bench step --atoms 128 --steps 100 --threads 1",
                       "dropmd bench step inputs/samples/droplet-4139.toml --steps 10 --backend cpu --json"},
          .add_options = add_options,
          .run = run,
          .takes_file = true};
}

}  // namespace dropmd
