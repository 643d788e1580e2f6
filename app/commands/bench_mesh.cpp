#include <fmt/core.h>

#include <ostream>

#include "app/commands/bench_operation.h"
#include "app/commands/bench_table.h"
#include "app/option_values.h"
#include "app/shared_options.h"
#include "bench/mesh/mesh_bench.h"
#include "forces/mesh/b_spline.h"
#include "inputs/run_file/run_config.h"

namespace dropmd {

namespace {

void add_options(OptionTable& options) {
  options.add("bench mesh",
              {{"mesh-order", "orders of the B-splines, 4 to 8 (default: the cheapest)", "P,..."},
               {"mesh-spacing", "spacings, angstrom (default: the widest for the accuracy)", "H,..."},
               {"mesh-cutoff", "cutoff of the pairs, angstrom (default: the cheapest)", "R"},
               {"vapour", "fraction of the atoms at random places within ten radii of the droplet (default 0)", "F"}});
}

MeshBenchPlan plan_of(const GivenOptions& options) {
  MeshBenchPlan plan;
  if (options.has("accuracy")) plan.accuracies = real_options(options, "accuracy");
  plan.orders = whole_options<int>(options, "mesh-order", kLeastSplineOrder, {});
  if (options.has("mesh-spacing")) plan.spacings = real_options(options, "mesh-spacing");
  if (options.has("mesh-cutoff")) plan.cutoff = real_option(options, "mesh-cutoff", Zero::excluded);
  plan.random = options.has("random");
  if (options.has("vapour")) plan.vapour = real_option(options, "vapour", Zero::allowed);
  for (const int order : plan.orders)
    if (order > kMostSplineOrder)
      throw UsageError(fmt::format("--mesh-order {} is too large (at most {})", order, kMostSplineOrder));
  if (plan.vapour >= 1) throw UsageError("--vapour " + options.text("vapour") + " is too large (it must be below 1)");
  return plan;
}

std::optional<double> fraction_of_limit(const MeshBenchRow& row) {
  return row.limit_us && row.time_us > 0 ? std::optional(*row.limit_us / row.time_us) : std::nullopt;
}

Json to_json(const MeshBenchRow& row) {
  return {{"n_atoms", row.n_atoms},
          {"n_outside", row.n_outside},
          {"accuracy", row.accuracy},
          {"estimated_error", row.error},
          {"measured_error", row.measured_error},
          {"order", row.order},
          {"cutoff", row.cutoff},
          {"spacing", row.spacing},
          {"points_x", row.points[0]},
          {"points_y", row.points[1]},
          {"points_z", row.points[2]},
          {"backend", word_of(row.method.backend)},
          {"device", row.method.device_name},
          {"precision", word_of(row.method.precision)},
          {"neighbor", word_of(row.method.neighbor)},
          {"part", row.part},
          {"time_us", row.time_us},
          {"limit_us", row.limit_us},
          {"fraction_of_limit", fraction_of_limit(row)}};
}

std::string heading() {
  return fmt::format("{:>8} {:>8} {:>9} {:>9} {:>5} {:>7} {:>7} {:>14} {:<7} {:<9} {:<14} {:>12} {:>12} {:>8}\n",
                     "atoms", "outside", "accuracy", "error", "order", "cutoff", "spacing", "points", "backend",
                     "precision", "part", "us", "limit us", "of limit");
}

std::string to_text(const MeshBenchRow& row) {
  const auto number = [](const std::optional<double>& value, int digits) {
    return value ? fmt::format("{:.{}f}", *value, digits) : std::string("-");
  };
  return fmt::format(
      "{:>8} {:>8} {:>9.1e} {:>9.1e} {:>5} {:>7.2f} {:>7.3f} {:>14} {:<7} {:<9} {:<14} {:>12.1f} {:>12} {:>8}\n",
      row.n_atoms, row.n_outside, row.accuracy, row.measured_error, row.order, row.cutoff, row.spacing,
      fmt::format("{}x{}x{}", row.points[0], row.points[1], row.points[2]), word_of(row.method.backend),
      word_of(row.method.precision), row.part, row.time_us, number(row.limit_us, 1), number(fraction_of_limit(row), 3));
}

ExitStatus run(const GivenOptions& options, const RunConfig& choices, Streams& streams) {
  const MeshBenchPlan plan = plan_of(options);
  const auto [file, sizes] =
      bench_subject(options, {4139, 32768, 262144},
                    {"accuracy", "mesh-order", "mesh-spacing", "mesh-cutoff", "random", "vapour"}, streams);
  BenchTable table("mesh", file ? file->device : choices.device, heading(), options, streams);
  const auto show = [&](const MeshBenchRow& row) { table.add(to_text(row), to_json(row)); };
  if (file)
    bench_mesh_of_run(*file, show);
  else
    bench_mesh(choices, precision_if_given(options, choices), sizes, plan, show);
  table.finish();
  return ExitStatus::done;
}

}  // namespace

BenchOperation bench_mesh_operation() {
  return {.name = "mesh",
          .own_options = {"atoms", "precision", "neighbor", "accuracy", "mesh-order", "mesh-spacing", "mesh-cutoff",
                          "vapour"},
          .examples = {"dropmd bench mesh --atoms 3000 --accuracy 1e-3 --backend cpu --threads 1",
                       "dropmd bench mesh --atoms 3000 --backend cpu --precision double --json"},
          .add_options = add_options,
          .run = run,
          .takes_file = true};
}

}  // namespace dropmd
