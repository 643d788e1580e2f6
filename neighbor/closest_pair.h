#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <span>

#include "core/vec3.h"

namespace dropmd {

/// Two atoms and their distance.
struct AtomPair {
  std::uint32_t first = 0, second = 0;  ///< indices; first < second unless said otherwise
  double distance = 0;                  ///< length
};

/// Calls `use` for every pair of atoms closer than `limit`, in an order that follows from the positions; O(n), unless
/// very many atoms are within `limit`. position: [n_atoms][3], finite.
void for_each_pair_within(std::span<const Vec3<double>> position, double limit,
                          const std::function<void(const AtomPair&)>& use);

/// Returns the closest of these pairs that counts; nullopt if there is none. counts: whether a pair counts, asked only
/// of pairs closer than the closest so far; empty: all count.
std::optional<AtomPair> closest_pair_within(std::span<const Vec3<double>> position, double limit,
                                            const std::function<bool(const AtomPair&)>& counts = {});

/// Returns the atom closest to atom i, by a scan over all atoms; nullopt for a single atom. `first` is i.
std::optional<AtomPair> nearest_neighbor(std::span<const Vec3<double>> position, std::uint32_t i);

}  // namespace dropmd
