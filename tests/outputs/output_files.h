#pragma once

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>
#include <vector>

#include "core/errors.h"

/// Helpers of the tests of outputs, for files and messages.
namespace dropmd {

inline std::string read_text(const std::filesystem::path& path) {
  std::ifstream in(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(in), std::istreambuf_iterator<char>()};
}

inline std::vector<std::string> lines_of(const std::string& text) {
  std::vector<std::string> lines;
  for (std::size_t begin = 0; begin < text.size();) {
    const std::size_t end = std::min(text.find('\n', begin), text.size());
    lines.push_back(text.substr(begin, end - begin));
    begin = end + 1;
  }
  return lines;
}

/// The number of names in a folder, including hidden ones.
inline std::size_t count_entries(const std::filesystem::path& folder) {
  const std::filesystem::directory_iterator entries(folder);
  return static_cast<std::size_t>(std::distance(begin(entries), end(entries)));
}

/// The message of the OutputError that `call` throws; empty if it throws none.
template <class Call>
std::string output_error_of(Call&& call) {
  try {
    call();
  } catch (const OutputError& error) {
    return error.what();
  }
  return {};
}

}  // namespace dropmd
