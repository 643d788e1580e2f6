#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <stdexcept>

namespace dropmd {

/// Where the atoms of a topology are in the arrays of a run. Molecules may have left the run as a whole.
struct PresentAtoms {
  static constexpr std::uint32_t kAbsent = ~std::uint32_t{0};

  /// [number of atoms in the topology] index of each atom, or kAbsent; empty: each atom's index is its number.
  std::span<const std::uint32_t> index;

  /// Returns the index of the atom with this number, or kAbsent.
  std::uint32_t of(std::uint32_t number) const { return index.empty() ? number : index[number]; }

  /// Returns whether atoms that belong together are present. Throws std::logic_error if only some of them are.
  bool contains(std::span<const std::uint32_t> numbers) const {
    std::size_t present = 0;
    for (const std::uint32_t number : numbers) present += of(number) == kAbsent ? 0 : 1;
    if (present != 0 && present != numbers.size()) throw std::logic_error("a part of a molecule is absent");
    return present != 0;
  }
};

}  // namespace dropmd
