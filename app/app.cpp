#include "app/app.h"

#include <algorithm>
#include <new>
#include <ostream>

#include "core/version.h"
#include "inputs/nearest_word.h"

namespace dropmd {

namespace {

const std::vector<Command>& commands() {
  static const std::vector<Command> list{run_command(),      energy_command(), compare_command(), bench_command(),
                                         generate_command(), info_command(),   help_command()};
  return list;
}

std::vector<std::string> known_options(const cxxopts::Options& options) {
  std::vector<std::string> known;
  for (const std::string& group : options.groups())
    for (const cxxopts::HelpOptionDetails& option : options.group_help(group).options)
      for (const std::string& name : option.l) known.push_back("--" + name);
  return known;
}

/// Throws UsageError for a word that the command has no use for, and for an option whose value is empty.
void check_words(const std::string& command, const cxxopts::Options& options, const cxxopts::ParseResult& parsed) {
  if (!parsed.unmatched().empty()) {
    const std::string& word = parsed.unmatched().front();
    if (word.size() < 2 || word[0] != '-')
      throw UsageError("unexpected word '" + word + "' (dropmd help " + command + ")");
    const std::vector<std::string> known = known_options(options);
    const std::string name = word.substr(0, word.find('='));
    const auto nearest = nearest_word(name, {known.begin(), known.end()});
    throw UsageError(
        "dropmd " + command + " has no option '" + name + "' (" +
        (nearest ? "did you mean '" + std::string(*nearest) + "'?" : "dropmd help " + command + " lists the options") +
        ")");
  }
  for (const cxxopts::KeyValue& option : parsed.arguments())
    if (option.value().empty()) throw UsageError("--" + option.key() + " is empty (a value is needed)");
}

ExitStatus dispatch(const std::vector<std::string>& arguments, Streams& streams) {
  if (arguments.empty()) throw UsageError("no command given (dropmd help lists them)");
  std::vector<std::string> words = arguments;
  if (words[0] == "--version") {
    streams.out << "dropmd " << kVersion << '\n';
    return ExitStatus::done;
  }
  if (words[0] == "--help" || words[0] == "-h") words[0] = "help";
  const Command& command = find_command(words[0]);
  std::vector<const char*> argv;
  argv.reserve(words.size());
  for (const std::string& word : words) argv.push_back(word.c_str());

  cxxopts::Options options = options_of(command);
  options.allow_unrecognised_options();  // reported below, with the nearest known one
  const cxxopts::ParseResult parsed = options.parse(static_cast<int>(argv.size()), argv.data());
  check_words(words[0], options, parsed);
  if (parsed.count("help") > 0) {
    const char* help[] = {"help", words[0].c_str()};
    cxxopts::Options of_help = options_of(find_command("help"));
    return find_command("help").run(of_help.parse(2, help), streams);
  }
  return command.run(parsed, streams);
}

int fail(ExitStatus status, const std::string& message, Streams& streams) {
  // A message of several lines has a mistake on each: every one gets its own prefix.
  std::size_t begin = 0;
  while (begin <= message.size()) {
    const std::size_t end = std::min(message.find('\n', begin), message.size());
    streams.err << "dropmd: error: " << message.substr(begin, end - begin) << '\n';
    begin = end + 1;
  }
  return static_cast<int>(status);
}

}  // namespace

std::span<const Command> all_commands() { return commands(); }

const Command& find_command(std::string_view name) {
  std::vector<std::string_view> known;
  for (const Command& command : commands()) {
    if (command.name == name) return command;
    known.push_back(command.name);
  }
  if (name.starts_with('-')) known = {"--help", "--version"};
  throw UsageError("unknown command '" + std::string(name) + "' " + known_words_hint(name, known));
}

cxxopts::Options options_of(const Command& command) {
  cxxopts::Options options("dropmd " + std::string(command.name), std::string(command.summary));
  options.custom_help("[OPTION...]");
  options.positional_help(std::string(command.arguments));
  command.add_options(options);
  options.add_options()("h,help", "show this help");
  return options;
}

int run_app(const std::vector<std::string>& arguments, Streams& streams) {
  try {
    return static_cast<int>(dispatch(arguments, streams));
  } catch (const Error& error) {
    return fail(error.status(), error.what(), streams);
  } catch (const cxxopts::exceptions::exception& error) {
    const std::string command = arguments.empty() ? "" : " " + arguments[0];
    return fail(ExitStatus::usage, std::string(error.what()) + " (dropmd help" + command + " lists the options)",
                streams);
  } catch (const std::bad_alloc&) {
    return fail(ExitStatus::input, "not enough memory for this input (use fewer atoms)", streams);
  } catch (const std::exception& error) {
    return fail(ExitStatus::input, std::string("unexpected: ") + error.what(), streams);
  }
}

}  // namespace dropmd
