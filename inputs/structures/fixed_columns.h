#pragma once

#include <cstddef>
#include <string_view>

#include "inputs/line_reader.h"

namespace dropmd {

/// Returns the word in some columns of the reader's line; the columns need no white space around them. `begin` counts
/// from 0. If they hold no word, the result is empty and has the place of the first column, or of the line's end.
inline Word word_in_columns(const LineReader& lines, std::size_t begin, std::size_t width) {
  const std::string_view line = lines.line();
  if (begin >= line.size()) return {{}, line.size() + 1};
  const std::string_view field = line.substr(begin, width);
  const std::string_view text = trimmed(field);
  if (text.empty()) return {{}, begin + 1};
  return {text, static_cast<std::size_t>(text.data() - line.data()) + 1};
}

}  // namespace dropmd
