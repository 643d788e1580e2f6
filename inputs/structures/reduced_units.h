#pragma once

#include <string_view>

namespace dropmd {

/// Returns where a title says that the numbers of a .gro file are in units lj, as dropmd's titles of such runs do
/// (" units= lj"); npos: it does not say so.
inline std::string_view::size_type place_of_reduced_units(std::string_view title) {
  constexpr std::string_view kWords = "units= lj";
  const auto at = title.rfind(kWords);
  if (at == title.npos || (at > 0 && title[at - 1] != ' ')) return title.npos;
  const auto end = at + kWords.size();
  return end == title.size() || title[end] == ' ' ? at : title.npos;
}

}  // namespace dropmd
