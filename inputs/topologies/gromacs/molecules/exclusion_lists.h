#pragma once

#include "core/topology/exclusions.h"
#include "inputs/topologies/gromacs/molecules/molecule_type.h"

namespace dropmd::gromacs {

/// Returns the exclusions within a molecule type: pairs of atoms up to nrexcl bonds apart, and those of [ exclusions ].
/// Throws InputError if an atom has absurdly many.
Exclusions exclusions_of(const MoleculeType& molecule, const SourceMap& sources);

}  // namespace dropmd::gromacs
