#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <unordered_map>

#include "inputs/structures/structure.h"

namespace dropmd {

/// Gives the species of a structure their indices, in order of first appearance. The structure must outlive it.
class SpeciesIndex {
 public:
  explicit SpeciesIndex(Structure& structure) : structure_(structure) {}

  /// Adds an atom of the species with that name.
  void add_atom(std::string_view name) {
    const auto [entry, is_new] = index_.try_emplace(std::string(name), static_cast<std::uint32_t>(index_.size()));
    if (is_new) structure_.species_names.emplace_back(name);
    structure_.species.push_back(entry->second);
  }

 private:
  Structure& structure_;
  std::unordered_map<std::string, std::uint32_t> index_;
};

}  // namespace dropmd
