#pragma once

#include <algorithm>
#include <cstddef>
#include <string>
#include <vector>

namespace dropmd {

/// Joins names with line ends, which no name contains.
inline std::string joined_lines(const std::vector<std::string>& names) {
  std::string text;
  for (const std::string& name : names) text += name + '\n';
  return text;
}

/// Returns the names of such a text.
inline std::vector<std::string> split_lines(const std::string& text) {
  std::vector<std::string> names;
  names.reserve(static_cast<std::size_t>(std::count(text.begin(), text.end(), '\n')));
  for (std::size_t begin = 0, end = 0; (end = text.find('\n', begin)) != std::string::npos; begin = end + 1)
    names.push_back(text.substr(begin, end - begin));
  return names;
}

}  // namespace dropmd
