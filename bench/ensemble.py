#!/usr/bin/env python3
"""Aggregate speed of droplets that share GPUs, over that of one droplet alone.

Usage: bench/ensemble.py PROGRAM [--replicas N] [--only CASE] [--scale F] [--devices all | --launcher "mpirun -n 2"]

For each case a droplet runs alone (`dropmd run`) and N times at once (`dropmd ensemble`). The time of a step is the
difference of the times of two runs, one three times as long as the other, so that start and end do not count: of the
times that runs need from their inputs on, outputs included, the mean of those at once. Prints a table: microseconds
per step alone and of all at once, and the ratio of atom-steps per second. --launcher: starts the ranks of the ensemble.
--scale: factor of the numbers of steps. All droplets must run at once, so --at-once may only be their number or more.
"""

import argparse
import tempfile
from pathlib import Path

from droplet_runs import CUT, SMOOTHED, atoms, microseconds_per_step, prepare, water

# Name: what generates the structure, the run file, usual number of droplets, steps alone, steps at once.
CASES = {
    "1,000 atoms, exact": ("droplet --atoms 1000", atoms(), 32, 400_000, 60_000),
    "1,000 SPC/E, exact": ("water --waters 1000 --model spce", water("direct"), 32, 100_000, 8_000),
    "4,000 SPC/E, mesh": ("water --waters 4000 --model spce", water("mesh"), 8, 40_000, 8_000),
    "1,000 SPC/E, mesh": ("water --waters 1000 --model spce", water("mesh"), 32, 20_000, 3_000),
    "1,000 atoms, cutoff": ("droplet --atoms 1000", atoms(CUT, SMOOTHED), 32, 200_000, 60_000),
    "4,139 atoms, cutoff": ("droplet --atoms 4139", atoms(CUT, SMOOTHED), 24, 100_000, 10_000),
    "4,139 atoms, exact": ("droplet --atoms 4139", atoms(), 24, 60_000, 6_000),
}


def is_of_run(phase):
    """Whether a phase is not the start of a run, whose time depends on what else starts."""
    return phase != "inputs"


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
    print("| case | droplets | alone, us | all at once, us | ratio |\n|---|---|---|---|---|")
    for name, (structure, run_file, usual, steps, steps_at_once) in CASES.items():
        if arguments.only not in name:
            continue
        replicas = arguments.replicas or usual
        if arguments.at_once and arguments.at_once < replicas:
            parser.error(f"{replicas} droplets do not run at once with --at-once {arguments.at_once}")
        with tempfile.TemporaryDirectory() as folder:
            prepare(arguments.program, structure, run_file, folder)
            backend = ["-q", "--backend", "cuda"]
            alone = microseconds_per_step([arguments.program, "run", "run.toml", *backend, "-o", "alone"], folder,
                                          int(arguments.scale * steps), "alone", counts=is_of_run)
            at_once = ["--at-once", str(arguments.at_once)] if arguments.at_once else []
            devices = [] if arguments.launcher else ["--devices", arguments.devices]
            together = microseconds_per_step(
                [*arguments.launcher, arguments.program, "ensemble", "run.toml", *backend, "--replicas", str(replicas),
                 *devices, *at_once, "-o", "all"], folder, int(arguments.scale * steps_at_once), "all", counts=is_of_run)
        print(f"| {name} | {replicas} | {alone:.2f} | {together:.1f} | {replicas * alone / together:.2f} |", flush=True)


if __name__ == "__main__":
    main()
