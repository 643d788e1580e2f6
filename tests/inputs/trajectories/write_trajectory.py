#!/usr/bin/env python3
"""Write a trajectory of three frames of 30 atoms with another program.

Usage: write_trajectory.py PROGRAM FILE. Coordinate k of atom i in frame f, from 0, is sin(i + 31 k) * 9 + f in A;
frames are 2 ps apart. Exit status 77 without the package.
"""

import sys
import warnings

warnings.simplefilter("ignore")

N, FRAMES = 30, 3


def positions():
    import numpy as np

    i, k = np.arange(N)[:, None], np.arange(3)[None, :]
    return np.array([9 * np.sin(i + 31 * k) + f for f in range(FRAMES)])


def by_mdanalysis(path):
    import MDAnalysis

    universe = MDAnalysis.Universe.empty(N, n_residues=N, atom_resindex=range(N), trajectory=True)
    for name, value in (("names", "AR"), ("resnames", "AR"), ("elements", "Ar")):
        universe.add_TopologyAttr(name, [value] * N)
    universe.add_TopologyAttr("resids", range(1, N + 1))
    universe.load_new(positions(), dt=2.0)
    with MDAnalysis.Writer(path, N, multiframe=True) as writer:
        for _ in universe.trajectory:
            writer.write(universe.atoms)


def by_mdtraj(path):
    import mdtraj

    topology = mdtraj.Topology()
    chain = topology.add_chain()
    for _ in range(N):
        topology.add_atom("AR", mdtraj.element.argon, topology.add_residue("AR", chain))
    mdtraj.Trajectory(positions() / 10, topology, time=[2.0 * f for f in range(FRAMES)]).save(path)


def by_ase(path):
    import ase.io

    ase.io.write(path, [ase.Atoms(["Ar"] * N, positions=x) for x in positions()])


def by_gsd(path):
    import gsd.hoomd

    with gsd.hoomd.open(path, "w") as file:
        for f, x in enumerate(positions()):
            frame = gsd.hoomd.Frame()
            frame.configuration.step = 1000 * f
            frame.particles.N = N
            frame.particles.types = ["Ar"]
            frame.particles.position = x
            frame.particles.mass = [39.948] * N
            file.append(frame)


if __name__ == "__main__":
    try:
        globals()["by_" + sys.argv[1]](sys.argv[2])
    except ImportError as missing:
        print(missing, file=sys.stderr)
        sys.exit(77)
