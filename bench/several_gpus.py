#!/usr/bin/env python3
"""Speed of one droplet on several GPUs, over that on one.

Usage: bench/several_gpus.py PROGRAM [--devices 0,1 | --launcher "mpirun -n 2"] [--only CASE] [--scale F]

The time of a step is the difference between the times that two runs spend on steps, one three times as long as the
other, so that their start does not count; each time is the shorter of two. Prints a table: microseconds per step on one
GPU and on all, their ratio, and whether both wrote the same last structure. --launcher: starts processes with one GPU
each, instead of one process with several. --scale: factor of the numbers of steps.
"""

import argparse
import tempfile
from pathlib import Path

from droplet_runs import CUT, SMOOTHED, THERMOSTAT, atoms, microseconds_per_step, prepare, water

MESH = 'form = "exact"\nmethod = "mesh"\naccuracy = 1e-4'
REPEATS = 2
SETTLE = 3000  # steps of 2 fs of a droplet of water
# Name: what generates the structure, the run file, steps.
CASES = {
    "1,000 atoms, exact": ("droplet --atoms 1000", atoms(), 100_000),
    "2,000 atoms, exact": ("droplet --atoms 2000", atoms(), 100_000),
    "1,000 waters, exact": ("water --waters 1000 --model spce", water("direct", THERMOSTAT), 40_000),
    "2,000 waters, exact": ("water --waters 2000 --model spce", water("direct", THERMOSTAT), 20_000),
    "4,000 waters, exact": ("water --waters 4000 --model spce", water("direct", THERMOSTAT), 5_000),
    "4,000 waters, mesh": ("water --waters 4000 --model spce", water("mesh", THERMOSTAT), 5_000),
    "4,139 atoms, exact": ("droplet --atoms 4139", atoms(), 60_000),
    "32,768 atoms, exact": ("droplet --atoms 32768", atoms(), 4_000),
    "131,072 atoms, exact": ("droplet --atoms 131072", atoms(), 500),
    "32,768 atoms, cutoff": ("droplet --atoms 32768", atoms(CUT, SMOOTHED), 20_000),
    "65,536 atoms, cutoff": ("droplet --atoms 65536", atoms(CUT, SMOOTHED), 12_000),
    "131,072 atoms, cutoff": ("droplet --atoms 131072", atoms(CUT, SMOOTHED), 10_000),
    "262,144 atoms, cutoff": ("droplet --atoms 262144", atoms(CUT, SMOOTHED), 8_000),
    "1,048,576 atoms, cutoff": ("droplet --atoms 1048576", atoms(CUT, SMOOTHED), 2_000),
    "16,777,216 atoms, cutoff": ("droplet --atoms 16777216", atoms(CUT, SMOOTHED), 150),
    "32,768 atoms, mesh": ("droplet --atoms 32768", atoms(CUT, MESH), 10_000),
    "131,072 atoms, mesh": ("droplet --atoms 131072", atoms(CUT, MESH), 4_000),
    "1,048,576 atoms, mesh": ("droplet --atoms 1048576", atoms(CUT, MESH), 1_000),
    "8,000 waters, mesh": ("water --waters 8000 --model spce", water("mesh", THERMOSTAT), 5_000),
    "16,000 waters, mesh": ("water --waters 16000 --model spce", water("mesh", THERMOSTAT), 4_000),
    "32,000 waters, mesh": ("water --waters 32000 --model spce", water("mesh", THERMOSTAT), 3_000),
    "100,000 waters, mesh": ("water --waters 100000 --model spce", water("mesh", THERMOSTAT), 3_000),
}


def last_structure(folder):
    return [path.read_bytes() for path in sorted(folder.glob("final.*"))]


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("program", type=lambda path: str(Path(path).resolve()))
    parser.add_argument("--devices", default="all")
    parser.add_argument("--launcher", type=str.split, default=[])
    parser.add_argument("--only", default="", help="cases whose names contain this")
    parser.add_argument("--scale", type=float, default=1)
    arguments = parser.parse_args()
    print("| case | one GPU, us | several, us | ratio | same bytes |\n|---|---|---|---|---|")
    for name, (structure, run_file, steps) in CASES.items():
        if arguments.only not in name:
            continue
        with tempfile.TemporaryDirectory() as folder:
            prepare(arguments.program, structure, run_file, folder, settle=SETTLE)
            command = [arguments.program, "run", "run.toml", "-q", "--set", "output.energy-every=1000"]
            n = max(1, int(arguments.scale * steps))
            one = microseconds_per_step([*command, "--device", "0", "-o", "one"], folder, n, "one", REPEATS)
            on_several = [] if arguments.launcher else ["--devices", arguments.devices]
            several = microseconds_per_step([*arguments.launcher, *command, *on_several, "-o", "several"], folder, n,
                                            "several", REPEATS)
            structures = [last_structure(Path(folder) / output) for output in ("one", "several")]
            same = structures[0] == structures[1] and len(structures[0]) == 1
        print(f"| {name} | {one:.2f} | {several:.2f} | {one / several:.2f} | {'yes' if same else 'no'} |", flush=True)


if __name__ == "__main__":
    main()
