#include "core/terminal_text.h"

#include <algorithm>
#include <cstddef>

namespace dropmd {
namespace {

/// Returns the length in bytes of the character at the beginning of the text if a terminal would obey it, else 0. The
/// text is not empty.
std::size_t command_length(std::string_view text) {
  const auto byte = [&](std::size_t k) { return k < text.size() ? static_cast<unsigned char>(text[k]) : 0U; };
  if (byte(0) < 0x20 || byte(0) == 0x7F) return 1;
  // U+0080 to U+009F
  if (byte(0) == 0xC2 && byte(1) >= 0x80 && byte(1) <= 0x9F) return 2;
  // U+202A to U+202E, U+2066 to U+2069
  const bool turns = byte(0) == 0xE2 && ((byte(1) == 0x80 && byte(2) >= 0xAA && byte(2) <= 0xAE) ||
                                         (byte(1) == 0x81 && byte(2) >= 0xA6 && byte(2) <= 0xA9));
  return turns ? 3 : 0;
}

bool has_commands(std::string_view word) { return without_commands(word) != word; }

/// A shell takes characters beyond ASCII for letters.
bool needs_no_quotes(char c) {
  constexpr std::string_view kPlain = "@%+=:,./-_";
  const auto byte = static_cast<unsigned char>(c);
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || byte >= 0x80 ||
         kPlain.find(c) != std::string_view::npos;
}

std::string in_single_quotes(std::string_view word) {
  std::string text = "'";
  for (const char c : word) text += c == '\'' ? std::string("'\\''") : std::string(1, c);
  return text + '\'';
}

std::string octal(char c) {
  const unsigned byte = static_cast<unsigned char>(c);
  std::string digits = "\\";
  for (const unsigned shift : {6U, 3U, 0U}) digits += static_cast<char>('0' + (byte >> shift & 7U));
  return digits;
}

std::string in_ansi_c_quotes(std::string_view word) {
  std::string text = "$'";
  while (!word.empty()) {
    const std::size_t n = command_length(word);
    if (n == 0) {
      if (word.front() == '\'' || word.front() == '\\') text += '\\';
      text += word.front();
    }
    for (const char c : word.substr(0, n)) text += octal(c);
    word.remove_prefix(std::max<std::size_t>(n, 1));
  }
  return text + '\'';
}

}  // namespace

std::string without_commands(std::string_view line) {
  std::string text;
  while (!line.empty()) {
    const std::size_t n = command_length(line);
    text += n > 0 ? '?' : line.front();
    line.remove_prefix(std::max<std::size_t>(n, 1));
  }
  return text;
}

std::string shell_word(std::string_view word) {
  if (word.starts_with('-')) return shell_word("./" + std::string(word));
  if (has_commands(word)) return in_ansi_c_quotes(word);
  if (!word.empty() && std::all_of(word.begin(), word.end(), needs_no_quotes)) return std::string(word);
  return in_single_quotes(word);
}

}  // namespace dropmd
