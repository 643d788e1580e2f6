#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace dropmd {

/// The pairs of atoms that the pair forces leave out. Atoms are given by their numbers: the id less 1.
struct Exclusions {
  std::vector<std::uint32_t> start;  ///< [n_atoms + 1] where the list of each atom begins; empty: there are none
  /// The atoms that are excluded with each atom, ascending, without itself; each pair is in the lists of both.
  std::vector<std::uint32_t> excluded;

  bool empty() const { return excluded.empty(); }
  /// Returns the atoms that are excluded with an atom.
  std::span<const std::uint32_t> of(std::size_t atom) const {
    if (start.empty()) return {};
    return std::span(excluded).subspan(start[atom], start[atom + 1] - start[atom]);
  }

  /// Returns whether a pair of atoms is left out, by a search.
  bool exclude(std::uint32_t atom, std::uint32_t other) const {
    if (atom + std::size_t{1} >= start.size())
      return false;  // no exclusions, or a single atom that a program has added
    const std::span<const std::uint32_t> all = of(atom);
    return std::binary_search(all.begin(), all.end(), other);
  }

  friend bool operator==(const Exclusions&, const Exclusions&) = default;
};

/// Returns the exclusions that a list of pairs gives; pairs may be in any order and occur repeatedly, in either
/// direction. An atom with itself is ignored.
Exclusions exclusions_of_pairs(std::size_t n_atoms, std::span<const std::array<std::uint32_t, 2>> pairs);

}  // namespace dropmd
