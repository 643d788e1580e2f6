#pragma once

#include "inputs/topologies/gromacs/directives.h"
#include "inputs/topologies/gromacs/force_field/force_field.h"
#include "inputs/topologies/gromacs/molecules/molecule_type.h"
#include "inputs/topologies/gromacs/text/topology_line.h"

/// Readers of the lines of a molecule type's sections. All throw InputError.
namespace dropmd::gromacs {

/// [ moleculetype ]: name nrexcl.
MoleculeType read_molecule_type_line(const TopologyLine& line);

/// [ atoms ]: nr type resnr residue atom cgnr [charge [mass]].
void read_atom_line(const TopologyLine& line, const ForceField& field, MoleculeType& molecule);

/// [ bonds ], [ angles ], [ dihedrals ] and [ cmap ]: atoms func [parameters].
void read_bond_line(const TopologyLine& line, const ForceField& field, MoleculeType& molecule);
void read_angle_line(const TopologyLine& line, const ForceField& field, MoleculeType& molecule);
void read_dihedral_line(const TopologyLine& line, const ForceField& field, MoleculeType& molecule);
void read_cmap_line(const TopologyLine& line, const ForceField& field, MoleculeType& molecule);

/// [ pairs ]: i j func [parameters].
void read_pair_line(const TopologyLine& line, const ForceField& field, MoleculeType& molecule);

/// [ constraints ] and [ settles ].
void read_constraint_line(const TopologyLine& line, const ForceField& field, MoleculeType& molecule);
void read_settle_line(const TopologyLine& line, MoleculeType& molecule);

/// [ position_restraints ]: i func kx ky kz.
void read_position_restraint_line(const TopologyLine& line, MoleculeType& molecule);

/// [ exclusions ]: i j ...
void read_exclusion_line(const TopologyLine& line, MoleculeType& molecule);

/// [ virtual_sites1 ] to [ virtual_sites4 ]: site parents func parameters.
void read_site_line(const TopologyLine& line, Directive section, MoleculeType& molecule);
/// [ virtual_sitesn ]: site func parents, for function 3 each with its weight.
void read_weighted_site_line(const TopologyLine& line, MoleculeType& molecule);

}  // namespace dropmd::gromacs
