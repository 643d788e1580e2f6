#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "engine/model/system.h"

namespace dropmd {

struct Structure;

/// The molecules of a system, which are linked into clusters as a whole. Their indices here are in the order of their
/// first atoms.
struct MoleculeTable {
  std::vector<std::uint32_t> id;          ///< [n_molecules] id of the first atom
  std::vector<std::uint32_t> first_atom;  ///< [n_molecules] index of the first atom
  std::vector<std::uint32_t> n_atoms;     ///< [n_molecules] number of atoms, virtual sites included
  std::vector<double> mass;               ///< [n_molecules]
  std::vector<double> charge;             ///< [n_molecules]
  std::vector<std::string> name;          ///< [n_molecules] of the topology, else the species of the first atom
  std::vector<std::uint32_t> of_atom;     ///< [n_atoms] index of the atom's molecule
  /// Indices of the atoms that links join: those with a van der Waals term; in a molecule or a model without any, all
  /// atoms with mass.
  std::vector<std::uint32_t> site;

  std::vector<std::uint32_t> atom;   ///< [n_atoms] indices of the atoms, molecule by molecule
  std::vector<std::uint32_t> begin;  ///< [n_molecules] place of a molecule's first atom there

  /// Returns the atoms of a molecule, ascending.
  std::span<const std::uint32_t> atoms_of(std::size_t molecule) const {
    return std::span(atom).subspan(begin[molecule], n_atoms[molecule]);
  }
  /// Number of molecules.
  std::size_t size() const { return id.size(); }
};

/// Returns the molecules of the present atoms of a system; without a topology each atom is one.
MoleculeTable molecules_of(const System& system);

/// Returns those molecules of a table that have not left. index: [n_atoms] present index of each atom of the table, or
/// PresentAtoms::kAbsent; atoms leave with their whole molecules.
MoleculeTable remaining(MoleculeTable table, std::span<const std::uint32_t> index);

/// Returns the molecules of a structure without a topology: its residues if it has any, else its atoms. Links join all
/// atoms except hydrogen and virtual sites, which have no van der Waals term in force fields of water. system: of the
/// structure.
MoleculeTable molecules_of(const System& system, const Structure& structure);

/// The same for particles of a structure, which may have neither masses nor charges.
MoleculeTable molecules_of(const Particles& particles, const Structure& structure);

/// Returns the names that molecules of a system may have, in a fixed order, including those of molecules that have
/// left.
std::vector<std::string> names_of_molecules(const System& system);

}  // namespace dropmd
