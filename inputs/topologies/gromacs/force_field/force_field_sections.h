#pragma once

#include "inputs/topologies/gromacs/force_field/force_field.h"
#include "inputs/topologies/gromacs/text/topology_line.h"

/// Readers of the lines of sections before the first molecule type. All throw InputError.
namespace dropmd::gromacs {

/// [ defaults ]: nbfunc comb-rule gen-pairs fudgeLJ fudgeQQ n.
void read_defaults(const TopologyLine& line, ForceField& field);

/// [ atomtypes ]: name, optionally bonded type and atomic number, mass charge ptype V W.
void read_atom_type_line(const TopologyLine& line, ForceField& field, WarningList& warnings);

/// [ nonbond_params ] and [ pairtypes ]: i j func V W.
void read_pair_type_line(const TopologyLine& line, Directive section, ForceField& field, WarningList& warnings);

/// [ bondtypes ], [ constrainttypes ] and [ angletypes ].
void read_bonded_type_line(const TopologyLine& line, Directive section, ForceField& field, WarningList& warnings);

/// [ dihedraltypes ]: two or four types, func, parameters.
void read_dihedral_type_line(const TopologyLine& line, ForceField& field, WarningList& warnings);

/// [ cmaptypes ]: five types, func, two sizes, values.
void read_cmap_type_line(const TopologyLine& line, ForceField& field);

}  // namespace dropmd::gromacs
