#include <fmt/core.h>

#include <cctype>
#include <cstddef>
#include <ostream>
#include <string>
#include <string_view>

#include "app/command.h"

namespace dropmd {

namespace {

void add_options(OptionTable& options) { options.add_words("command", "the command to explain"); }

void list_commands(std::ostream& out) {
  out << "dropmd: molecular dynamics of droplets and clusters in open space\n\n";
  constexpr std::size_t kColumn = 22;
  for (const Command& command : all_commands()) {
    const std::string usage = fmt::format("{} {}", command.name, command.arguments);
    // A longer usage has a line of its own.
    const std::string gap = usage.size() <= kColumn ? "" : fmt::format("\n  {:<{}}", "", kColumn);
    out << fmt::format("  {:<{}}{} {}\n", usage, kColumn, gap, command.summary);
  }
  out << "\n  dropmd help COMMAND    options and examples of a command\n"
         "  dropmd --version       the version\n\n"
         "Exit status: 0 done, 1 out of tolerance or not converged, 2 usage, 3 input, 4 device, 5 physics, 6 output, "
         "130/143 signal.\n";
}

bool is_letter(char c) { return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '-'; }

/// Whether a text has the word, such as "water" in "droplet | water | run FILE".
bool mentions(std::string_view text, std::string_view word) {
  for (std::size_t at = text.find(word); at != std::string_view::npos; at = text.find(word, at + 1)) {
    const std::size_t end = at + word.size();
    if ((at == 0 || !is_letter(text[at - 1])) && (end == text.size() || !is_letter(text[end]))) return true;
  }
  return false;
}

ExitStatus run(const GivenOptions& options, Streams& streams) {
  const std::vector<std::string> words = options.list("command");
  if (words.empty()) {
    list_commands(streams.out);
    return ExitStatus::done;
  }
  const Command& command = find_command(words[0]);
  const bool names_one =
      words.size() == 1 ||
      (words.size() == 2 && (mentions(command.arguments, words[1]) || mentions(command.summary, words[1])));
  if (!names_one) throw UsageError("help explains one command (dropmd help " + words[0] + ")");
  streams.out << options_help(options_of(command), "dropmd " + std::string(command.name), std::string(command.summary),
                              std::string(command.arguments));
  if (!command.examples.empty()) streams.out << "\nExamples:\n";
  for (const std::string_view example : command.examples) streams.out << "  " << example << '\n';
  if (!command.notes.empty()) streams.out << '\n' << command.notes;
  return ExitStatus::done;
}

}  // namespace

Command help_command() {
  return {"help", "[COMMAND]", "explain a command", {"dropmd help", "dropmd help run"}, add_options, run};
}

}  // namespace dropmd
