#!/usr/bin/env python3
"""Aggregate speed of droplets that share GPUs, over that of one droplet alone.

Usage: bench/ensemble.py PROGRAM [--replicas N] [--only CASE] [--scale F] [--devices all | --launcher "mpirun -n 2"]

For each case a droplet runs alone (`dropmd run`) and N times at once (`dropmd ensemble`). The time of a step is the
difference between the times of two runs, one three times as long as the other, so that start and end do not count. The
time of a run begins after its inputs and includes outputs; for runs at once it is their mean. Prints a table:
microseconds per step alone and of all at once, and the ratio of atom-steps per second. --launcher: starts the ranks of
the ensemble. --scale: factor of the numbers of steps. Fewer than N droplets run at once where `dropmd ensemble` chooses
so; time and ratio are those of the droplets that do.
"""

import argparse
import re
import subprocess
import tempfile
from pathlib import Path

from droplet_runs import CUT, SMOOTHED, THERMOSTAT, atoms, microseconds_per_step, prepare, water

SETTLE = 3000  # steps of 2 fs of a droplet of water with a mesh: its lists become stale while a lattice melts
# Name: what generates the structure, the run file, usual number of droplets, steps alone, steps at once.
CASES = {
    "1,000 atoms, exact": ("droplet --atoms 1000", atoms(), 32, 400_000, 60_000),
    "1,000 SPC/E, exact": ("water --waters 1000 --model spce", water("direct"), 32, 100_000, 8_000),
    "4,000 SPC/E, mesh": ("water --waters 4000 --model spce", water("mesh", THERMOSTAT), 8, 20_000, 6_000),
    "1,000 SPC/E, mesh": ("water --waters 1000 --model spce", water("mesh", THERMOSTAT), 32, 20_000, 6_000),
    "1,000 atoms, cutoff": ("droplet --atoms 1000", atoms(CUT, SMOOTHED), 32, 200_000, 60_000),
    "4,139 atoms, cutoff": ("droplet --atoms 4139", atoms(CUT, SMOOTHED), 24, 100_000, 10_000),
    "4,139 atoms, exact": ("droplet --atoms 4139", atoms(), 24, 60_000, 6_000),
}


def is_of_run(phase):
    """Whether a phase is not the start of a run, whose time depends on what else starts."""
    return phase != "inputs"


def droplets_at_once(command, folder):
    """How many runs an ensemble makes at once, over all its ranks, from what its first rank says at its start."""
    said = subprocess.run([*command, "--steps", "1"], cwd=folder, check=True, capture_output=True, text=True).stderr
    ranks = re.search(r"(\d+) ranks", said)
    return int(re.search(r"(\d+) at once", said)[1]) * (int(ranks[1]) if ranks else 1)


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("program", type=lambda path: str(Path(path).resolve()))
    parser.add_argument("--replicas", type=int)
    parser.add_argument("--only", default="", help="cases whose names contain this")
    parser.add_argument("--scale", type=float, default=1)
    parser.add_argument("--devices", default="0")
    parser.add_argument("--launcher", type=str.split, default=[])
    parser.add_argument("--at-once", type=int)
    arguments = parser.parse_args()
    print("| case | at once | alone, us | all at once, us | ratio |\n|---|---|---|---|---|")
    for name, (structure, run_file, usual, steps, steps_at_once) in CASES.items():
        if arguments.only not in name:
            continue
        replicas = arguments.replicas or usual
        with tempfile.TemporaryDirectory() as folder:
            prepare(arguments.program, structure, run_file, folder, settle=SETTLE if "mesh" in name else 0)
            backend = ["--backend", "cuda"]
            alone = microseconds_per_step([arguments.program, "run", "run.toml", "-q", *backend, "-o", "alone"], folder,
                                          int(arguments.scale * steps), "alone", counts=is_of_run)
            at_once = ["--at-once", str(arguments.at_once)] if arguments.at_once else []
            devices = [] if arguments.launcher else ["--devices", arguments.devices]
            command = [*arguments.launcher, arguments.program, "ensemble", "run.toml", *backend, "--replicas", str(replicas),
                       *devices, *at_once, "-o", "all"]
            n = droplets_at_once(command, folder)
            together = microseconds_per_step([*command, "-q"], folder, int(arguments.scale * steps_at_once), "all",
                                             counts=is_of_run)
        print(f"| {name} | {n} | {alone:.2f} | {together:.1f} | {n * alone / together:.2f} |", flush=True)


if __name__ == "__main__":
    main()
