#pragma once

#include "inputs/topologies/gromacs/molecules/molecule_type.h"

namespace dropmd::gromacs {

/// Checks a complete molecule type: it has atoms; atoms have masses and virtual sites none; each virtual site is
/// constructed once, from atoms with mass; constraints connect atoms with mass, each pair once. Throws InputError.
void check_molecule_type(const MoleculeType& molecule, const ForceField& field, const SourceMap& sources);

}  // namespace dropmd::gromacs
