#pragma once

#include <cstddef>
#include <cstdint>
#include <gemmi/elem.hpp>
#include <memory>
#include <string>
#include <string_view>
#include <utility>

#include "core/particles.h"
#include "core/topology/atom_names.h"

namespace dropmd {

/// What formats with names of atoms and residues call an atom.
struct AtomLabel {
  std::string_view name, residue;
  std::int64_t residue_number;
  std::string_view element;  ///< its symbol, such as "Na"; empty: none
};

/// The labels of the atoms of a trajectory. Atoms without names have the name of their species, and each is a residue
/// with its id as number.
class AtomLabels {
 public:
  /// names: by id less 1; null: there are none.
  explicit AtomLabels(std::shared_ptr<const AtomNames> names) : names_(std::move(names)) {}

  /// Returns the label of an atom; index: in the particles, which must outlive the label.
  AtomLabel of(const Particles& particles, std::size_t index) const {
    const std::uint32_t id = particles.id_of(index);
    const std::string_view species = particles.species_names[particles.species[index]];
    const std::size_t k = id - std::size_t{1};
    const bool is_named = names_ != nullptr && k < names_->atom_name.size();
    return {is_named ? names_->atom_name[k] : species, is_named ? names_->residue_name[k] : species,
            is_named ? names_->residue_number[k] : std::int64_t{id}, element_of(species)};
  }

 private:
  /// Longer names are not an element's; X is the species of virtual sites.
  static std::string_view element_of(std::string_view species) {
    if (species.size() > 2) return {};
    const gemmi::Element element(std::string{species});
    return element == gemmi::El::X ? std::string_view() : std::string_view(element.name());
  }

  std::shared_ptr<const AtomNames> names_;
};

}  // namespace dropmd
