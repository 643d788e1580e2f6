#include "bench/sort.h"

#include <fmt/core.h>

#include <algorithm>
#include <cctype>
#include <optional>
#include <ostream>

#include "app/commands/bench_operation.h"
#include "app/option_values.h"
#include "app/shared_options.h"
#include "app/stop_signals.h"
#include "core/version.h"
#include "engine/available_threads.h"
#include "engine/methods/method.h"
#include "inputs/run_file/run_config.h"

namespace dropmd {

namespace {

void add_options(OptionTable& options) {
  options.add(
      "bench sort",
      {{"lengths", "lengths of equal segments, or 'default' (2 to 1024)", "N,..."},
       {"ragged", "means of Poisson lengths, half of the segments empty, or 'default' (10 to 120)", "N,..."},
       {"keys", "keys of a case (default 16777216)", "N"},
       {"segments", "numbers of segments instead of --keys, or 'default' (1000 to 1000000); length 90 unless given",
        "N,..."},
       {"methods",
        "what to time (default: everything that runs here): " + joined(sort_bench_methods(Backend::automatic)),
        "NAME,..."}});
}

int number_up_to(const std::string& option, const std::string& text, int most) {
  const int value = whole_number(option, text, 1);
  if (value > most) throw UsageError(fmt::format("--{} {} is too large (at most {})", option, text, most));
  return value;
}

/// Returns the numbers of an option; empty if it was not given.
std::vector<int> numbers_of(const GivenOptions& options, const std::string& name, std::span<const int> defaults,
                            int most) {
  const std::vector<std::string> words = options.list(name);
  if (words.size() == 1 && words[0] == "default") return {defaults.begin(), defaults.end()};
  std::vector<int> numbers;
  for (const std::string& word : words) numbers.push_back(number_up_to(name, word, most));
  return numbers;
}

/// Adds the product of the lengths (or Poisson means) with the numbers of segments, or each length with the number of
/// keys.
void add_cases(std::vector<SortBenchCase>& cases, LengthLaw law, std::span<const int> lengths,
               std::span<const int> counts, std::int64_t n_keys) {
  for (const int length : lengths) {
    if (counts.empty()) cases.push_back(sort_case_of_keys(law, length, n_keys));
    for (const int count : counts) cases.push_back(sort_case_of_segments(law, length, count));
  }
}

std::vector<SortBenchCase> cases_of(const GivenOptions& options) {
  constexpr auto kMostKeys = static_cast<int>(kSortBenchMaxKeys);
  std::vector<int> lengths = numbers_of(options, "lengths", default_sort_lengths(), kSortBenchMaxLength);
  std::vector<int> means = numbers_of(options, "ragged", default_sort_means(), kSortBenchMaxMean);
  const std::vector<int> counts = numbers_of(options, "segments", default_sort_counts(), kMostKeys);
  if (options.has("keys") && !counts.empty()) throw UsageError("--keys and --segments cannot be combined (give one)");
  const int n_keys = options.has("keys") ? number_up_to("keys", options.text("keys"), kMostKeys) : kSortBenchKeys;
  const bool nothing_named = lengths.empty() && means.empty();
  if (nothing_named && !counts.empty()) lengths = {kSortCountsLength};
  if (nothing_named && counts.empty()) {
    lengths.assign(default_sort_lengths().begin(), default_sort_lengths().end());
    means.assign(default_sort_means().begin(), default_sort_means().end());
  }
  std::vector<SortBenchCase> cases;
  add_cases(cases, LengthLaw::uniform, lengths, counts, n_keys);
  add_cases(cases, LengthLaw::poisson, means, counts, n_keys);
  if (nothing_named && counts.empty() && !options.has("keys"))
    add_cases(cases, LengthLaw::uniform, std::vector{kSortCountsLength}, default_sort_counts(), n_keys);
  for (const SortBenchCase& shape : cases)
    if (expected_keys(shape) > static_cast<double>(kSortBenchMaxKeys))
      throw UsageError(fmt::format("--segments {} of length {} are too many keys (at most {})", shape.segments,
                                   shape.mean_length, kSortBenchMaxKeys));
  for (const SortBenchCase& shape : cases)
    if (!draws_keys(shape))
      throw UsageError(fmt::format("--ragged {}: {} of that mean would have no keys, since half are empty (use more)",
                                   shape.mean_length,
                                   shape.segments == 1 ? "one segment" : fmt::format("{} segments", shape.segments)));
  return cases;
}

/// Throws UsageError for an unknown method, and if none of the methods runs on the backend.
std::vector<std::string> methods_of(const GivenOptions& options, Backend backend) {
  std::vector<std::string> names = options.list("methods");
  const std::vector<std::string_view> known = sort_bench_methods(Backend::automatic);
  const std::vector<std::string_view> here = sort_bench_methods(backend);
  const auto is_in = [](const std::vector<std::string_view>& list, std::string_view name) {
    return std::find(list.begin(), list.end(), name) != list.end();
  };
  for (const std::string& name : names)
    if (!is_in(known, name))
      throw UsageError("--methods: unknown method '" + name + "' " + known_words_hint(name, known));
  if (!names.empty() && std::none_of(names.begin(), names.end(), [&](const auto& name) { return is_in(here, name); }))
    throw UsageError(fmt::format("--methods: none of them runs with --backend {} (known there: {})", word_of(backend),
                                 joined(here)));
  return names;
}

Json to_json(const SortBenchRow& row) {
  return {{"lengths", word_of(row.shape.law)},
          {"mean_length", row.shape.mean_length},
          {"longest_length", row.longest_length},
          {"empty_fraction", row.shape.empty_fraction},
          {"segments", row.shape.segments},
          {"n_keys", row.n_keys},
          {"backend", word_of(row.backend)},
          {"device", row.device_name},
          {"method", row.method},
          {"time_us", row.time_us},
          {"graph_node_us", row.graph_node_us},
          {"keys_per_s", row.keys_per_s},
          {"fraction_of_copy", row.fraction_of_copy},
          {"speedup_over_cub", row.speedup_over_cub},
          {"checked_against", row.sorts ? "std::stable_sort" : "input"}};
}

/// Returns the names of a row's fields, or its values; null is empty.
std::string csv_line(const Json& row, bool names) {
  std::string line;
  for (const auto& [name, value] : std::get<Json::Object>(row.value())) {
    if (!line.empty()) line += ',';
    const auto* const text = std::get_if<std::string>(&value.value());
    if (names) {
      line += name;
    } else if (text != nullptr && text->find(',') == std::string::npos) {
      line += *text;
    } else if (!std::holds_alternative<std::nullptr_t>(value.value())) {
      line += json_line(value);  // a string in quotes
    }
  }
  return line + '\n';
}

std::string csv_text(const Json::List& rows, int device) {
  std::string text = fmt::format("# dropmd {} ({}), GPU {}\n", kVersion, kCommit, gpu_text(device));
  text += csv_line(rows.front(), true);
  for (const Json& row : rows) text += csv_line(row, false);
  return text;
}

std::string heading() {
  return fmt::format("{:<7} {:>6} {:>9} {:>10} {:<7} {:<24} {:>11} {:>10} {:>9} {:>8} {:>8}\n", "lengths", "mean",
                     "segments", "keys", "backend", "method", "us", "node us", "G keys/s", "of copy", "x CUB");
}

std::string to_text(const SortBenchRow& row) {
  const auto number = [](const std::optional<double>& value, int digits) {
    return value ? fmt::format("{:.{}f}", *value, digits) : std::string("-");
  };
  return fmt::format("{:<7} {:>6} {:>9} {:>10} {:<7} {:<24} {:>11.2f} {:>10} {:>9.3f} {:>8} {:>8}\n",
                     word_of(row.shape.law), row.shape.mean_length, row.shape.segments, row.n_keys,
                     word_of(row.backend), row.method, row.time_us, number(row.graph_node_us, 2), row.keys_per_s * 1e-9,
                     number(row.fraction_of_copy, 3), number(row.speedup_over_cub, 2));
}

bool is_csv(const std::filesystem::path& file) {
  std::string extension = file.extension().string();
  for (char& letter : extension) letter = static_cast<char>(std::tolower(static_cast<unsigned char>(letter)));
  return extension == ".csv";
}

/// The measurements so far, in the requested form.
struct SortReport {
  bool json = false;
  bool csv = false;
  int device = 0;
  std::string table{};  ///< title, heading and rows
  Json::List rows{};

