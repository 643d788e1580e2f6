#!/usr/bin/env python3
"""Read a trajectory with another program and print its frames as JSON.

Usage: read_trajectory.py READER FILE. A frame has, as far as the reader has them: positions, velocities,
masses, charges, names, ids, time, step. Numbers are in the program's own units. Exit status 77 without the package.
"""

import json
import os
import sys
import warnings


def by_mdanalysis(path):
    import MDAnalysis
    from MDAnalysis.coordinates import DCD, XTC

    if path.endswith(".pdb"):
        universe = MDAnalysis.Universe(path)
        return [{"positions": frame.positions.tolist(), "names": universe.atoms.names.tolist(),
                 "residues": universe.atoms.resnames.tolist()} for frame in universe.trajectory]
    with (XTC.XTCReader if path.endswith(".xtc") else DCD.DCDReader)(path) as reader:
        return [{"positions": frame.positions.tolist(), "time": frame.time, "step": frame.data.get("step")}
                for frame in reader]


def by_mdtraj(path):
    import mdtraj.formats

    if path.endswith(".xtc"):
        with mdtraj.formats.XTCTrajectoryFile(path) as file:
            positions, time, step, _ = file.read()
        return [{"positions": (10 * x).tolist(), "time": float(t), "step": int(s)}
                for x, t, s in zip(positions, time, step)]
    with mdtraj.formats.DCDTrajectoryFile(path) as file:
        return [{"positions": x.tolist()} for x in file.read()[0]]


def by_gsd(path):
    import gsd.hoomd

    with gsd.hoomd.open(path) as file:
        return [{"positions": frame.particles.position.tolist(), "velocities": frame.particles.velocity.tolist(),
                 "masses": frame.particles.mass.tolist(), "charges": frame.particles.charge.tolist(),
                 "names": [frame.particles.types[k] for k in frame.particles.typeid],
                 "ids": frame.log["particles/id"].tolist(), "time": float(frame.log["time"][0]),
                 "step": int(frame.configuration.step), "edge": float(frame.configuration.box[0])} for frame in file]


def by_ase(path):
    import ase.io

    return [{"positions": atoms.get_positions().tolist(), "names": atoms.get_chemical_symbols()}
            for atoms in ase.io.read(path, ":")]


def by_ovito(path):
    from ovito.io import import_file

    pipeline = import_file(path)
    return [{"positions": pipeline.compute(k).particles.positions[...].tolist()} for k in range(pipeline.source.num_frames)]


def by_gemmi(path):
    import gemmi

    return [{"positions": [atom.atom.pos.tolist() for atom in model.all()],
             "names": [atom.atom.element.name for atom in model.all()],
             "ids": [atom.atom.serial for atom in model.all()],
             "residues": [atom.residue.name for atom in model.all()]} for model in gemmi.read_structure(path)]


def by_biopython(path):
    from Bio.PDB import MMCIFParser

    return [{"positions": [atom.coord.tolist() for atom in model.get_atoms()]}
            for model in MMCIFParser(QUIET=True).get_structure("a", path)]


READERS = {"ase": by_ase, "biopython": by_biopython, "gemmi": by_gemmi, "gsd": by_gsd, "mdanalysis": by_mdanalysis, "mdtraj": by_mdtraj, "ovito": by_ovito}


def main():
    warnings.simplefilter("ignore")
    reader, path = sys.argv[1:]
    out = os.fdopen(os.dup(1), "w")
    os.dup2(2, 1)  # mdtraj prints to the standard output
    try:
        frames = READERS[reader](path)
    except ImportError as error:
        print(error, file=sys.stderr)
        sys.exit(77)
    json.dump(frames, out)


if __name__ == "__main__":
    main()
