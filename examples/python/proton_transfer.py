#!/usr/bin/env python3
"""Move protons between hydronium ions and waters every few ps, in memory.

    python3 examples/python/proton_transfer.py                               # the sample with 3 H3O+, 10 segments of 4 ps
    python3 examples/python/proton_transfer.py --run run.toml --segments 50 --ps 4

After each segment a hydronium ion gives a proton to the water whose oxygen is nearest to it, where that is within 2.7 A,
and in the order of these distances. The proton keeps its id and moves to where the ion's model has it. Whether a
transfer should be accepted by its energy is left to the method that you use: `change.energy` has it.
"""

import argparse
import time
from pathlib import Path

import dropmd
import numpy as np

SAMPLE = Path(__file__).resolve().parents[2] / "inputs" / "samples" / "hydronium.toml"
O_H, H_O_H = 0.9686, np.radians(113.0)  # the geometry of H3O+, A and rad
REACH = 2.7  # A between oxygens of a proton's donor and its acceptor


def third_hydrogen(oxygen: np.ndarray, first: np.ndarray, second: np.ndarray, near: np.ndarray) -> np.ndarray:
    """Where H3O+ has its third hydrogen beside two others, on the side of the plane where `near` is."""
    a, b = ((h - oxygen) / np.linalg.norm(h - oxygen) for h in (first, second))
    axis, normal = a + b, np.cross(a, b)
    normal *= np.sign(normal @ (near - oxygen)) or 1.0
    # A unit vector c with a.c = b.c = cos(H-O-H).
    along = 2 * np.cos(H_O_H) / (axis @ axis)
    out = np.sqrt(max(0.0, 1 - along**2 * (axis @ axis))) / np.linalg.norm(normal)
    return oxygen + O_H * (along * axis + out * normal)


def transfer_protons(sim: dropmd.Simulation, ion: str = "H3O", water: str = "SOL", reach: float = REACH) -> int:
    """Makes all possible transfers at once, the nearest first; no molecule takes part in two. Returns their number."""
    ids, positions = sim.ids, sim.positions
    first = np.flatnonzero(ids == sim.molecule_ids)  # the oxygens, whose ids are those of the molecules
    last = np.append(first[1:], len(ids))
    names = np.array(list(sim.molecules.values()))
    waters = np.flatnonzero(names == water)
    pairs = []
    for donor in np.flatnonzero(names == ion):
        distance = np.linalg.norm(positions[first[waters]] - positions[first[donor]], axis=1)
        if distance.min() < reach:
            pairs.append((distance.min(), donor, waters[distance.argmin()]))
    molecules: list[int] = []
    kinds, atoms, places = [], [], []
    taken = set()
    for _, donor, acceptor in sorted(pairs):
        if acceptor in taken:
            continue
        taken.add(acceptor)
        o, *hydrogens, site = range(first[donor], last[donor])  # indices of atoms
        to_o, to_a, to_b, to_site = range(first[acceptor], last[acceptor])
        proton = min(hydrogens, key=lambda h: np.linalg.norm(positions[h] - positions[to_o]))
        hydrogens.remove(proton)
        molecules += [ids[o], ids[to_o]]
        kinds += [water, ion]
        atoms += [ids[[o, *hydrogens, site]], ids[[to_o, to_a, to_b, proton, to_site]]]
        places += [None, {"HW3": third_hydrogen(positions[to_o], positions[to_a], positions[to_b], positions[o])}]
    if molecules:
        sim.replace(molecules, kinds, ids=atoms, positions=places)
    return len(taken)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--run", default=SAMPLE, help="run file (default: the sample with 3 H3O+)")
    parser.add_argument("--segments", type=int, default=10)
    parser.add_argument("--ps", type=float, default=4.0, help="length of a segment")
    parser.add_argument("--timestep", type=float, default=2.0, help="fs")
    options = parser.parse_args()
    sim = dropmd.Simulation(options.run, settings={"integrator.timestep": options.timestep})
    steps = round(1000 * options.ps / options.timestep)
    stepping = changing = 0.0
    for segment in range(options.segments):
        begin = time.perf_counter()
        sim.step(steps)
        between = time.perf_counter()
        moved = transfer_protons(sim)
        sim.step(0)  # the forces of the new molecules belong to the change
        end = time.perf_counter()
        stepping += between - begin
        changing += end - between
        print(f"{(segment + 1) * options.ps:8.1f} ps  {moved} proton(s) moved  {sim.temperature:6.1f} K  "
              f"conserved {sim.conserved:.3f} kcal/mol", flush=True)
    print(f"{stepping:.3f} s for steps, {changing:.3f} s for transfers: {100 * changing / stepping:.2f}% of the steps' time")


if __name__ == "__main__":
    main()
