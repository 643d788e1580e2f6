#pragma once

#include <cstddef>
#include <string_view>

namespace dropmd {

/// What messages call one thing and several, such as "triangle" and "triangles".
struct CountedNoun {
  std::string_view one, many;

  constexpr std::string_view of(std::size_t n) const { return n == 1 ? one : many; }
};

}  // namespace dropmd
