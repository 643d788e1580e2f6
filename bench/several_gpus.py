#!/usr/bin/env python3
"""Speed of one droplet on several GPUs, over that on one.

Usage: bench/several_gpus.py PROGRAM [--devices 0,1] [--only CASE] [--scale F]

The time of a step is the difference of the times of two runs, one three times as long as the other, so that start and
end do not count. Prints a table: microseconds per step on one GPU and on all, their ratio, and whether both wrote the
same last structure. --scale: factor of the numbers of steps.
"""

import argparse
import subprocess
import tempfile
import time
from pathlib import Path

ATOMS = """units = "real"
[system]
structure = "start.drop"
mass = 20.0
temperature = 100.0
[lennard-jones]
epsilon = 0.2
r-min = 2.5
CUTOFF
[coulomb]
COULOMB
[integrator]
timestep = 1.0
[run]
recenter-every = 100
[output]
trajectory-every = 0
energy-every = 1000
"""
WATER = """units = "real"
[system]
structure = "start.gro"
topology = "start.top"
temperature = 300.0
[lennard-jones]
cutoff = 12.0
at-cutoff = "force-shift"
[coulomb]
form = "exact"
method = "mesh"
accuracy = 1e-4
[integrator]
timestep = 2.0
[output]
trajectory-every = 0
energy-every = 1000
"""
EXACT = ATOMS.replace("CUTOFF", "").replace("COULOMB", 'form = "exact"')
CUT = ATOMS.replace("CUTOFF", 'cutoff = 12.0\nat-cutoff = "force-shift"').replace(
    "COULOMB", 'form = "smoothed"\ncutoff = 12.0')
MESH = ATOMS.replace("CUTOFF", 'cutoff = 12.0\nat-cutoff = "force-shift"').replace(
    "COULOMB", 'form = "exact"\nmethod = "mesh"\naccuracy = 1e-4')
# Name: what generates the structure, the run file, steps.
CASES = {
    "4,139 atoms, exact": ("droplet --atoms 4139", EXACT, 30_000),
    "32,768 atoms, exact": ("droplet --atoms 32768", EXACT, 1_500),
    "131,072 atoms, exact": ("droplet --atoms 131072", EXACT, 100),
    "262,144 atoms, cutoff": ("droplet --atoms 262144", CUT, 3_000),
    "1,048,576 atoms, cutoff": ("droplet --atoms 1048576", CUT, 800),
    "16,777,216 atoms, cutoff": ("droplet --atoms 16777216", CUT, 60),
    "1,048,576 atoms, mesh": ("droplet --atoms 1048576", MESH, 500),
    "100,000 waters, mesh": ("water --waters 100000 --model spce", WATER, 1_000),
}


def seconds(command, folder):
    begin = time.perf_counter()
    subprocess.run(command, cwd=folder, check=True, stdout=subprocess.DEVNULL)
    return time.perf_counter() - begin


def microseconds_per_step(command, folder, steps):
    times = [seconds([*command, "--force", "--steps", str(n)], folder) for n in (steps, 3 * steps)]
    return 1e6 * (times[1] - times[0]) / (2 * steps)


def last_structure(folder):
    return [path.read_bytes() for path in sorted(Path(folder).glob("final.*"))]


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("program", type=lambda path: str(Path(path).resolve()))
    parser.add_argument("--devices", default="all")
    parser.add_argument("--only", default="", help="cases whose names contain this")
    parser.add_argument("--scale", type=float, default=1)
    arguments = parser.parse_args()
    print("| case | one GPU, us | several, us | ratio | same bytes |\n|---|---|---|---|---|")
    for name, (structure, run_file, steps) in CASES.items():
        if arguments.only not in name:
            continue
        with tempfile.TemporaryDirectory() as folder:
            output = "start.drop" if structure.startswith("droplet") else "start.gro"
            subprocess.run([arguments.program, "generate", *structure.split(), "-q", "-o", output], cwd=folder, check=True,
                           stdout=subprocess.DEVNULL)
            (Path(folder) / "run.toml").write_text(run_file)
            command = [arguments.program, "run", "run.toml", "-q"]
            n = max(1, int(arguments.scale * steps))
            one = microseconds_per_step([*command, "--device", "0", "-o", "one"], folder, n)
            several = microseconds_per_step([*command, "--devices", arguments.devices, "-o", "several"], folder, n)
            same = last_structure(Path(folder) / "one") == last_structure(Path(folder) / "several")
        print(f"| {name} | {one:.2f} | {several:.2f} | {one / several:.2f} | {'yes' if same else 'no'} |", flush=True)


if __name__ == "__main__":
    main()
