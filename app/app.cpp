#include "app/app.h"

#include <filesystem>
#include <ostream>

#include "app/failure.h"
#include "core/terminal_text.h"
#include "core/version.h"
#include "inputs/nearest_word.h"
#include "outputs/files/pipe_output.h"

namespace dropmd {

namespace {

const std::vector<Command>& commands() {
  static const std::vector<Command> list{run_command(),     energy_command(),   compare_command(),  map_command(),
                                         ions_command(),    ensemble_command(), clusters_command(), report_command(),
                                         convert_command(), bench_command(),    generate_command(), info_command(),
                                         help_command()};
  return list;
}

/// While it exists, a message on `live` tells of pipes whose reader leaves, unless `live` is null.
class ReaderWarnings {
 public:
  ReaderWarnings(std::ostream* live, bool is_terminal) {
    if (live == nullptr) return;
    when_readers_leave([live, is_terminal](const std::filesystem::path& path) {
      constexpr std::string_view kClearLine = "\r\x1b[K";  // where a progress display is
      *live << (is_terminal ? kClearLine : "") << "dropmd: warning: " << without_commands(path.string())
            << ": the reader of this pipe has closed it; what it did not read is dropped" << std::endl;
    });
  }
  ~ReaderWarnings() { when_readers_leave(nullptr); }
  ReaderWarnings(const ReaderWarnings&) = delete;
  ReaderWarnings& operator=(const ReaderWarnings&) = delete;
};

ExitStatus dispatch(const std::vector<std::string>& arguments, Streams& streams) {
  if (arguments.empty()) throw UsageError("no command given (dropmd help lists them)");
  std::vector<std::string> words = arguments;
  if (words[0] == "--version") {
    streams.out << "dropmd " << kFullVersion << '\n';
    return ExitStatus::done;
  }
  if (words[0] == "--help" || words[0] == "-h") words[0] = "help";
  const Command& command = find_command(words[0]);
  const GivenOptions options = parse_options(options_of(command), words);
  const ReaderWarnings warnings(options.has("quiet") ? nullptr : &streams.live, streams.err_is_terminal);
  if (options.has("help")) {
    const Command& help = find_command("help");
    return help.run(parse_options(options_of(help), {"help", words[0]}), streams);
  }
  return command.run(options, streams);
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

OptionTable options_of(const Command& command) {
  OptionTable options;
  command.add_options(options);
  options.add({}, {{"h,help", "show this help"}});
  return options;
}

int run_app(const std::vector<std::string>& arguments, Streams& streams) {
  try {
    return static_cast<int>(dispatch(arguments, streams));
  } catch (...) {
    return static_cast<int>(show_failure(streams));
  }
}

}  // namespace dropmd
