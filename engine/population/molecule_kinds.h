#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

#include "core/particles.h"
#include "core/topology/molecular_model.h"

namespace dropmd {

/// A copy of a model in which molecules are added or become others. Atoms are given by their numbers: the id less 1.
/// Throws std::invalid_argument for mistakes that a user may have made.
class MoleculeKinds {
 public:
  /// particles: the present atoms; their molecules, with their charges and masses, are the patterns that others follow.
  MoleculeKinds(const MolecularModel& model, const Particles& particles);
  MoleculeKinds(const MoleculeKinds&) = delete;
  MoleculeKinds& operator=(const MoleculeKinds&) = delete;

  /// Returns the index of a kind of molecule by its name. A kind that the topology defines, but of which there was no
  /// molecule yet, becomes one of the model, with its types and grids.
  std::uint32_t kind(std::string_view name);
  /// Returns the number of atoms of its molecules.
  std::size_t n_atoms(std::uint32_t kind) const;
  /// Returns the name within the molecule of its k-th atom; empty if atoms have no names.
  std::string_view atom_name(std::uint32_t kind, std::size_t k) const;

  /// A molecule that becomes one of another kind, or that is added.
  struct Change {
    std::uint32_t kind;
    std::vector<std::uint32_t> before;  ///< numbers of its atoms; empty: it is added
    /// Numbers of the atoms that it then has, in its kind's order: from the `before` of any of the changes, or new.
    std::vector<std::uint32_t> after;
  };
  /// Returns a number that no atom ever had.
  std::uint32_t new_number();
  /// Makes the changes, which are of different molecules. Atoms in a `before` but in no `after` have left.
  void make(std::span<const Change> changes);

  const MolecularModel& model() const { return *model_; }
  /// The same, to be kept; nothing may then be changed any more.
  std::shared_ptr<const MolecularModel> shared_model() const { return model_; }

 private:
  std::optional<std::uint32_t> find(std::string_view name) const;
  std::uint32_t take_defined(std::uint32_t kind);
  void copy_atoms(const Change& change, const MolecularModel& from, const AtomBlock& block);
  void let_go(std::uint32_t number);

  std::shared_ptr<MolecularModel> model_;
};

}  // namespace dropmd
