#pragma once

#include <algorithm>
#include <cstddef>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace dropmd {

/// Returns bytes as base64 (RFC 4648), as `atob` of browsers reads it.
inline std::string base64(std::span<const std::byte> bytes) {
  constexpr std::string_view kLetters = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
  std::string text;
  text.reserve((bytes.size() + 2) / 3 * 4);
  for (std::size_t k = 0; k < bytes.size(); k += 3) {
    const std::size_t n = std::min<std::size_t>(3, bytes.size() - k);
    unsigned word = 0;  // of three bytes, the first one highest
    for (std::size_t b = 0; b < 3; ++b) word = word << 8U | (b < n ? std::to_integer<unsigned>(bytes[k + b]) : 0U);
    for (unsigned letter = 0; letter < 4; ++letter)
      text += letter <= n ? kLetters[word >> (18U - 6U * letter) & 63U] : '=';
  }
  return text;
}

/// Returns numbers as base64 of their bytes in memory: little-endian, as on every processor that dropmd runs on.
template <class Number>
std::string base64_of(const std::vector<Number>& numbers) {
  return base64(std::as_bytes(std::span(numbers)));
}

/// Returns bytes of a file as base64.
inline std::string base64_of(const std::string& bytes) { return base64(std::as_bytes(std::span(bytes))); }

}  // namespace dropmd