  /// incomplete: why rows are missing; empty if none are.
  std::string text(const std::string& incomplete = {}) const {
    if (json) return bench_json("sort", device, rows, incomplete);
    const std::string lines = csv ? csv_text(rows, device) : table;
    return incomplete.empty() ? lines : lines + "# incomplete: " + incomplete.substr(0, incomplete.find('\n')) + '\n';
  }
};

/// Writes an incomplete result, only to a file, and reports it. Throws nothing: what ended the benchmark matters more
/// than why this failed.
void save_part(const GivenOptions& options, Streams& streams, const SortReport& report, const std::string& incomplete) {
  if (!options.has("output") || report.rows.empty()) return;
  try {
    write_result(options, streams, report.text(incomplete));
    if (!options.has("quiet"))
      streams.err << fmt::format("dropmd: {} has what was measured so far\n", options.text("output"));
  } catch (const std::exception& error) {
    streams.err << "dropmd: the measurements are lost: " << error.what() << '\n';
  }
}

ExitStatus run(const GivenOptions& options, const RunConfig& choices, Streams& streams) {
  const bool to_file = options.has("output");
  SortReport report{
      .json = options.has("json"), .csv = to_file && is_csv(options.text("output")), .device = choices.device};
  if (report.json && report.csv) throw UsageError("--json and an output file *.csv cannot be combined (choose one)");
  const std::vector<SortBenchCase> cases = cases_of(options);
  bool stopped = false;  // before the last case
  const SortBenchChoices sort_choices{.backend = choices.backend,
                                      .device = choices.device,
                                      .threads = choices.threads > 0 ? choices.threads : available_threads(),
                                      .methods = methods_of(options, choices.backend),
                                      .stop = [&] { return stopped = StopSignals::came(); }};
  // The table grows row by row: on standard output or, if that is for JSON or not used, as progress.
  const bool table_to_out = !report.json && !to_file;
  std::ostream* const live = table_to_out ? &streams.out : !options.has("quiet") ? &streams.err : nullptr;
  if (!table_to_out && live != nullptr)
    *live << fmt::format("dropmd: bench sort: {} case{}\n", cases.size(), cases.size() == 1 ? "" : "s");
  report.table = bench_title(choices.device) + heading();
  const auto show = [&](const SortBenchRow& row) {
    if (live != nullptr && report.rows.empty()) *live << report.table;
    report.table += to_text(row);
    report.rows.push_back(to_json(row));
    if (live != nullptr) *live << to_text(row) << std::flush;
  };
  // Without a file nothing remains to be done after a signal.
  std::optional<StopSignals> signals;
  if (to_file) signals.emplace();
  try {
    bench_sort(sort_choices, cases, show);
  } catch (const std::exception& error) {
    save_part(options, streams, report, error.what());
    throw;
  }
  if (stopped) {
    save_part(options, streams, report, "interrupted");
    return StopSignals::status();
  }
  if (report.rows.empty())
    throw UsageError("bench sort: none of the methods supports any of the cases here (GPU " + gpu_text(choices.device) +
                     ")");
  if (!table_to_out) write_result(options, streams, report.text());
  return ExitStatus::done;
}

}  // namespace

BenchOperation bench_sort_operation() {
  return {"sort",
          {"lengths", "ragged", "keys", "segments", "methods"},
          {"dropmd bench sort --lengths 8,90 --keys 20000 --backend cpu",
           "dropmd bench sort --ragged 30 --keys 20000 --methods dropmd,std-sort --backend cpu -o sort.csv"},
          add_options,
          run};
}

}  // namespace dropmd
