#pragma once

#include <span>
#include <string>
#include <string_view>

namespace dropmd {

/// Returns "A, B or C", for messages.
inline std::string alternatives(std::span<const std::string_view> words) {
  std::string text;
  for (std::size_t k = 0; k < words.size(); ++k) {
    if (k > 0) text += k + 1 < words.size() ? ", " : " or ";
    text += words[k];
  }
  return text;
}

}  // namespace dropmd
