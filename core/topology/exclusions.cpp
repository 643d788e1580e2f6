#include "core/topology/exclusions.h"

#include <algorithm>
#include <array>
#include <utility>

namespace dropmd {

Exclusions exclusions_of_pairs(std::size_t n_atoms, std::span<const std::array<std::uint32_t, 2>> pairs) {
  std::vector<std::array<std::uint32_t, 2>> directed;
  directed.reserve(2 * pairs.size());
  for (const auto& [a, b] : pairs) {
    if (a == b) continue;
    directed.push_back({a, b});
    directed.push_back({b, a});
  }
  Exclusions exclusions;
  if (directed.empty()) return exclusions;
  std::sort(directed.begin(), directed.end());
  directed.erase(std::unique(directed.begin(), directed.end()), directed.end());
  exclusions.start.assign(n_atoms + 1, 0);
  for (const auto& [a, b] : directed) {
    ++exclusions.start[a + 1];
    exclusions.excluded.push_back(b);
  }
  for (std::size_t i = 0; i < n_atoms; ++i) exclusions.start[i + 1] += exclusions.start[i];
  return exclusions;
}

}  // namespace dropmd
