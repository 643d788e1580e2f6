#include "app/commands/ensemble/ensemble_plan.h"

#include <fmt/core.h>

#include <algorithm>
#include <array>
#include <exception>
#include <optional>
#include <ostream>
#include <set>
#include <string_view>
#include <tuple>
#include <utility>

#include "app/commands/ensemble/variations.h"
#include "app/option_values.h"
#include "app/run_settings.h"
#include "app/shared_options.h"
#include "core/counted_noun.h"
#include "core/version.h"
#include "engine/ensemble/replica_run.h"
#include "engine/jobs/estimate.h"
#include "engine/model/system.h"

namespace dropmd {

namespace {

namespace fs = std::filesystem;

constexpr std::string_view kSeedKey = "system.random-seed";
constexpr std::size_t kMostRuns = 100'000;

/// The runs that a command line describes.
struct PlannedRuns {
  EnsembleTable table;
  std::vector<RunConfig> configs;
  std::size_t largest = 0;         ///< the first of the runs with the most atoms
  std::optional<System> system{};  ///< its system, without velocities that are drawn
};

/// Throws for keys whose values would not be those of the runs.
void require_variable(const std::string& key, const GivenOptions& options) {
  for (const std::string_view of_place :
       {"engine.backend", "engine.device", "engine.threads", "engine.multiprocessors"})
    if (key == of_place)
      throw UsageError(
          fmt::format("--vary {}: where runs are performed is the ensemble's choice (use --backend, --devices, "
                      "--threads and --at-once)",
                      key));
  constexpr std::pair<std::string_view, std::string_view> kOptions[] = {
      {"steps", "run.steps"}, {"precision", "engine.precision"}, {"neighbor", "neighbor.method"}};
  for (const auto& [option, of_option] : kOptions)
    if (key == of_option && options.has(option))
      throw UsageError(fmt::format("--vary {} and --{} cannot be combined", key, option));
}

/// Throws if an option sets a key that varies.
void require_not_varied(const std::vector<Setting>& common, const std::vector<Variation>& variations) {
  for (const Variation& variation : variations)
    for (const Setting& setting : common)
      if (setting.section == variation.settings.front().section && setting.key == variation.settings.front().key)
        throw UsageError(fmt::format("--vary {} and {} cannot be combined", variation.key, setting.place.text()));
}

std::vector<Variation> variations_of(const GivenOptions& options) {
  std::vector<Variation> variations;
  for (const std::string& text : options.list("vary")) {
    variations.push_back(parse_variation(text));
    require_variable(variations.back().key, options);
    for (std::size_t k = 0; k + 1 < variations.size(); ++k)
      if (variations[k].key == variations.back().key)
        throw UsageError(fmt::format("--vary {}: the key is given twice (give all its values in one --vary)",
                                     variations.back().key));
  }
  return variations;
}

RunConfig configured(const GivenOptions& options, const std::vector<Setting>& settings) {
  RunConfig config = load_config(input_file(options, "ensemble"), settings);
  apply_method_options(options, config);
  if (options.has("steps")) config.steps = whole_option<std::int64_t>(options, "steps", 0);
  return config;
}

/// Reads the inputs of all runs, once if several runs share them.
void read_inputs(PlannedRuns& planned) {
  std::set<std::pair<fs::path, fs::path>> read;
  for (std::size_t k = 0; k < planned.configs.size(); ++k) {
    const RunConfig& config = planned.configs[k];
    if (!read.emplace(config.structure, config.topology.file).second) continue;
    System system = read_system_at_rest(config);
    if (planned.system && system.particles.size() <= planned.system->particles.size()) continue;
    planned.system = std::move(system);
    planned.largest = k;
  }
}

PlannedRuns planned_runs(const GivenOptions& options) {
  input_file(options, "ensemble");  // throws if none is given
  const std::vector<Variation> variations = variations_of(options);
  const auto n_seeds = options.has("replicas") ? whole_option<std::size_t>(options, "replicas", 1) : 1;
  if (!options.has("replicas") && variations.empty())
    throw UsageError("nothing makes the runs differ (--replicas N: N seeds; --vary SECTION.KEY=A,B: values of a key)");
  const std::vector<std::vector<std::size_t>> combinations = combinations_of(variations);
  if (n_seeds > kMostRuns || combinations.size() > kMostRuns / n_seeds)
    throw UsageError(fmt::format("{} {} of {} {} are too many runs (at most {})", combinations.size(),
                                 CountedNoun{"combination", "combinations"}.of(combinations.size()), n_seeds,
                                 CountedNoun{"seed", "seeds"}.of(n_seeds), kMostRuns));
  const std::vector<Setting> common = settings_of(options);
  require_not_varied(common, variations);
  const auto settings_of_run = [&](const std::vector<std::size_t>& combination) {
    std::vector<Setting> settings = common;
    for (std::size_t v = 0; v < variations.size(); ++v) settings.push_back(variations[v].settings[combination[v]]);
    return settings;
  };
  // The run file by itself may lack what varies.
  const std::uint64_t first_seed = configured(options, settings_of_run(combinations.front())).random_seed;
  const bool varies_seed = std::any_of(variations.begin(), variations.end(),
                                       [](const Variation& variation) { return variation.key == kSeedKey; });
  if (varies_seed && options.has("replicas"))
    throw UsageError("--replicas and --vary system.random-seed cannot be combined (both set the seeds of the runs)");

  PlannedRuns planned;
  for (const Variation& variation : variations) planned.table.keys.push_back(variation.key);
  if (options.has("means-from")) planned.table.means_from = whole_option<std::int64_t>(options, "means-from", 0);
  for (const std::vector<std::size_t>& combination : combinations)
    for (std::size_t k = 0; k < n_seeds; ++k) {
      Replica replica;
      for (std::size_t v = 0; v < variations.size(); ++v)
        replica.values.push_back(variations[v].values[combination[v]]);
      RunConfig config = configured(options, settings_of_run(combination));
      if (!varies_seed) config.random_seed = first_seed + planned.configs.size();
      replica.seed = config.random_seed;
      planned.table.replicas.push_back(std::move(replica));
      planned.configs.push_back(std::move(config));
    }
  read_inputs(planned);
  return planned;
}

/// Warns if seeds make no difference: neither the velocities at the start nor the steps are random.
void warn_of_like_runs(const GivenOptions& options, const PlannedRuns& planned, Streams& streams) {
  if (planned.configs.size() < 2 || !options.has("replicas") || whole_option<std::size_t>(options, "replicas", 1) < 2)
    return;
  const RunConfig &first = planned.configs[0], &second = planned.configs[1];
  if (first.integrator.has("temperature")) return;  // a bath
  if (read_system(first).particles.velocity != read_system(second).particles.velocity) return;
  show_warnings({"the seeds make no difference: the velocities at the start are not random, nor are the steps (give "
                 "[system] a temperature, for a structure without velocities, or use langevin or csvr)"},
                options, streams);
}

/// The warnings of all runs, each once.
std::vector<std::string> warnings_of(const std::vector<RunConfig>& configs) {
  std::vector<std::string> warnings;
  for (const RunConfig& config : configs)
    for (const std::string& warning : config.warnings)
      if (std::find(warnings.begin(), warnings.end(), warning) == warnings.end()) warnings.push_back(warning);
  return warnings;
}

void show_dry_run(const GivenOptions& options, const PlannedRuns& planned, Streams& streams) {
  const Estimate estimate = estimate_run(planned.configs.front());
  show_warnings(estimate.warnings, options, streams);
  if (options.has("json")) {
    Json::List runs;
    for (const Replica& replica : planned.table.replicas) {
      runs.push_back(Json{{"values", values_json(planned.table, replica)}, {"seed", replica.seed}});
    }
    streams.out << json_text(Json{{"replicas", std::move(runs)},
                                  {"n_atoms", std::uint64_t{estimate.n_atoms}},
                                  {"memory_bytes", estimate.memory},
                                  {"device_memory_bytes", estimate.device_memory},
                                  {"disk_bytes", estimate.disk * planned.configs.size()},
                                  {"version", kVersion}});
    return;
  }
  for (std::size_t k = 0; k < planned.table.replicas.size(); ++k) {
    const Replica& replica = planned.table.replicas[k];
    streams.out << fmt::format("{:04}  seed {}", k + 1, replica.seed);
    for (std::size_t v = 0; v < replica.values.size(); ++v)
      streams.out << fmt::format("  {} = {}", planned.table.keys[v], replica.values[v]);
    streams.out << '\n';
  }
  streams.out << "\n# the first of them\n" << describe(estimate);
}

/// Returns the plan without places. Runs that cannot be read end alone, and the user is told.
EnsemblePlan opened(std::unique_ptr<Ensemble> ensemble, const GivenOptions& options, Streams& streams) {
  EnsemblePlan plan{std::move(ensemble)};
  for (std::size_t k = 0; k < plan.ensemble->table().replicas.size(); ++k) {
    ReplicaResult result = plan.ensemble->table().replicas[k].result;
    if (is_over(result.state)) continue;
    const fs::path folder = plan.ensemble->folder_of(k);
    try {
      plan.runs.push_back({folder, replica_config(folder), result.steps});
    } catch (const std::exception&) {
      set_end(result, std::current_exception());
      plan.ensemble->ended(k, result);
      show_warnings({fmt::format("run {}: {}: {}", k + 1, word_of(result.state), result.message)}, options, streams);
    }
  }
  plan.ensemble->save();
  return plan;
}

/// Chooses the places by the largest system of the runs. Of the runs that begin with the same inputs, one stands for
/// the others, and likewise of those that continue. Throws the error of the last run if none can be read.
void choose_places(EnsemblePlan& plan, const GivenOptions& options, const JobRanks* job, Streams& streams) {
  const RunToMake* example = nullptr;
  System largest;
  std::exception_ptr failure;
  std::set<std::tuple<fs::path, fs::path, bool>> read;
  for (const RunToMake& run : plan.runs) {
    const std::tuple inputs(run.config.structure, run.config.topology.file, run.steps_done > 0);
    if (read.contains(inputs)) continue;
    try {
      System system = replica_system(run.folder);
      read.insert(inputs);
      if (example != nullptr && system.particles.size() <= largest.particles.size()) continue;
      largest = std::move(system);
      example = &run;
    } catch (const std::exception&) {  // the next one with these inputs may be readable
      failure = std::current_exception();
    }
  }
  if (example == nullptr) {
    if (failure) std::rethrow_exception(failure);
    return;
  }
  plan.example = example->folder;
  plan.places = places_on_host(options, example->config, largest, plan.runs.size(), job, streams);
}

}  // namespace

Json values_json(const EnsembleTable& table, const Replica& replica) {
  Json::Object values;
  for (std::size_t k = 0; k < table.keys.size(); ++k) values.push_back({table.keys[k], replica.values[k]});
  return values;
}

EnsemblePlan new_plan(const GivenOptions& options, const JobRanks* job, Streams& streams) {
  PlannedRuns planned = planned_runs(options);
  show_warnings(warnings_of(planned.configs), options, streams);
  warn_of_like_runs(options, planned, streams);
  if (options.has("dry-run")) {
    show_dry_run(options, planned, streams);
    return {};
  }
  const fs::path folder =
      options.has("output") ? fs::path(options.text("output")) : planned.configs.front().output_directory;
  const std::vector<ReplicaPlace> places =
      places_on_host(options, planned.configs[planned.largest], *planned.system, planned.configs.size(), job, streams);
  for (RunConfig& config : planned.configs)
    if (config.multiprocessors == 0) config.multiprocessors = places.front().multiprocessors;
  EnsemblePlan plan =
      opened(Ensemble::create(folder, planned.table, planned.configs, options.has("force")), options, streams);
  plan.example = plan.ensemble->folder_of(planned.largest);
  plan.places = places;
  return plan;
}

EnsemblePlan resumed_plan(const GivenOptions& options, const JobRanks* job, Streams& streams) {
  constexpr std::array<std::string_view, 14> kOfNewOnes{"replicas",  "vary",       "seed",    "timestep", "set",
                                                        "steps",     "means-from", "output",  "force",    "neighbor",
                                                        "precision", "dry-run",    "verbose", "file"};
  for (const std::string_view option : kOfNewOnes)
    if (options.has(option) && !(option == "file" && options.list("file").empty()))
      throw UsageError(fmt::format("--resume and {} cannot be combined (the runs of the ensemble stay as they are)",
                                   option == "file" ? "FILE" : fmt::format("--{}", option)));
  EnsemblePlan plan = opened(Ensemble::open(options.text("resume")), options, streams);
  choose_places(plan, options, job, streams);
  return plan;
}

}  // namespace dropmd
