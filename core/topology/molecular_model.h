#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "core/lj_parameters.h"
#include "core/topology/atom_names.h"
#include "core/topology/topology.h"

namespace dropmd {

/// A molecule type of one atom, such as an ion.
struct OneAtomMolecule {
  std::string name, residue_name, atom_name;
  double charge;  ///< e
  double mass;    ///< g/mol
};

/// Atoms with successive numbers.
struct AtomBlock {
  std::uint32_t first = 0, n_atoms = 0;

  friend bool operator==(const AtomBlock&, const AtomBlock&) = default;
};

/// The contents of a topology file, in units real (core/units.h): all molecules one after another, in the order of the
/// structure. Per-atom vectors have n_atoms elements; those of names and residues are empty if the file has none, as is
/// the case with an OpenMM System.
struct MolecularModel : AtomNames {
  std::string file;   ///< path as the user wrote it
  std::string title;  ///< one line; empty: none

  std::vector<double> charge;  ///< e
  std::vector<double> mass;    ///< g/mol; 0 for virtual sites only
  /// [n_atoms] index into `molecule_names`.
  std::vector<std::uint32_t> molecule_name;
  std::vector<std::string> molecule_names;  ///< in order of first appearance
  /// [molecule_names] for each name, a molecule that has never been another: the pattern for those that become like it.
  /// It may have left. Empty: no molecule has become another so far.
  std::vector<AtomBlock> kinds;

  std::vector<std::uint32_t> type;      ///< [n_atoms] index into `type_names`
  std::vector<std::string> type_names;  ///< those types of the force field that atoms have
  /// [n_types][n_types], symmetric: by the combination rule, or as the file says for two types.
  std::vector<LjParameters> lj;

  /// Molecules, bonded terms, exclusions, constraints, virtual sites. References of position restraints are left at
  /// zero: they are the positions of the structure.
  Topology topology;

  /// The one-atom molecule types of the topology file, even those of which it has no molecule; a line can add some.
  std::vector<OneAtomMolecule> one_atom_molecules;

  /// One molecule of each kind that the topology file defines, those of `molecule_names` first and in the same order,
  /// so that types and grids of this model have the same indices there; null: a format without kinds.
  std::shared_ptr<const MolecularModel> defined;

  std::vector<std::string> warnings;  ///< what was ignored; to be shown to the user once

  /// Number of atoms, virtual sites included.
  std::size_t size() const { return charge.size(); }
};

}  // namespace dropmd
