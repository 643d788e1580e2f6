#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <vector>

#include "core/topology/topology.h"
#include "inputs/topologies/gromacs/force_field/force_field.h"
#include "inputs/topologies/gromacs/text/topology_line.h"

namespace dropmd::gromacs {

/// A line of [ atoms ].
struct MoleculeAtom {
  std::string name;
  std::string residue_name;
  std::int32_t residue_number = 0;
  std::uint32_t type = 0;  ///< number of its type in the force field
  double charge = 0;       ///< e
  double mass = 0;         ///< g/mol
  TextPlace place;
};

/// A place for each constraint and virtual site, for messages.
struct ConstraintPlaces {
  std::vector<TextPlace> constraints, virtual_sites, weighted_sites;
};

/// A molecule type: what [ moleculetype ] and the sections after it say, in units real. Atoms of terms, constraints and
/// sites are numbered from 0 within the molecule. CmapDihedrals::grid is an index into ForceField::cmap_grids.
struct MoleculeType {
  std::string name;
  TextPlace place;
  std::uint32_t n_excluded_bonds = 0;  ///< nrexcl: pairs of atoms up to this many bonds apart are excluded
  std::vector<MoleculeAtom> atoms;
  BondedTerms terms;
  std::vector<Constraint> constraints;
  std::vector<VirtualSite> virtual_sites;
  std::vector<WeightedSite> weighted_sites;
  ConstraintPlaces places;
  /// Bonds that count for nrexcl.
  std::vector<AtomNumbers<2>> chemical_bonds;
  /// Pairs of [ exclusions ].
  std::vector<AtomNumbers<2>> excluded_pairs;
};

/// Reads the number of an atom in [ atoms ] and returns it less 1. Throws InputError if the molecule type has no such
/// atom.
std::uint32_t read_atom(WordReader& words, const MoleculeType& molecule);

/// Reads the numbers of different atoms.
template <std::size_t n>
AtomNumbers<n> read_atoms(WordReader& words, const MoleculeType& molecule);

/// Returns "2-1-3 (HW-OW-HW)": the atoms and their types.
std::string text_of_atoms(std::span<const std::uint32_t> atoms, const MoleculeType& molecule, const ForceField& field);

}  // namespace dropmd::gromacs
