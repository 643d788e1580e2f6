#pragma once

#include <algorithm>
#include <cstddef>
#include <string>
#include <string_view>

namespace dropmd {

/// Returns text for a line of a header that readers keep in a buffer of fixed size: control characters become spaces,
/// and what exceeds `most` bytes is cut off, between UTF-8 characters.
inline std::string one_line(std::string_view text, std::size_t most) {
  if (text.size() > most) {
    constexpr std::size_t kMostBack = 3;  // a character has up to four bytes
    std::size_t end = most;
    while (end > 0 && most - end < kMostBack && (static_cast<unsigned char>(text[end]) & 0xC0U) == 0x80U) --end;
    text = text.substr(0, end);
  }
  std::string line(text);
  std::replace_if(
      line.begin(), line.end(), [](char c) { return static_cast<unsigned char>(c) < ' ' || c == '\x7f'; }, ' ');
  return line;
}

}  // namespace dropmd
