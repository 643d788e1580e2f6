#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <span>

#include "core/vec3.h"

namespace dropmd {

struct AtomPair {
  std::uint32_t first = 0, second = 0;  ///< indices, first < second
  double distance = 0;
};

/// The closest pair of atoms that is nearer than `limit`, or none; O(n) for atoms that are not crowded.
/// position: [n_atoms][3], finite.
std::optional<AtomPair> closest_pair_within(std::span<const Vec3<double>> position, double limit);

/// Calls `use` for every pair of atoms that are nearer than `limit`, in an order that the positions give; O(n) for
/// atoms that are not crowded. position: [n_atoms][3], finite.
void for_each_pair_within(std::span<const Vec3<double>> position, double limit,
                          const std::function<void(const AtomPair&)>& use);

/// The atom nearest to atom i, by a scan over all; none for a single atom. `first` is i.
std::optional<AtomPair> nearest_neighbor(std::span<const Vec3<double>> position, std::uint32_t i);

}  // namespace dropmd
