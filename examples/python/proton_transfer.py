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


def nearest_pairs(sim: dropmd.Simulation, ion: str, water: str, reach: float) -> list[tuple[float, int, int]]:
    """Distance, donor and acceptor of possible transfers, the nearest first; no molecule takes part in two."""
    names, ids = sim.molecules, sim.ids
    oxygen = dict(zip(ids.tolist(), sim.positions))  # a molecule's id is that of its oxygen
    ions = [m for m, name in names.items() if name == ion]
    waters = np.array([m for m, name in names.items() if name == water])
    places = np.array([oxygen[m] for m in waters])
    pairs = []
    for donor in ions:
        distance = np.linalg.norm(places - oxygen[donor], axis=1)
        k = int(distance.argmin())
        if distance[k] < reach:
            pairs.append((float(distance[k]), donor, int(waters[k])))
    chosen: list[tuple[float, int, int]] = []
    for pair in sorted(pairs):
        if all(pair[2] != other[2] for other in chosen):
            chosen.append(pair)
    return chosen


def transfer_protons(sim: dropmd.Simulation, ion: str = "H3O", water: str = "SOL", reach: float = REACH) -> int:
    """Makes all possible transfers at once. Returns their number."""
    pairs = nearest_pairs(sim, ion, water, reach)
    if not pairs:
        return 0
    place = dict(zip(sim.ids.tolist(), sim.positions))
    atoms_of: dict[int, list[int]] = {}
    for atom, molecule in zip(sim.ids.tolist(), sim.molecule_ids.tolist()):
        atoms_of.setdefault(molecule, []).append(atom)
    molecules: list[int] = []
    kinds, ids, positions = [], [], []
    for _, donor, acceptor in pairs:
        o, *hydrogens, site = atoms_of[donor]
        to_o, to_a, to_b, to_site = atoms_of[acceptor]
        proton = min(hydrogens, key=lambda h: np.linalg.norm(place[h] - place[to_o]))
        hydrogens.remove(proton)
        molecules += [donor, acceptor]
        kinds += [water, ion]
        ids += [[o, *hydrogens, site], [to_o, to_a, to_b, proton, to_site]]
        positions += [None, {"HW3": third_hydrogen(place[to_o], place[to_a], place[to_b], place[o])}]
    sim.replace(molecules, kinds, ids=ids, positions=positions)
    return len(pairs)


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
