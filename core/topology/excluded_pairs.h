#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "core/macros.h"
#include "core/topology/exclusions.h"
#include "core/vector_bytes.h"

namespace dropmd {

struct Particles;

/// The exclusions of the present atoms by index, as pair loops look them up. Atoms of a molecule have consecutive
/// indices, so that a mask of the neighbouring indices answers almost every question without a search.
struct ExcludedPairsView {
  /// Indices that differ by at most this have a bit in the mask.
  static constexpr std::uint32_t kReach = 31;
  /// The bit that says that some exclusions are outside of the mask.
  static constexpr int kMore = 63;

  /// [n_atoms] bit kReach + j − i of atom i: whether i and j are excluded; null: there are no exclusions.
  const std::uint64_t* mask = nullptr;
  const std::uint32_t* start = nullptr;     ///< [n_atoms + 1] where each atom's list begins
  const std::uint32_t* excluded = nullptr;  ///< indices of the atoms that are excluded with each atom, ascending

  /// Whether there are any exclusions.
  DROPMD_HOST_DEVICE bool any() const { return mask != nullptr; }
  /// Returns whether the pair of atoms i and j is left out. There must be exclusions.
  DROPMD_HOST_DEVICE bool operator()(std::uint32_t i, std::uint32_t j) const { return excludes(mask[i], i, j); }
  /// The same, with the mask of atom i given.
  DROPMD_HOST_DEVICE bool excludes(std::uint64_t mask_of_i, std::uint32_t i, std::uint32_t j) const {
    const std::uint32_t bit = j - i + kReach;
    if (bit < kMore) return (mask_of_i >> bit & 1U) != 0;
    return mask_of_i >> kMore != 0 && in_list(i, j);
  }

 private:
  DROPMD_HOST_DEVICE bool in_list(std::uint32_t i, std::uint32_t j) const {
    std::uint32_t low = start[i], high = start[i + 1];
    while (low < high) {
      const std::uint32_t middle = low + (high - low) / 2;
      if (excluded[middle] < j)
        low = middle + 1;
      else
        high = middle;
    }
    return low < start[i + 1] && excluded[low] == j;
  }
};

/// The memory of such a view, on the host.
class ExcludedPairs {
 public:
  /// No exclusions.
  ExcludedPairs() = default;
  /// The exclusions of those atoms that are present. Molecules are present as a whole.
  ExcludedPairs(const Exclusions& exclusions, const Particles& particles);

  bool empty() const { return excluded_.empty(); }
  /// Number of atoms, unless it is empty.
  std::size_t n_atoms() const { return mask_.size(); }
  /// Returns the indices of the atoms that are excluded with atom i, ascending.
  std::span<const std::uint32_t> of(std::uint32_t i) const {
    if (empty()) return {};
    return std::span(excluded_).subspan(start_[i], start_[i + 1] - start_[i]);
  }
  /// The arrays of the view; without exclusions they may be empty.
  std::span<const std::uint64_t> masks() const { return mask_; }
  std::span<const std::uint32_t> starts() const { return start_; }
  std::span<const std::uint32_t> all() const { return excluded_; }
  /// Returns a label for each atom: the smallest index among all atoms that exclusions connect with it. Atoms with
  /// different labels are not excluded with each other.
  std::vector<std::uint32_t> groups() const;
  ExcludedPairsView view() const {
    if (empty()) return {};
    return {mask_.data(), start_.data(), excluded_.data()};
  }
  /// Memory in bytes.
  std::uint64_t bytes() const { return bytes_of_all(mask_, start_, excluded_); }

 private:
  std::vector<std::uint64_t> mask_;      ///< [n_atoms]
  std::vector<std::uint32_t> start_;     ///< [n_atoms + 1]
  std::vector<std::uint32_t> excluded_;  ///< [twice the number of pairs]
};

/// Exclusions of atoms in another order, such as that of cells: all indices refer to that order.
struct OrderedExclusions {
  std::vector<std::uint32_t> start;  ///< [n_atoms + 1] where the list of each atom begins; empty: there are none
  std::vector<std::uint32_t> excluded;
};

/// Returns the exclusions in a given order. order: [n_atoms] index of the atom at each place. excluded: nullptr if
/// there are none.
OrderedExclusions exclusions_in_order(const ExcludedPairs* excluded, std::span<const std::uint32_t> order);

}  // namespace dropmd
