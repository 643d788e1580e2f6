#include <fmt/core.h>

#include <algorithm>
#include <cmath>
#include <ostream>

#include "app/commands/bench_operation.h"
#include "app/commands/bench_table.h"
#include "app/option_values.h"
#include "app/shared_options.h"
#include "bench/maps.h"
#include "engine/available_threads.h"
#include "engine/methods/method.h"
#include "inputs/run_file/run_config.h"
#include "maps/map_model.h"

namespace dropmd {

namespace {

/// Sizes for the time per point, and the spacing with which the largest map still fits in memory.
const std::vector<std::size_t> kScalingSizes{100'000, 300'000, 1'000'000, 3'000'000, 10'000'000};
constexpr double kScalingSpacing = 1;

void add_options(OptionTable& options) {
  options.add(
      "bench map",
      {{"forms", "Coulomb forms, or mesh: untruncated by a particle mesh (default exact,shift)", "FORM,..."},
       {"accuracy",
        "for mesh: RMS error over RMS potential (default 1e-4); bench mesh: RMS error over RMS force, separated "
        "by commas",
        "A,..."},
       {"designs", "what to time (default: everything that runs here): " + joined(map_bench_designs()), "NAME,..."},
       {"density", "atoms per cubic angstrom (default 0.07)", "D"},
       {"random",
        "atoms at random places, no two nearer than 0.8 mean spacings, instead of a lattice; "
        "bench mesh: also charges of random signs"},
       {"cutoff", "of all forms but exact, angstrom (default 12)", "R"},
       {"spacing", "of the grid, angstrom (default 0.5; with --scaling 1)", "H"},
       {"points", "points along each axis (default: the droplet and 5 angstrom around it)", "N"},
       {"bin-capacity", "atoms per bin of small-bins (default: as many as 95% of the atoms need)", "N"},
       {"scaling", "100000 to 10000000 atoms with a cutoff (form shift unless given): time per point"}});
}

/// Returns the words of a list; throws UsageError for an unknown one.
std::vector<std::string> words_of(const GivenOptions& options, const std::string& name,
                                  const std::vector<std::string_view>& known, std::vector<std::string> usual) {
  if (!options.has(name)) return usual;
  std::vector<std::string> words = options.list(name);
  for (const std::string& word : words)
    if (std::find(known.begin(), known.end(), word) == known.end())
      throw UsageError("--" + name + ": unknown word '" + word + "' " + known_words_hint(word, known));
  return words;
}

MapBenchChoices choices_of(const GivenOptions& options, const RunConfig& config) {
  const bool scaling = options.has("scaling");
  if (scaling && options.has("atoms")) throw UsageError("--scaling and --atoms cannot be combined (give one)");
  MapBenchChoices choices{.backend = config.backend,
                          .device = config.device,
                          .threads = config.threads > 0 ? config.threads : available_threads(),
                          .precision = precision_if_given(options, config)};
  std::vector<std::string_view> forms;
  for (const FormInfo& form : map_forms()) forms.push_back(form.name);
  forms.push_back(kMeshMap);
  choices.forms = words_of(options, "forms", forms, scaling ? std::vector<std::string>{"shift"} : choices.forms);
  choices.designs = words_of(options, "designs", map_bench_designs(), {});
  const auto real = [&](const std::string& name, double usual) {
    return options.has(name) ? real_option(options, name, Zero::excluded) : usual;
  };
  choices.accuracy = real("accuracy", choices.accuracy);
  choices.density = real("density", choices.density);
  choices.random = options.has("random");
  choices.cutoff = real("cutoff", choices.cutoff);
  choices.spacing = real("spacing", scaling ? kScalingSpacing : choices.spacing);
  if (options.has("bin-capacity")) choices.bin_capacity = whole_option<int>(options, "bin-capacity", 0);
  if (options.has("points")) {
    choices.points = whole_option<std::int32_t>(options, "points", 1);
    if (*choices.points > kMostMapPoints)
      throw UsageError(fmt::format("--points {} is too large (at most {})", *choices.points, kMostMapPoints));
  }
  return choices;
}

double nanoseconds_a_point(const MapBenchRow& row) { return row.time_us * 1e3 / static_cast<double>(row.n_points); }

/// Fractions that the University of Illinois' lecture on cutoff summation (docs/maps.md) gives for its designs (12 Å,
/// water).
constexpr double kLargeBinsWithin = 0.065, kSmallBinsWithin = 0.34, kWaterOverflow = 0.026;

std::optional<double> fraction_in_lecture(const MapBenchRow& row) {
  if (row.design == "large-bins") return kLargeBinsWithin;
  return row.design == "small-bins" ? std::optional(kSmallBinsWithin) : std::nullopt;
}

std::optional<double> overflow_in_lecture(const MapBenchRow& row) {
  return row.overflow ? std::optional(kWaterOverflow) : std::nullopt;
}

/// Returns one number of the overflow; nullopt without overflow.
template <class Number>
std::optional<double> overflow_number(const MapBenchRow& row, Number MapOverflow::*number) {
  return row.overflow ? std::optional(static_cast<double>((*row.overflow).*number)) : std::nullopt;
}

std::optional<double> microseconds(const std::optional<double>& seconds) {
  return seconds ? std::optional(*seconds * 1e6) : std::nullopt;
}

Json to_json(const MapBenchRow& row) {
  return {{"n_atoms", row.n_atoms},
          {"n_points", row.n_points},
          {"spacing_angstrom", row.spacing},
          {"form", row.form},
          {"cutoff_angstrom", row.cutoff},
          {"accuracy", row.accuracy},
          {"measured_error", row.measured_error},
          {"design", row.design},
          {"backend", word_of(row.backend)},
          {"device", row.device_name},
          {"precision", word_of(row.precision)},
          {"time_us", row.time_us},
          {"kernel_us", row.kernel_us},
          {"ns_per_point", nanoseconds_a_point(row)},
          {"evaluations_per_s", row.evaluations / row.seconds()},
          {"useful_evaluations_per_s", row.within_cutoff / row.seconds()},
          {"limit_evaluations_per_s", row.limit},
          {"useful_fraction", row.within_cutoff / row.evaluations},
          {"lecture_useful_fraction", fraction_in_lecture(row)},
          {"operations_per_pair", row.operations_per_pair},
          {"accesses_per_pair", row.accesses_per_pair},
          {"bin_capacity_atoms", overflow_number(row, &MapOverflow::capacity)},
          {"overflow_fraction", overflow_number(row, &MapOverflow::share)},
          {"lecture_overflow_fraction", overflow_in_lecture(row)},
          {"overflow_us", microseconds(overflow_number(row, &MapOverflow::host_seconds))},
          {"hidden_overflow_fraction", overflow_number(row, &MapOverflow::hidden_share)}};
}

std::string heading() {
  return fmt::format(
      "{:>8} {:>10} {:<14} {:<15} {:<7} {:<9} {:>12} {:>12} {:>10} {:>10} {:>10} {:>7} {:>7} {:>6} {:>6} {:>8} {:>7} "
      "{:>6} {:>8}\n",
      "atoms", "points", "form", "design", "backend", "precision", "us", "kernel us", "ns/point", "G eval/s",
      "G useful/s", "useful", "lecture", "ops", "words", "overflow", "lecture", "hidden", "of limit");
}

std::string to_text(const MapBenchRow& row) {
  const auto number = [](const std::optional<double>& value, int digits) {
    return value ? fmt::format("{:.{}f}", *value, digits) : std::string("-");
  };
  return fmt::format(
      "{:>8} {:>10} {:<14} {:<15} {:<7} {:<9} {:>12.1f} {:>12} {:>10.3f} {:>10.2f} {:>10.2f} {:>7.3f} {:>7} {:>6} "
      "{:>6} {:>8} {:>7} {:>6} {:>8}\n",
      row.n_atoms, row.n_points, row.form, row.design, word_of(row.backend), word_of(row.precision), row.time_us,
      number(row.kernel_us, 1), nanoseconds_a_point(row), row.evaluations / row.seconds() * 1e-9,
      row.within_cutoff / row.seconds() * 1e-9, row.within_cutoff / row.evaluations,
      number(fraction_in_lecture(row), 3), number(row.operations_per_pair, 2), number(row.accesses_per_pair, 2),
      number(overflow_number(row, &MapOverflow::share), 4), number(overflow_in_lecture(row), 3),
      number(overflow_number(row, &MapOverflow::hidden_share), 2),
      number(row.limit ? std::optional(row.evaluations / row.seconds() / *row.limit) : std::nullopt, 2));
}

ExitStatus run(const GivenOptions& options, const RunConfig& config, Streams& streams) {
  const MapBenchChoices choices = choices_of(options, config);
  const std::vector<std::size_t> sizes =
      options.has("scaling") ? kScalingSizes : bench_sizes(options, {4139, 32768, 262144});
  BenchTable table("map", choices.device, heading(), options, streams);
  bench_maps(choices, sizes, [&](const MapBenchRow& row) { table.add(to_text(row), to_json(row)); });
  table.finish();
  return ExitStatus::done;
}

}  // namespace

BenchOperation bench_map_operation() {
  return {"map",
          {"atoms", "precision", "forms", "accuracy", "designs", "density", "cutoff", "spacing", "points",
           "bin-capacity", "scaling"},
          {"dropmd bench map --atoms 500 --spacing 2 --threads 1",
           "dropmd bench map --atoms 500 --spacing 2 --forms shift --backend cpu --json"},
          add_options,
          run};
}

}  // namespace dropmd
