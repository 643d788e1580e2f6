#pragma once

/// Conversion of the units of topology files (nm, kJ/mol, degrees) to units real (Å, kcal/mol) and rad. 1 kcal is
/// 4.184 kJ. Dividing keeps exact what is exact in decimal notation.
namespace dropmd {

/// nm in Å.
constexpr double angstrom_of(double nm) { return nm * 10; }
/// kJ/mol in kcal/mol.
constexpr double kcal_of(double kj) { return kj / 4.184; }
/// kJ/mol/nm² in kcal/mol/Å².
constexpr double stiffness_of(double kj_per_nm2) { return kj_per_nm2 / 418.4; }
/// Degrees in rad.
constexpr double radian_of(double degrees) { return degrees * (3.14159265358979323846 / 180); }

}  // namespace dropmd
