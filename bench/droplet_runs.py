"""Droplets, and the time of their steps, for the scripts that compare runs of one droplet with others."""

import csv
import subprocess
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
{lennard_jones}
[coulomb]
{coulomb}
[integrator]
timestep = 1.0
[output]
trajectory-every = 0
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
method = "{method}"
[integrator]
{integrator}
timestep = 2.0
[output]
trajectory-every = 0
"""
THERMOSTAT = """form = "langevin"
temperature = 300.0
friction = 0.002"""
CUT = 'cutoff = 12.0\nat-cutoff = "force-shift"'
SMOOTHED = 'form = "smoothed"\ncutoff = 12.0'


def atoms(lennard_jones="", coulomb='form = "exact"'):
    """The text of a run file of charged atoms in start.drop."""
    return ATOMS.format(lennard_jones=lennard_jones, coulomb=coulomb)


def water(method, integrator='form = "velocity-verlet"'):
    """The text of a run file of water in start.gro, whose Coulomb term has this method."""
    return WATER.format(method=method, integrator=integrator)


def prepare(program, structure, run_file, folder, settle=0):
    """Generates the structure with these arguments of `dropmd generate`, and writes run.toml. settle: steps of a first
    run of water, whose last structure becomes the structure, since a lattice heats up as it melts."""
    output = "start.drop" if structure.startswith("droplet") else "start.gro"
    subprocess.run([program, "generate", *structure.split(), "-q", "-o", output], cwd=folder, check=True,
                   stdout=subprocess.DEVNULL)
    (Path(folder) / "run.toml").write_text(run_file)
    if settle > 0 and output == "start.gro":
        subprocess.run([program, "run", "run.toml", "-q", "--steps", str(settle), "-o", "settled"], cwd=folder, check=True,
                       stdout=subprocess.DEVNULL)
        (Path(folder) / "settled" / "final.gro").replace(Path(folder) / output)


def seconds(command, folder):
    """The wall time of a command."""
    begin = time.perf_counter()
    subprocess.run(command, cwd=folder, check=True, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    return time.perf_counter() - begin


def is_step(phase):
    """Whether a phase is that of a run's steps on a GPU."""
    return phase == "steps on the GPU"


def seconds_of_runs(output, counts):
    """The mean wall time of the runs of an ensemble, or that of one run, from the phases in timings.csv that count."""
    files = [output / "timings.csv"] if (output / "timings.csv").exists() else list(output.glob("*/timings.csv"))
    if not files:
        raise SystemExit(f"{output}: no run has written timings.csv")
    total = 0
    for file in files:
        with open(file, encoding="utf-8") as lines:
            rows = list(csv.DictReader(line for line in lines if not line.startswith("#")))
        total += sum(float(row["seconds"]) for row in rows if counts(row["phase"]))
    return total / len(files)


def microseconds_per_step(command, folder, steps, output=None, repeats=1, counts=is_step):
    """The time of a step: the difference between two runs, one three times as long as the other, so that start and end
    do not count; each time is the shortest of the repeats. output: the folder of the output, from which the time is
    taken (seconds_of_runs()); without it the whole command counts."""
    times = {steps: [], 3 * steps: []}
    for _ in range(repeats):
        for n, found in times.items():
            wall = seconds([*command, "--force", "--steps", str(n)], folder)
            found.append(wall if output is None else seconds_of_runs(Path(folder) / output, counts))
    return 1e6 * (min(times[3 * steps]) - min(times[steps])) / (2 * steps)
