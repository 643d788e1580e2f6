#pragma once

#include <string>
#include <string_view>

/// Names of files may have any bytes, and what is shown of them on a terminal must neither command it nor, where it is
/// part of a command line, the shell.
namespace dropmd {

/// A line for a terminal: '?' stands for what that would take for a command, control characters (ASCII's and C1's) and
/// those that turn the direction of the text, as in the name of a file.
std::string without_commands(std::string_view line);

/// A word of a command line that is shown, as bash and zsh read it: in quotes where it needs them, as in 'two words';
/// as
/// $'a\012b' where it has characters that a terminal would obey. Never an option.
std::string shell_word(std::string_view word);

}  // namespace dropmd
