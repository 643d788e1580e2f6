#pragma once

#include <algorithm>
#include <cstdint>
#include <vector>

namespace dropmd {

/// Returns the index of a value in a list of different ones, to which it is appended if it is not there yet. Equal
/// values mostly follow each other, so the latest are looked at first.
template <class T>
std::uint32_t index_of_kind(std::vector<T>& kinds, const T& value) {
  auto found = std::find(kinds.rbegin(), kinds.rend(), value);
  if (found == kinds.rend()) {
    kinds.push_back(value);
    found = kinds.rbegin();
  }
  return static_cast<std::uint32_t>(kinds.rend() - found - 1);
}

}  // namespace dropmd
