#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "core/particles.h"

namespace dropmd {

/// Where the atoms of a topology are in the arrays of a run. An atom's number is its id less 1. Atoms may have left the
/// run, by whole molecules.
class PresentAtoms {
 public:
  static constexpr std::uint32_t kAbsent = ~std::uint32_t{0};

  /// All atoms, each with its number as its index.
  PresentAtoms() = default;
  /// index: by number; kAbsent for atoms that have left. All atoms beyond the end of the array have left, too.
  explicit PresentAtoms(std::vector<std::uint32_t> index) : index_(std::move(index)) {}
  explicit PresentAtoms(const Particles& particles) : index_(std::in_place) {
    if (particles.size() == 0) return;
    const auto& id = particles.id;
    index_->assign(id.empty() ? particles.size() : *std::max_element(id.begin(), id.end()), kAbsent);
    for (std::size_t i = 0; i < particles.size(); ++i)
      (*index_)[particles.id_of(i) - 1] = static_cast<std::uint32_t>(i);
  }

  /// Returns the index of the atom with this number, or kAbsent.
  std::uint32_t of(std::uint32_t number) const {
    if (!index_) return number;
    return number < index_->size() ? (*index_)[number] : kAbsent;
  }

  /// Returns the same for atoms with these ids.
  std::vector<std::uint32_t> of_all(std::span<const std::uint32_t> ids) const {
    std::vector<std::uint32_t> indices(ids.size());
    for (std::size_t i = 0; i < ids.size(); ++i) indices[i] = of(ids[i] - 1);
    return indices;
  }

  /// Returns whether atoms that belong together are present. Throws std::logic_error if only some of them are.
  bool contains(std::span<const std::uint32_t> numbers) const {
    std::size_t present = 0;
    for (const std::uint32_t number : numbers) present += of(number) == kAbsent ? 0 : 1;
    if (present != 0 && present != numbers.size())
      throw std::logic_error("a part of the molecule of atom " + std::to_string(numbers[0] + 1) + " is absent");
    return present != 0;
  }

 private:
  std::optional<std::vector<std::uint32_t>> index_;
};

}  // namespace dropmd
