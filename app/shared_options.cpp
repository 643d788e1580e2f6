#include "app/shared_options.h"

#include <fmt/core.h>

#include <ostream>

#include "app/option_values.h"
#include "core/terminal_text.h"
#include "engine/model/form_catalog.h"
#include "engine/model/invariance.h"
#include "inputs/run_file/input_files.h"
#include "inputs/run_file/resolved_run.h"
#include "inputs/run_file/run_config.h"
#include "inputs/run_file/run_file.h"
#include "inputs/structures/bare_structure.h"
#include "inputs/structures/structure_file.h"
#include "outputs/files/atomic_file.h"
#include "outputs/files/require_free.h"

namespace dropmd {

namespace {

/// More threads are a typing mistake: they would only wait for each other.
constexpr int kMostThreads = 1024;

}  // namespace

void add_processor_options(OptionTable& options) {
  options.add("method", {{"backend", "auto | cpu | cuda", "WORD"},
                         {"device", "number of the GPU", "N"},
                         {"threads", "CPU threads; 0: as many as are useful", "N"},
                         {"precision", "mixed | double", "WORD"}});
}

void add_method_options(OptionTable& options) {
  add_processor_options(options);
  options.add("method", {{"neighbor", "auto | all-pairs | cells | sorted-cells | pair-list", "WORD"}});
}

void add_common_options(OptionTable& options) {
  options.add({}, {{"json", "one JSON object on standard output, and nothing else"},
                   {"o,output", "where to write (run: a folder; else a file)", "PATH"},
                   {"force", "overwrite existing files"},
                   {"q,quiet", "no progress, no warnings"},
                   {"v,verbose", "show the run with all its defaults first, and what it adjusts"}});
}

void add_file_argument(OptionTable& options) { options.add_words("file", "input"); }

void apply_method_options(const GivenOptions& options, RunConfig& config) {
  if (options.has("backend")) config.backend = word_option(options, "backend", kBackendWords);
  if (options.has("precision")) config.precision = word_option(options, "precision", kPrecisionWords);
  if (options.has("neighbor")) {
    config.neighbor = word_option(options, "neighbor", kNeighborWords);
    config.neighbor_place = {};
  }
  if (options.has("device")) config.device = whole_option(options, "device", 0);
  if (options.has("threads")) config.threads = whole_option(options, "threads", 0);
  if (config.threads <= kMostThreads) return;
  const std::string mistake = std::to_string(config.threads) + " threads are too many (at most " +
                              std::to_string(kMostThreads) + "; 0: as many as are useful)";
  if (options.has("threads")) throw UsageError("--threads: " + mistake);
  throw InputError({config.file.string()}, mistake);
}

void add_wall_option(OptionTable& options) {
  options.add({}, {{"wall", "override the wall's form; none: no wall", "FORM"}});
}

void apply_wall_option(const GivenOptions& options, RunConfig& config) {
  if (!options.has("wall")) return;
  const std::string& word = options.text("wall");
  if (word == "none") {
    config.fields.erase("wall");
    return;
  }
  const FormList forms = fields_of(form_catalog(), "wall");
  const FormInfo* form = find_form(forms, word);
  if (form == nullptr) {
    std::vector<std::string_view> known{"none"};
    for (const FormInfo& f : forms) known.push_back(f.name);
    throw UsageError("--wall: unknown form '" + word + "' " + known_words_hint(word, known));
  }
  const std::optional<FormChoice> before = choice_of(config.fields, "wall");
  FormChoice wall{word};
  for (const FormKey& key : form->keys) {
    // A stiffness belongs to its form (units differ); the radius is that of the same sphere.
    if (before && before->has(key.name) && (before->form == word || key.name == "radius"))
      wall.values[std::string(key.name)] = before->at(key.name);
    else if (const auto otherwise = key.default_in(config.units))
      wall.values[std::string(key.name)] = *otherwise;
  }
  config.fields["wall"] = wall;
}

std::optional<Precision> precision_if_given(const GivenOptions& options, const RunConfig& config) {
  return options.has("precision") ? std::optional(config.precision) : std::nullopt;
}

std::filesystem::path input_file(const GivenOptions& options, std::string_view command) {
  const std::vector<std::string> files = options.list("file");
  const std::string usage = " (dropmd " + std::string(command) + " FILE)";
  if (files.empty()) throw UsageError("no input file given" + usage);
  if (files.size() > 1) throw UsageError("more than one input file: '" + files[0] + "' and '" + files[1] + "'" + usage);
  return files[0];
}

RunConfig load_config(const std::filesystem::path& file, std::span<const Setting> settings) {
  if (file.extension() == ".toml") return read_run_file(file, form_catalog(), settings);
  if (!has_structure_format(file))
    throw InputError({file.string()},
                     "neither a run file nor a structure (known extensions: .toml, " + structure_extensions() + ")");
  if (!std::filesystem::exists(file)) throw InputError({file.string()}, "no such file (check the path)");
  if (file.extension() != ".drop")
    throw InputError({file.string()},
                     fmt::format("a structure alone does not say which forces act (dropmd generate run "
                                 "{} -o run.toml writes a run file for it)",
                                 shell_word(file.string())));
  RunConfig bare = bare_structure_config(file, form_catalog());
  if (settings.empty()) return bare;
  return parse_run_file({"the run of " + file.string(), resolved_run_toml(bare, invariance_of(bare))}, file,
                        form_catalog(), settings);
}

void show_config(const RunConfig& config, const GivenOptions& options, Streams& streams) {
  if (options.has("quiet")) return;
  if (options.has("verbose")) streams.err << resolved_run_toml(config, invariance_of(config)) << '\n';
  show_warnings(config.warnings, options, streams);
}

void show_warnings(const std::vector<std::string>& warnings, const GivenOptions& options, Streams& streams) {
  if (options.has("quiet")) return;
  for (const std::string& warning : warnings) streams.err << "dropmd: warning: " << without_commands(warning) << '\n';
}

void require_free_outputs(const GivenOptions& options, const RunConfig& config,
                          const std::vector<std::string>& file_options, const std::vector<std::string>& input_options) {
  std::vector<std::filesystem::path> outputs, inputs = input_files(config);
  if (options.has("output")) outputs.emplace_back(options.text("output"));
  for (const std::string& option : file_options)
    if (options.has(option)) outputs.emplace_back(options.text(option));
  for (const std::string& option : input_options)
    if (options.has(option)) inputs.emplace_back(options.text(option));
  require_free(outputs, inputs, options.has("force"));
  for (const std::filesystem::path& output : outputs) require_folder(output);
}

void write_result(const GivenOptions& options, Streams& streams, const std::string& text) {
  if (!options.has("output")) {
    streams.out << text;
    return;
  }
  write_atomically(options.text("output"), options.has("force"), [&](FileWriter& file) { file.write(text); });
}

}  // namespace dropmd
