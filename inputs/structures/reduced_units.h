#pragma once

#include <string>
#include <string_view>

#include "inputs/line_reader.h"

namespace dropmd {

/// Returns where a title says that the numbers of a .gro file are in units lj, as dropmd's titles of such runs do
/// ("droplet units= lj t= 0.50000"); npos if it does not say so.
inline std::string_view::size_type place_of_reduced_units(std::string_view title) {
  constexpr std::string_view kWords = "units= lj";
  const auto at = title.find(kWords);
  if (at == title.npos || (at > 0 && title[at - 1] != ' ')) return title.npos;
  const auto end = at + kWords.size();
  return end == title.size() || title[end] == ' ' ? at : title.npos;
}

/// Returns the part of a title before these words.
inline std::string without_reduced_units(std::string_view title) {
  return std::string(trimmed(title.substr(0, place_of_reduced_units(title))));
}

}  // namespace dropmd
