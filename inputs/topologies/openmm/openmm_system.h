#pragma once

#include <filesystem>

#include "core/topology/molecular_model.h"

namespace dropmd {

/// Reads a System of OpenMM as its XmlSerializer writes it (.xml): particles, constraints, virtual sites and forces.
/// Names of atoms and residues are not in the file, so these vectors are empty; all molecules have the name "".
///
/// Forces: HarmonicBondForce (with the Urey-Bradley terms among them), HarmonicAngleForce, PeriodicTorsionForce,
/// RBTorsionForce, CMAPTorsionForce and NonbondedForce, and the CustomTorsionForce (harmonic impropers),
/// CustomBondForce (1-4 pairs) and CustomNonbondedForce (tables by type, geometric means) that OpenMM's readers of
/// AMBER, CHARMM and GROMACS files and its own force fields make; docs/file-formats.md lists the formulas. Any other
/// force, parameters that a program could change (global parameters, offsets) and virtual sites that no form expresses
/// exactly are errors. Settings of cutoffs, the box and CMMotionRemover are left out, with a warning.
///
/// Throws InputError with FILE:LINE:COLUMN of the element.
MolecularModel read_openmm_system(const std::filesystem::path& path);

}  // namespace dropmd
