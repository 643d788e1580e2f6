#!/usr/bin/env python3
"""Makes the reference.json of each system beside this file, with GROMACS (gmx_d, double precision) and OpenMM.

    make_references.py                    all systems
    make_references.py rule_1 site_2      some
    make_references.py --inputs           first write anew those inputs that are made by programs (README.md)

What both programs can compute they must agree on, else the script ends with an error. See README.md.
"""

import argparse
import json
import sys
import tempfile
from pathlib import Path

import openmm

from tools import checks, gro, gromacs, inputs, openmm_terms, openmm_topology, sites

HERE = Path(__file__).resolve().parent
# In GROMACS, energies of pairs of function 1 and 2 (lj_14, coulomb_14) come from a table, and CMAP's slopes at grid
# points from a spline that is periodic only approximately.
LOOSE = {"lj_14", "coulomb_14", "cmap", "potential"}
AGREEMENT = {"energy": 1e-9, "loose energy": 2e-7, "force": 2e-9, "loose force": 1e-7}  # kcal/mol, kcal/mol/A

# What the reader of a reference should know, by folder.
NOTES = {
    "site_1": "GROMACS 2022.5 does not spread the forces of sites of kind 1 (its net force is not zero); the forces are "
              "OpenMM's, the energies of both agree.",
    "rule_1": "OpenMM's reader mistakes generated 1-4 pairs of this rule beside nonbond_params. The parameters are those "
              "of rule_3, written as C6 and C12 with ten digits: the energies are the same to 2e-9.",
    "charmm_peptide": "The histidine has dihedral types that the force field defines twice; they count once.",
    "pair_functions": "Pairs of function 2 of atoms that are not excluded act beside the non-bonded interaction. GROMACS "
                      "takes their forces, too, from a table.",
    "openmm_charmm36": "OpenMM keeps Urey-Bradley terms among its bonds.",
    "openmm_nbfix_charmm": "OpenMM keeps Urey-Bradley terms among its bonds.",
}
DEFINES = {"flexible_water": ["FLEXIBLE"], "position_restraints": ["POSRES"], "preprocessor": ["FLEXIBLE"]}
# Systems whose topology OpenMM's reader cannot read, or (rule_1) reads wrongly.
GROMACS_ONLY = {"rule_1", "tip4p2005_hydronium", "position_restraints", "preprocessor"}


def site_indices(folder):
    """Indices of virtual sites of the topologies here, by the names of the atoms."""
    return {i for i, atom in enumerate(gro.read(folder / "structure.gro").atoms) if atom[2] in ("V", "MW", "MH")}


def second_opinion(folder, positions):
    """OpenMM's energies and forces of a GROMACS topology, or None."""
    name = folder.name
    if name.startswith("site_"):
        system = sites.openmm_system(name)
    elif name in GROMACS_ONLY:
        system = None
    else:
        system, _ = openmm_topology.read(folder / "topology.top", DEFINES.get(name, []))
    return openmm_terms.compute(system, positions) if system else None


def agree(name, energies, forces, other_energies, other_forces):
    """Returns the differences; raises where they are too large."""
    differences = checks.energy_differences(energies, other_energies)
    force = checks.largest_difference(forces, other_forces)
    for key, difference in differences.items():
        if abs(difference) > AGREEMENT["loose energy" if key in LOOSE else "energy"]:
            raise SystemExit(f"{name}: {key} differs by {difference} kcal/mol")
    loose = "cmap" in energies or name == "pair_functions"
    if force > AGREEMENT["loose force" if loose else "force"] and name != "site_1":
        raise SystemExit(f"{name}: forces differ by up to {force} kcal/mol/A")
    return differences, force


def without_absent(energies):
    return {key: value for key, value in energies.items() if value != 0.0 or key in ("vdw", "coulomb", "potential")}


