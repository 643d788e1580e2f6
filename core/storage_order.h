#pragma once

#include <cstdint>
#include <span>
#include <vector>

namespace dropmd {

/// Returns per-atom values in storage order: host_index[k] is the index in Particles of the atom with storage index k.
template <class T>
std::vector<T> in_order(std::span<const T> by_atom, std::span<const std::uint32_t> host_index) {
  std::vector<T> stored;
  stored.reserve(host_index.size());
  for (const std::uint32_t i : host_index) stored.push_back(by_atom[i]);
  return stored;
}

}  // namespace dropmd
