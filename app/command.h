#pragma once

#include <iosfwd>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "app/options.h"
#include "core/errors.h"

namespace dropmd {

/// Where a command writes: results to `out`, warnings and errors to `err`, and to `live`, which goes there too, what is
/// of the moment alone: progress and log, dropped where nobody reads it (app/live_output.h). It is written when
/// flushed.
struct Streams {
  std::ostream& out;
  std::ostream& err;
  std::ostream& live;
  bool err_is_terminal = false;
  std::size_t columns = 80;
};

/// One command of the command line: a file of its own, and a line in all_commands().
struct Command {
  std::string_view name;
  std::string_view arguments;              ///< as shown behind the name: "FILE"
  std::string_view summary;                ///< one line
  std::vector<std::string_view> examples;  ///< whole command lines; the tests run them
  void (*add_options)(OptionTable& options);
  ExitStatus (*run)(const GivenOptions& options, Streams& streams);
  std::string_view notes{};  ///< lines that stand at the end of its help
};

std::span<const Command> all_commands();

/// The command of that name; throws UsageError with the nearest known one.
const Command& find_command(std::string_view name);

/// The options of a command, --help among them.
OptionTable options_of(const Command& command);

Command run_command();
Command energy_command();
Command compare_command();
Command map_command();
Command ions_command();
Command bench_command();
Command generate_command();
Command info_command();
Command help_command();

}  // namespace dropmd
