#pragma once

#include <charconv>
#include <optional>
#include <string_view>
#include <system_error>

namespace dropmd {

/// Returns the whole text as an integer (without a plus sign); nullopt if it is not one, or if Integer has no such
/// value.
template <class Integer>
std::optional<Integer> whole_number(std::string_view text, int base = 10) {
  Integer value = 0;
  const char* const end = text.data() + text.size();
  const auto [rest, error] = std::from_chars(text.data(), end, value, base);
  if (error != std::errc() || rest != end) return std::nullopt;
  return value;
}

}  // namespace dropmd
