#pragma once

#include <iosfwd>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "app/options.h"
#include "core/errors.h"

namespace dropmd {

/// The streams of a command: results go to `out`, warnings and errors to `err`. `live` goes to the same place as `err`
/// and is for progress and log lines, which are dropped if nobody reads them (app/live_output.h); it is written when
/// flushed.
struct Streams {
  std::ostream& out;
  std::ostream& err;
  std::ostream& live;
  bool err_is_terminal = false;
  std::size_t columns = 80;
};

/// A command of the command line: it has its own file, and a line in all_commands().
struct Command {
  std::string_view name;
  std::string_view arguments;              ///< as shown after the name: "FILE"
  std::string_view summary;                ///< one line
  std::vector<std::string_view> examples;  ///< whole command lines; the tests run them
  void (*add_options)(OptionTable& options);
  ExitStatus (*run)(const GivenOptions& options, Streams& streams);
  std::string_view notes{};  ///< lines at the end of its help
};

std::span<const Command> all_commands();

/// Returns the command of that name; throws UsageError with the nearest known one.
const Command& find_command(std::string_view name);

/// Returns the options of a command, including --help.
OptionTable options_of(const Command& command);

Command run_command();
Command energy_command();
Command compare_command();
Command map_command();
Command ions_command();
Command clusters_command();
Command convert_command();
Command ensemble_command();
Command bench_command();
Command generate_command();
Command report_command();
Command info_command();
Command help_command();

}  // namespace dropmd
