#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "core/topology/molecular_model.h"
#include "inputs/topologies/gromacs/molecules/molecule_type.h"

namespace dropmd::gromacs {

/// A line of [ molecules ].
struct MoleculeCount {
  std::size_t type = 0;  ///< index into the molecule types
  std::uint64_t n_molecules = 0;
  TextPlace place;
};

/// The contents of a topology after all its lines.
struct TopologyContents {
  ForceField field;
  std::vector<MoleculeType> types;
  std::vector<MoleculeCount> molecules;
  /// Terms of [ intermolecular_interactions ], between atoms that are numbered through the whole system.
  BondedTerms between_molecules;
};

/// Returns the number of atoms of all molecules. Throws InputError if it is more than `most_atoms`, or if the model
/// would not fit into memory.
std::size_t count_atoms(const TopologyContents& contents, std::size_t most_atoms, const SourceMap& sources);

/// Puts all molecules one after another into `model`. Types of molecules of several atoms that do not occur, types of
/// atoms that no molecule has and grids that no term uses are left out. Throws InputError for molecule types that are
/// wrong as a whole.
void assemble(const TopologyContents& contents, std::size_t most_atoms, const SourceMap& sources,
              MolecularModel& model);

}  // namespace dropmd::gromacs
