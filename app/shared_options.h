#pragma once

#include <filesystem>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "app/command.h"
#include "inputs/nearest_word.h"
#include "inputs/run_file/choice_words.h"
#include "inputs/run_file/run_config.h"
#include "inputs/run_file/settings/setting.h"

namespace dropmd {

/// Adds options for the processor and the precision.
void add_processor_options(OptionTable& options);
/// Adds these, and options for how pairs are found.
void add_method_options(OptionTable& options);
/// Adds --json, -o, --force, -q, -v and the input FILE.
void add_common_options(OptionTable& options);
void add_file_argument(OptionTable& options);

/// Overrides the configuration with the options of the command line.
void apply_method_options(const GivenOptions& options, RunConfig& config);

/// Adds --wall FORM, which overrides the wall's form; its other values stay, or take the form's defaults.
void add_wall_option(OptionTable& options);
void apply_wall_option(const GivenOptions& options, RunConfig& config);

/// Returns the precision of a configuration to which --precision was applied; nullopt if the option was not given.
std::optional<Precision> precision_if_given(const GivenOptions& options, const RunConfig& config);

/// Returns the input FILE of a command line; throws UsageError if there is none, or more than one.
std::filesystem::path input_file(const GivenOptions& options, std::string_view command);

/// Returns the choice for the word of an option (words: a table of inputs/run_file/choice_words.h); throws UsageError
/// with the nearest known word.
template <class Words>
auto word_option(const GivenOptions& options, const std::string& name, const Words& words) {
  const std::string& given = options.text(name);
  const auto value = value_of_word(words, given);
  if (!value)
    throw UsageError("--" + name + ": unknown word '" + given + "' " + known_words_hint(given, all_words(words)));
  return *value;
}

/// Reads a run file, or returns the configuration of a bare droplet file (inputs/structures/bare_structure.h), by the
/// extension. Throws InputError for other structures, which do not define forces: the message names `generate run`.
/// settings: those of the command line, which override both.
RunConfig load_config(const std::filesystem::path& file, std::span<const Setting> settings = {});

/// Shows the configuration with -v, and its warnings unless -q.
void show_config(const RunConfig& config, const GivenOptions& options, Streams& streams);
/// Shows warnings unless -q.
void show_warnings(const std::vector<std::string>& warnings, const GivenOptions& options, Streams& streams);

/// Checks, before any work, the files of -o and of the given options against existing files and the inputs, including
/// those of input_options.
void require_free_outputs(const GivenOptions& options, const RunConfig& config,
                          const std::vector<std::string>& file_options = {},
                          const std::vector<std::string>& input_options = {});

/// Writes a result to the file of -o, or to standard output.
void write_result(const GivenOptions& options, Streams& streams, const std::string& text);

}  // namespace dropmd
