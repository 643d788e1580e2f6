#include "engine/methods/useful_gpus.h"

#include <cstddef>
#include <optional>

namespace dropmd {

namespace {

/// Returns the fewest atoms for which two GPUs are faster than one; nullopt where that has not been measured.
std::optional<std::size_t> fewest_useful_atoms(const Method& method, const System& system) {
  constexpr std::size_t kAllPairs = 1'000, kCutoff = 33'000;
  if (method.neighbor == NeighborMethod::all_pairs) return kAllPairs;
  if (system.terms.empty() && !system.topology) return kCutoff;
  return std::nullopt;
}

}  // namespace

bool are_useful_gpus(const Method& method, const System& system) {
  return system.particles.size() >= fewest_useful_atoms(method, system).value_or(0);
}

}  // namespace dropmd
