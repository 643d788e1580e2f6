#include <fmt/core.h>
#include <unistd.h>

#include <algorithm>
#include <utility>

#include "app/commands/bench_operation.h"
#include "app/json_text.h"
#include "app/option_values.h"
#include "app/shared_options.h"
#include "core/version.h"
#include "device/device_info.h"
#include "inputs/run_file/run_config.h"
#include "outputs/files/atomic_file.h"
#include "outputs/files/require_free.h"

namespace dropmd {

namespace {

const std::vector<BenchOperation>& operations() {
  static const std::vector<BenchOperation> list{bench_forces_operation(), bench_map_operation(), bench_mesh_operation(),
                                                bench_sort_operation(), bench_step_operation()};
  return list;
}

const BenchOperation& find_operation(const std::string& name) {
  std::vector<std::string_view> known;
  for (const BenchOperation& operation : operations()) {
    if (operation.name == name) return operation;
    known.push_back(operation.name);
  }
  throw UsageError("bench: unknown operation '" + name + "' " + known_words_hint(name, known));
}

/// Throws UsageError for an option of other operations.
void require_own_options(const GivenOptions& options, const BenchOperation& chosen) {
  for (const BenchOperation& other : operations())
    for (const std::string_view option : other.own_options) {
      const auto& own = chosen.own_options;
      if (!options.has(option) || std::find(own.begin(), own.end(), option) != own.end()) continue;
      throw UsageError(fmt::format("bench {} does not use --{} (it is for bench {})", chosen.name, option, other.name));
    }
}

/// Returns the WHAT of the command line, which has no other words except the file of an operation that takes one.
const BenchOperation& chosen_operation(const GivenOptions& options) {
  const std::vector<std::string> words = options.list("file");
  if (words.empty()) {
    std::vector<std::string_view> known;
    for (const BenchOperation& operation : operations()) known.push_back(operation.name);
    throw UsageError("bench: what to time is missing (known: " + joined(known) + ")");
  }
  const BenchOperation& operation = find_operation(words[0]);
  const std::size_t allowed = operation.takes_file ? 2 : 1;
  if (words.size() > allowed)
    throw UsageError(fmt::format("bench {}: unexpected word '{}' (lists have commas without blanks; dropmd help bench)",
                                 words[0], words[allowed]));
  return operation;
}

void add_options(OptionTable& options) {
  add_file_argument(options);
  add_method_options(options);
  add_common_options(options);
  for (const BenchOperation& operation : operations()) operation.add_options(options);
}

ExitStatus run(const GivenOptions& options, Streams& streams) {
  const BenchOperation& operation = chosen_operation(options);
  require_own_options(options, operation);
  RunConfig choices;
  apply_method_options(options, choices);
  if (options.has("output")) {
    require_free({options.text("output")}, {}, options.has("force"));
    require_folder(options.text("output"));
  }
  return operation.run(options, choices, streams);
}

/// Host bytes per atom of the droplet and of the method that needs most.
constexpr double kBytesPerAtom = 1000;

double memory_of_machine() {
  return static_cast<double>(sysconf(_SC_PHYS_PAGES)) * static_cast<double>(sysconf(_SC_PAGESIZE));
}

}  // namespace

std::vector<std::size_t> bench_sizes(const GivenOptions& options, std::vector<std::size_t> usual) {
  std::vector<std::size_t> sizes = whole_options<std::size_t>(options, "atoms", 2, std::move(usual));
  const double memory = memory_of_machine(), most = std::min(1e8, memory / kBytesPerAtom);
  for (const std::size_t n : sizes)
    if (static_cast<double>(n) > most)
      throw UsageError(
          fmt::format("--atoms {} is too large (at most {:.2g} here: an atom takes {:g} bytes, this machine "
                      "has {:.0f} GB)",
                      n, most, kBytesPerAtom, memory / 1e9));
  return sizes;
}

BenchSubject bench_subject(const GivenOptions& options, std::vector<std::size_t> usual,
                           std::initializer_list<const char*> of_droplets, Streams& streams) {
  BenchSubject subject{.file = {}, .sizes = bench_sizes(options, std::move(usual))};
  const auto words = options.list("file");
  if (words.size() < 2) return subject;
  std::vector<std::string> excluded{"atoms"};
  excluded.insert(excluded.end(), of_droplets.begin(), of_droplets.end());
  for (const std::string& name : excluded)
    if (options.has(name))
      throw UsageError(fmt::format("--{} and a file cannot be combined (the file determines what to time)", name));
  RunConfig& config = subject.file.emplace(load_config(words[1]));
  apply_method_options(options, config);
  show_config(config, options, streams);
  require_free_outputs(options, config);
  return subject;
}

std::string gpu_text(int device) {
  const DeviceReport report = query_devices();
  if (report.devices.empty()) return "none: " + report.reason;
  const auto i = static_cast<std::size_t>(device);
  return i < report.devices.size() ? report.devices[i].name : fmt::format("none: there is no device {}", device);
}

std::string bench_title(int device) {
  return fmt::format("dropmd {} ({}), GPU {}\n", kVersion, kCommit, gpu_text(device));
}

std::string bench_json(std::string_view what, int device, const Json::List& rows, const std::string& incomplete) {
  Json::Object json{{"what", what}, {"device", gpu_text(device)}, {"commit", kCommit}, {"rows", rows}};
  if (!incomplete.empty()) json.push_back({"incomplete", incomplete});
  return json_text(json);
}

Command bench_command() {
  std::vector<std::string_view> examples;
  for (const BenchOperation& operation : operations())
    examples.insert(examples.end(), operation.examples.begin(), operation.examples.end());
  return {"bench", "WHAT [FILE]", "time an operation: forces, map, mesh, sort, step", examples, add_options, run};
}

}  // namespace dropmd
