#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

#include "core/topology/atom_names.h"
#include "engine/droplet/molecule_table.h"
#include "inputs/trajectories/trajectory_reader.h"

namespace dropmd {

/// The atoms with which a run began, as a structure or a run file gives them. Frames of its trajectory have all of
/// them, or tell by ids which are left.
struct KnownAtoms {
  Particles particles;  ///< masses and charges may be empty
  AtomNames names;      ///< may be empty
  MoleculeTable molecules;
};

/// Returns those of a structure; its residues, else its atoms, are the molecules.
KnownAtoms known_atoms(const Structure& structure);
/// Returns those of a run's system, whose structure this is.
KnownAtoms known_atoms(const System& system, const Structure& structure);

/// The atoms of the frames of a trajectory, one frame after another.
class FrameAtoms {
 public:
  /// known: nullopt if there are only the frames.
  explicit FrameAtoms(std::optional<KnownAtoms> known) : known_(std::move(known)) {}

  /// Takes a frame; `number` counts from 1. Species, masses, charges and names are those of the known atoms, else the
  /// frame's. Throws InputError for a frame of other atoms, or with names of other elements.
  void take(InputFrame frame, std::size_t number);

  /// The atoms of the frame, with ids if it has them. What is not known is empty, including pair species and groups.
  const Particles& particles() const { return particles_; }
  const MoleculeTable& molecules() const { return molecules_; }
  /// By number; null: there are none.
  const AtomNames* names() const { return names_.atom_name.empty() ? nullptr : &names_; }

 private:
  void take_known(const InputFrame& frame, std::size_t number);
  void require_same_names(const Structure& structure, const std::vector<std::uint32_t>& index,
                          std::size_t number) const;
  void take_own(const InputFrame& frame);

  std::optional<KnownAtoms> known_;
  bool has_atoms_ = false;
  std::vector<std::uint32_t> ids_;  ///< of the frame; empty: it has none
  Particles particles_;
  AtomNames names_;
  MoleculeTable molecules_;
};

/// Returns the indices of the atoms of the largest cluster, ascending. distance: of links, length.
std::vector<std::uint32_t> droplet_atoms(const FrameAtoms& atoms, double distance);

/// Returns the indices, ascending, of the atoms of the molecules with a name, else of the residues, else of the
/// species, else of the atoms with it; empty: there are none.
std::vector<std::uint32_t> atoms_named(const FrameAtoms& atoms, std::string_view name);

/// Returns the names that atoms_named() knows, each once.
std::vector<std::string_view> selectable_names(const FrameAtoms& atoms);

}  // namespace dropmd
