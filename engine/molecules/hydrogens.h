#pragma once

#include "core/errors.h"
#include "core/topology/molecular_model.h"

namespace dropmd {

/// Mass of the heaviest bonded atom that counts as a hydrogen, g/mol: deuterium does, and so do hydrogens of a file
/// whose masses are already repartitioned; lithium does not.
inline constexpr double kHeaviestHydrogen = 4.5;

/// Gives each hydrogen this mass at the expense of the atom bonded to it, so that molecules keep their masses and the
/// fastest motions become slower (Feenstra, Hess and Berendsen, J. Comput. Chem. 20, 786, 1999). Hydrogens of rigid
/// bodies, those with a constraint to another hydrogen, keep theirs: a rigid water allows no such motion.
/// mass: g/mol. Throws InputError if an atom would become lighter than its hydrogens, or if there is no hydrogen to
/// change.
void repartition_hydrogen_mass(double mass, const SourcePlace& place, MolecularModel& model);

/// Turns all harmonic bonds of hydrogens into constraints, whose energies are then left out. A hydrogen has one bond:
/// if several terms join it, as in a file that has Urey-Bradley terms among its bonds, the shortest is meant.
void constrain_hydrogen_bonds(MolecularModel& model);

}  // namespace dropmd
