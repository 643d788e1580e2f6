#include "bench/sort.h"

#include <fmt/format.h>

#include <algorithm>
#include <ostream>

#include "app/bench_operation.h"
#include "app/option_values.h"
#include "app/shared_options.h"
#include "core/version.h"
#include "engine/force_field.h"

namespace dropmd {

namespace {

using Json = nlohmann::ordered_json;

void add_options(cxxopts::Options& options) {
  const auto list = [] { return cxxopts::value<std::vector<std::string>>(); };
  options.add_options("bench sort")("lengths", "lengths of equal segments, or 'default' (2 to 1024)", list(), "N,...")(
      "ragged", "means of Poisson lengths, half of the segments empty, or 'default' (10 to 120)", list(), "N,...")(
      "keys", "keys of a case (default 16777216)", cxxopts::value<std::string>(), "N")(
      "segments", "numbers of segments instead of --keys (length 90 unless given)", list(), "N,...")(
      "methods", "what to time (default everything that runs here)", list(), "NAME,...");
}

std::vector<std::string> words_of_list(const cxxopts::ParseResult& options, const std::string& name) {
  return options.count(name) > 0 ? options[name].as<std::vector<std::string>>() : std::vector<std::string>{};
}

int number_up_to(const std::string& option, const std::string& text, int most) {
  const int value = whole_number(option, text, 1);
  if (value > most) throw UsageError(fmt::format("--{} {} is too large (at most {})", option, text, most));
  return value;
}

/// The numbers of an option; none where it was not given.
std::vector<int> numbers_of(const cxxopts::ParseResult& options, const std::string& name, std::span<const int> defaults,
                            int most) {
  const std::vector<std::string> words = words_of_list(options, name);
  if (words.size() == 1 && words[0] == "default") return {defaults.begin(), defaults.end()};
  std::vector<int> numbers;
  for (const std::string& word : words) numbers.push_back(number_up_to(name, word, most));
  return numbers;
}

/// The product of the lengths (or Poisson means) with the numbers of segments, or each with the number of keys.
void add_cases(std::vector<SortBenchCase>& cases, LengthLaw law, std::span<const int> lengths,
               std::span<const int> counts, std::int64_t n_keys) {
  for (const int length : lengths) {
    if (counts.empty()) cases.push_back(sort_case_of_keys(law, length, n_keys));
    for (const int count : counts) cases.push_back(sort_case_of_segments(law, length, count));
  }
}

std::vector<SortBenchCase> cases_of(const cxxopts::ParseResult& options) {
  constexpr auto kMostKeys = static_cast<int>(kSortBenchMaxKeys);
  std::vector<int> lengths = numbers_of(options, "lengths", default_sort_lengths(), kSortBenchMaxLength);
  std::vector<int> means = numbers_of(options, "ragged", default_sort_means(), kSortBenchMaxMean);
  const std::vector<int> counts = numbers_of(options, "segments", default_sort_counts(), kMostKeys);
  if (options.count("keys") > 0 && !counts.empty())
    throw UsageError("--keys and --segments exclude each other (give one)");
  const int n_keys =
      options.count("keys") > 0 ? number_up_to("keys", options["keys"].as<std::string>(), kMostKeys) : kSortBenchKeys;
  const bool nothing_named = lengths.empty() && means.empty();
  if (nothing_named && !counts.empty()) lengths = {kSortCountsLength};
  if (nothing_named && counts.empty()) {
    lengths.assign(default_sort_lengths().begin(), default_sort_lengths().end());
    means.assign(default_sort_means().begin(), default_sort_means().end());
  }
  std::vector<SortBenchCase> cases;
  add_cases(cases, LengthLaw::uniform, lengths, counts, n_keys);
  add_cases(cases, LengthLaw::poisson, means, counts, n_keys);
  if (nothing_named && counts.empty() && options.count("keys") == 0)
    add_cases(cases, LengthLaw::uniform, std::vector{kSortCountsLength}, default_sort_counts(), n_keys);
  for (const SortBenchCase& shape : cases)
    if (expected_keys(shape) > static_cast<double>(kSortBenchMaxKeys))
      throw UsageError(fmt::format("--segments {} of length {} are too many keys (at most {})", shape.segments,
                                   shape.mean_length, kSortBenchMaxKeys));
  return cases;
}

/// Throws UsageError for a name that is no method's, and if none of them runs on the backend.
std::vector<std::string> methods_of(const cxxopts::ParseResult& options, Backend backend) {
  std::vector<std::string> names = words_of_list(options, "methods");
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
  const auto number = [](const std::optional<double>& value) { return value ? Json(*value) : Json(nullptr); };
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
          {"graph_node_us", number(row.graph_node_us)},
          {"keys_per_s", row.keys_per_s},
          {"fraction_of_copy", number(row.fraction_of_copy)},
          {"speedup_over_cub", number(row.speedup_over_cub)},
          {"checked_against", row.sorts ? "std::stable_sort" : "input"}};
}

/// The names of a row's fields, or its values; null is empty.
std::string csv_line(const Json& row, bool names) {
  std::string line;
  for (const auto& [name, value] : row.items()) {
    if (!line.empty()) line += ',';
    if (names) {
      line += name;
    } else if (value.is_string() && value.get<std::string>().find(',') == std::string::npos) {
      line += value.get<std::string>();
    } else if (!value.is_null()) {
      line += value.dump();  // a string in quotes
    }
  }
  return line + '\n';
}

std::string csv_text(const Json& rows, int device) {
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

ExitStatus run(const cxxopts::ParseResult& options, const RunConfig& choices, Streams& streams) {
  const bool json = options.count("json") > 0;
  const std::filesystem::path output =
      options.count("output") > 0 ? options["output"].as<std::string>() : std::string();
  const bool csv = output.extension() == ".csv";
  if (json && csv) throw UsageError("--json and an output file *.csv exclude each other (choose one)");
  const std::vector<SortBenchCase> cases = cases_of(options);
  const SortBenchChoices sort_choices{.backend = choices.backend,
                                      .device = choices.device,
                                      .threads = choices.threads > 0 ? choices.threads : available_threads(),
                                      .methods = methods_of(options, choices.backend)};
  // The table grows row by row: on standard output, or, where that is for JSON or nothing, as progress.
  const bool table_to_out = !json && output.empty();
  std::ostream* const live = table_to_out ? &streams.out : options.count("quiet") == 0 ? &streams.err : nullptr;
  const std::string title = bench_title(choices.device) + heading();
  if (!table_to_out && live != nullptr) *live << fmt::format("dropmd: bench sort: {} case{}\n", cases.size(), cases.size() == 1 ? "" : "s");
  std::string text = title;
  const auto rows = bench_sort(sort_choices, cases, [&](const SortBenchRow& row) {
    if (live != nullptr && text == title) *live << title;
    text += to_text(row);
    if (live != nullptr) *live << to_text(row) << std::flush;
  });
  if (rows.empty())
    throw UsageError("bench sort: none of the methods takes any of the cases here (GPU " + gpu_text(choices.device) +
                     ")");
  if (table_to_out) return ExitStatus::done;
  Json list = Json::array();
  for (const SortBenchRow& row : rows) list.push_back(to_json(row));
  const std::string table = csv ? csv_text(list, choices.device) : text;
  write_result(options, streams, json ? bench_json("sort", choices.device, list) : table);
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
