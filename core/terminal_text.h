#pragma once

#include <string>
#include <string_view>

/// File names may contain any bytes. What is shown of them on a terminal must control neither the terminal nor, as part
/// of a command line, the shell.
namespace dropmd {

/// Returns a line that is safe to show on a terminal: '?' replaces control characters (ASCII and C1) and characters
/// that change the direction of text, which a file name may contain.
std::string without_commands(std::string_view line);

/// Returns a word of a command line as bash and zsh read it: quoted where needed, as in 'two words', or as $'a\012b'
/// where it has characters that a terminal would obey. The result is never taken for an option.
std::string shell_word(std::string_view word);

}  // namespace dropmd
