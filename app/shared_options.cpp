#include "app/shared_options.h"

#include <ostream>

#include "app/option_values.h"
#include "engine/catalog.h"
#include "inputs/bare_structure.h"
#include "inputs/resolved_run.h"
#include "inputs/run_file.h"
#include "inputs/structure_file.h"
#include "outputs/atomic_file.h"
#include "outputs/require_free.h"

namespace dropmd {

namespace {

/// The OpenMP runtime crashes where the system has no more threads to give.
constexpr int kMostThreads = 1024;

}  // namespace

void add_method_options(cxxopts::Options& options) {
  options.add_options("method")("backend", "auto | cpu | cuda", cxxopts::value<std::string>(), "WORD")(
      "device", "number of the GPU", cxxopts::value<std::string>(), "N")("threads", "CPU threads; 0: as many as pay",
                                                                         cxxopts::value<std::string>(), "N")(
      "precision", "mixed | double", cxxopts::value<std::string>(), "WORD")(
      "neighbor", "auto | all-pairs | cells | pair-list", cxxopts::value<std::string>(), "WORD");
}

void add_common_options(cxxopts::Options& options) {
  options.add_options()("json", "one JSON object on standard output, nothing else there")(
      "o,output", "where to write (run: a folder; else a file)", cxxopts::value<std::string>(), "PATH")(
      "force", "overwrite what is there")("q,quiet", "no progress, no warnings")(
      "v,verbose", "show the run with all its defaults first");
}

void add_file_argument(cxxopts::Options& options) {
  options.add_options()("file", "input", cxxopts::value<std::vector<std::string>>());
  options.parse_positional({"file"});
}

void apply_method_options(const cxxopts::ParseResult& options, RunConfig& config) {
  if (options.count("backend") > 0) config.backend = word_option(options, "backend", kBackendWords);
  if (options.count("precision") > 0) config.precision = word_option(options, "precision", kPrecisionWords);
  if (options.count("neighbor") > 0) config.neighbor = word_option(options, "neighbor", kNeighborWords);
  if (options.count("device") > 0) config.device = whole_option(options, "device", 0);
  if (options.count("threads") > 0) config.threads = whole_option(options, "threads", 0);
  if (config.threads <= kMostThreads) return;
  const std::string mistake = std::to_string(config.threads) + " threads are too many (at most " +
                              std::to_string(kMostThreads) + "; 0: as many as pay)";
  if (options.count("threads") > 0) throw UsageError("--threads: " + mistake);
  throw InputError({config.file.string()}, mistake);
}

void add_wall_option(cxxopts::Options& options) {
  options.add_options()("wall", "override the wall's form; none: no wall", cxxopts::value<std::string>(), "FORM");
}

void apply_wall_option(const cxxopts::ParseResult& options, RunConfig& config) {
  if (options.count("wall") == 0) return;
  const std::string word = options["wall"].as<std::string>();
  if (word == "none") {
    config.wall.reset();
    return;
  }
  const FormList forms = form_catalog().wall;
  const FormInfo* form = find_form(forms, word);
  if (form == nullptr) {
    std::vector<std::string_view> known{"none"};
    for (const FormInfo& f : forms) known.push_back(f.name);
    throw UsageError("--wall: unknown form '" + word + "' " + known_words_hint(word, known));
  }
  FormChoice wall{word};
  for (const FormKey& key : form->keys) {
    // A stiffness belongs to its form (its unit differs); the radius is the same sphere.
    if (config.wall && config.wall->has(key.name) && (config.wall->form == word || key.name == "radius"))
      wall.values[std::string(key.name)] = config.wall->at(key.name);
    else if (const auto otherwise = key.default_in(config.units))
      wall.values[std::string(key.name)] = *otherwise;
  }
  config.wall = wall;
}

std::optional<Precision> precision_if_given(const cxxopts::ParseResult& options, const RunConfig& config) {
  return options.count("precision") > 0 ? std::optional(config.precision) : std::nullopt;
}

std::filesystem::path input_file(const cxxopts::ParseResult& options, std::string_view command) {
  const auto files =
      options.count("file") > 0 ? options["file"].as<std::vector<std::string>>() : std::vector<std::string>{};
  const std::string usage = " (dropmd " + std::string(command) + " FILE)";
  if (files.empty()) throw UsageError("no input file given" + usage);
  if (files.size() > 1) throw UsageError("more than one input file: '" + files[0] + "' and '" + files[1] + "'" + usage);
  return files[0];
}

RunConfig load_config(const std::filesystem::path& file) {
  if (file.extension() == ".toml") return read_run_file(file, form_catalog());
  if (!has_structure_format(file))
    throw InputError({file.string()},
                     "neither a run file nor a structure (known extensions: .toml, " + structure_extensions() + ")");
  return bare_structure_config(file, form_catalog());
}

void show_config(const RunConfig& config, const cxxopts::ParseResult& options, Streams& streams) {
  if (options.count("quiet") > 0) return;
  if (options.count("verbose") > 0) streams.err << resolved_run_toml(config) << '\n';
  for (const std::string& warning : config.warnings) streams.err << "dropmd: warning: " << warning << '\n';
}

void require_free_outputs(const cxxopts::ParseResult& options, const RunConfig& config,
                          const std::vector<std::string>& file_options) {
  std::vector<std::filesystem::path> outputs;
  if (options.count("output") > 0) outputs.emplace_back(options["output"].as<std::string>());
  for (const std::string& option : file_options)
    if (options.count(option) > 0) outputs.emplace_back(options[option].as<std::string>());
  require_free(outputs, {config.file, config.structure}, options.count("force") > 0);
}

void write_result(const cxxopts::ParseResult& options, Streams& streams, const std::string& text) {
  if (options.count("output") == 0) {
    streams.out << text;
    return;
  }
  write_atomically(options["output"].as<std::string>(), options.count("force") > 0,
                   [&](FileWriter& file) { file.write(text); });
}

}  // namespace dropmd
