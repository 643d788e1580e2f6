#pragma once

#include <optional>
#include <span>
#include <vector>

#include "inputs/topologies/gromacs/interaction_functions.h"
#include "inputs/topologies/gromacs/molecules/molecule_type.h"

namespace dropmd::gromacs {

/// Returns the parameters of a bond, constraint or angle: those on the rest of the line, or those of the atoms' bonded
/// types. Throws InputError if there are neither.
Parameters bonded_parameters(WordReader& words, const InteractionFunction& function,
                             std::span<const std::uint32_t> atoms, const MoleculeType& molecule,
                             const ForceField& field);

/// Returns the terms of a dihedral: the one on the rest of the line, or those of the atoms' bonded types. Throws
/// InputError if there are neither.
std::vector<Parameters> dihedral_parameters(WordReader& words, const InteractionFunction& function,
                                            std::span<const std::uint32_t> atoms, const MoleculeType& molecule,
                                            const ForceField& field);

}  // namespace dropmd::gromacs
