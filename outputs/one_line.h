#pragma once

#include <algorithm>
#include <cstddef>
#include <string>
#include <string_view>

namespace dropmd {

/// Text for a line of a header that readers keep in a buffer of fixed size: control characters become spaces, what is
/// beyond `most` bytes is cut, between characters of UTF-8.
inline std::string one_line(std::string_view text, std::size_t most) {
  if (text.size() > most) {
    while (most > 0 && (static_cast<unsigned char>(text[most]) & 0xC0U) == 0x80U) --most;
    text = text.substr(0, most);
  }
  std::string line(text);
  std::replace_if(
      line.begin(), line.end(), [](char c) { return static_cast<unsigned char>(c) < ' ' || c == '\x7f'; }, ' ');
  return line;
}

}  // namespace dropmd
