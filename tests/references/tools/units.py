"""GROMACS and OpenMM compute in kJ/mol and nm, references are in kcal/mol and A. 1 kcal = 4.184 kJ, 1 nm = 10 A."""

KCAL = 4.184


def energy(kj):
    return kj / KCAL


def force(kj_per_nm):
    return kj_per_nm / (10 * KCAL)