def reference_of_topology(folder):
    name = folder.name
    define = DEFINES.get(name, [])
    moved = folder / "moved.gro"
    structure = moved if moved.exists() else folder / "structure.gro"
    restraints = folder / "structure.gro" if moved.exists() else None
    topology = folder / "topology.top"
    energies, forces, positions = gromacs.compute(topology, structure, define, restraints)
    found = site_indices(folder)
    result = {"topology": topology.name, "structure": structure.name, "define": define}
    if restraints:
        result["restraint_reference"] = restraints.name
    program = f"GROMACS {gromacs.version()} (double precision)"
    other = second_opinion(folder, positions)
    if other:
        differences, force = agree(name, energies, forces, *other)
        result["compared_with"] = {"program": program, "energy_differences": differences,
                                   "largest_force_difference": force}
        program = f"OpenMM {openmm_terms.version()} (Reference platform)"
        energies, forces = other
    else:
        start = gro.read(structure)

        def potential(x):
            with tempfile.TemporaryDirectory() as temporary:
                path = Path(temporary) / "a.gro"
                gro.Gro("moved", start.atoms, x).write(path, decimals=12)
                return gromacs.compute(topology, path, define, restraints)[0]["potential"]

        result["slope_error"] = slope(name, potential, positions, forces, found)
    return result, program, energies, forces, positions, found


def reference_of_system(folder):
    system = openmm.XmlSerializer.deserialize((folder / "system.xml").read_text())
    positions = openmm_terms.placed(system, gro.read(folder / "structure.gro").positions)
    energies, forces = openmm_terms.compute(system, positions)
    if energies.get("urey_bradley"):
        energies["bond+urey_bradley"] = energies.pop("bond") + energies.pop("urey_bradley")
    found = {i for i in range(system.getNumParticles()) if system.isVirtualSite(i)}
    result = {"topology": "system.xml", "structure": "structure.gro", "define": []}

    def potential(x):
        return openmm_terms.potential(system, openmm_terms.placed(system, x))[0]

    result["slope_error"] = slope(folder.name, potential, positions, forces, found)
    return result, f"OpenMM {openmm_terms.version()} (Reference platform)", energies, forces, positions, found


def slope(name, potential, positions, forces, found):
    """The error of a directional derivative; it must be below 1e-5 of the forces' size."""
    error = checks.slope_error(potential, positions, forces, found)
    size = sum(c * c for f in forces for c in f) ** 0.5
    if abs(error) > 1e-5 * size:
        raise SystemExit(f"{name}: forces and energies differ by {error} of {size} kcal/mol/A")
    return error


def write(folder):
    is_system = (folder / "system.xml").exists()
    result, program, energies, forces, positions, found = (reference_of_system if is_system else reference_of_topology)(
        folder)
    for i in found:
        forces[i] = [0.0, 0.0, 0.0]
    head = {"units": {"energy": "kcal/mol", "force": "kcal/mol/A", "length": "A"}, "program": program,
            "settings": "double precision, no cutoff, no box", **result}
    if folder.name in NOTES:
        head["note"] = NOTES[folder.name]
    from_table = "GROMACS" in program and "lj_14" in energies
    head["tolerance"] = {"energy": 1e-7 if from_table else 1e-8, "force": 1e-8}
    head["n_atoms"] = len(forces)
    head["energies"] = without_absent(energies)
    if found:
        head["site_positions"] = {str(i + 1): [10 * c for c in positions[i]] for i in sorted(found)}
    text = json.dumps(head, indent=2)
    rows = ",\n".join("    " + json.dumps(f) for f in forces)
    (folder / "reference.json").write_text(text[:-2] + ',\n  "forces": [\n' + rows + "\n  ]\n}\n")
    compared = result.get("compared_with", {})
    energy = max((abs(v) for v in compared.get("energy_differences", {}).values()), default=0.0)
    print(f"{folder.name:22s} {len(forces):4d} atoms  U = {energies['potential']:18.10f}  "
          + (f"programs differ by {energy:.1e}, {compared['largest_force_difference']:.1e}" if compared
             else f"slope error {result['slope_error']:.1e}") + f"  net force {checks.net(forces):.1e}", flush=True)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--inputs", action="store_true", help="first write the inputs anew")
    parser.add_argument("system", nargs="*", help="names of folders")
    choices = parser.parse_args()
    if choices.inputs:
        inputs.build(HERE)
    names = choices.system or sorted(p.parent.name for p in HERE.glob("*/structure.gro"))
    for name in names:
        write(HERE / name)


if __name__ == "__main__":
    sys.exit(main())
