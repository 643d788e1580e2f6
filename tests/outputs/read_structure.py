#!/usr/bin/env python3
"""Read an extended XYZ file with another program and print the result as JSON.

Usage: read_structure.py READER FILE. Keys, as far as the reader has them: names, positions, velocities, charges,
masses. Velocities of READER ase are in A/fs, those of ase-lj as they are. READER ase-writes takes velocities of 1, 2,
3 A/fs for each atom, charges of 0.25 and masses of 10, and writes them to ase.xyz as ASE does. Exit status 77 without
the package.
"""

import json
import sys


def by_ase(path, in_fs=True):
    import ase.io
    import ase.units

    atoms = ase.io.read(path)
    velocities = atoms.get_velocities() * (ase.units.fs if in_fs else 1)
    return {"names": atoms.get_chemical_symbols(), "positions": atoms.get_positions().tolist(),
            "velocities": velocities.tolist(), "charges": atoms.get_initial_charges().tolist(),
            "masses": atoms.get_masses().tolist()}


def by_ase_lj(path):
    return by_ase(path, in_fs=False)


def ase_writes(path):
    import ase.io
    import ase.units

    atoms = ase.io.read(path)
    plain = ase.Atoms(atoms.symbols, atoms.positions)
    plain.set_masses([10.0] * len(plain))
    plain.set_velocities([[1 / ase.units.fs, 2 / ase.units.fs, 3 / ase.units.fs]] * len(plain))
    plain.set_initial_charges([0.25] * len(plain))
    ase.io.write("ase.xyz", plain)
    return {}


def by_ovito(path):
    from ovito.io import import_file

    particles = import_file(path).compute().particles
    types = particles["Particle Type"]
    return {"names": [types.type_by_id(number).name for number in types],
            **{key: particles[name][...].tolist() for key, name in (
                ("positions", "Position"), ("velocities", "Velocity"), ("charges", "Charge"), ("masses", "Mass"))}}


def by_mdanalysis(path):
    import MDAnalysis

    universe = MDAnalysis.Universe(path)
    return {"names": universe.atoms.names.tolist(), "positions": universe.atoms.positions.astype(float).tolist(),
            "frames": len(universe.trajectory)}


READERS = {"ase": by_ase, "ase-lj": by_ase_lj, "ase-writes": ase_writes, "ovito": by_ovito,
           "mdanalysis": by_mdanalysis}


def main():
    reader, path = sys.argv[1:]
    try:
        read = READERS[reader](path)
    except ImportError as error:
        print(error, file=sys.stderr)
        sys.exit(77)
    json.dump(read, sys.stdout)


if __name__ == "__main__":
    main()
