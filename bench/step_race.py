"""What the scripts next to this one share to time another program and dropmd with the same droplet: the physics of the
benchmark and dropmd's part.
"""

import argparse
import json
import subprocess
import sys
import tempfile
from pathlib import Path

EPSILON, R_MIN = 0.2, 2.5  # kcal/mol, A
MASS, TEMPERATURE, TIMESTEP = 20.0, 100.0, 1.0  # g/mol, K, fs
FRICTION = 0.001  # 1/fs, langevin
SEED = 7
SAME_ENERGY = 1e-5  # relative: fp32 sums on a GPU, and constants that differ by 2e-7; other physics differs by 1e-2


class Failure(Exception):
    """An error, with a message for the user."""


def read_droplet(path):
    """Positions in A and charges in e. The file has title, number of atoms, radius, and a line `x y z q` per atom."""
    lines = path.read_text(encoding="utf-8").splitlines()
    try:
        n_atoms = int(lines[1])
        rows = [[float(word) for word in line.split()] for line in lines[3:] if line.strip()]
    except (IndexError, ValueError) as error:
        raise Failure(f"{path}: not a droplet file ({error})") from error
    if len(rows) != n_atoms or any(len(row) != 4 for row in rows):
        raise Failure(f"{path}: not a droplet file ({n_atoms} lines of four numbers are needed after the radius)")
    return [row[:3] for row in rows], [row[3] for row in rows]


def run_file(droplet, cutoff, integrator, coulomb="reaction-field"):
    """dropmd's run file. cutoff: A, or None for every pair; coulomb: its form with a cutoff."""
    cut = f"cutoff = {cutoff}\n" if cutoff else ""
    bath = f"temperature = {TEMPERATURE}\nfriction = {FRICTION}\n" if integrator == "langevin" else ""
    dielectric = "dielectric = 1.0" if cutoff and coulomb == "reaction-field" else ""
    return (
        'units = "real"\n'
        f"[system]\nstructure = {json.dumps(str(droplet.resolve()))}\n"
        f"mass = {MASS}\ntemperature = {TEMPERATURE}\nrandom-seed = {SEED}\n"
        f"[lennard-jones]\nepsilon = {EPSILON}\nr-min = {R_MIN}\n"
        f'at-cutoff = "{"cut" if cutoff else "none"}"\n{cut}'
        f'[coulomb]\nform = "{coulomb if cutoff else "exact"}"\n{cut}{dielectric}\n'
        f'[integrator]\nform = "{"langevin" if integrator == "langevin" else "velocity-verlet"}"\n'
        f"timestep = {TIMESTEP}\n{bath}"
        "[run]\nrecenter-every = 100\n"
    )


def dropmd_json(command):
    try:
        done = subprocess.run(command, capture_output=True, text=True, check=False)
    except OSError as error:
        raise Failure(f"{command[0]}: {error.strerror} (give the path of the program: --dropmd PATH)") from error
    if done.returncode != 0:
        raise Failure(f"{' '.join(command)}: exit status {done.returncode}\n{done.stderr.strip()}")
    return json.loads(done.stdout)


def time_dropmd(program, run, energy_run, precision, plan, options):
    """run, energy_run: the texts of the run file to time and of the one that gives the initial potential energy. plan:
    options of bench step; options: of both commands."""
    options = ["--json", "-q", *options]
    with tempfile.TemporaryDirectory() as folder:
        file, energy_file = Path(folder) / "run.toml", Path(folder) / "energy.toml"
        file.write_text(run, encoding="utf-8")
        energy_file.write_text(energy_run, encoding="utf-8")
        energy = dropmd_json([program, "energy", str(energy_file), "--precision", "double", *options])
        bench = dropmd_json([program, "bench", "step", str(file), "--precision", precision, *plan, *options])
    return {
        "version": energy["version"],
        "commit": bench["commit"],
        "potential_kcal_per_mol": energy["potential"],
        "rows": bench["rows"],
    }


def positive(kind):
    def parse(text):
        value = kind(text)
        if not 0 < value < 1e9:
            raise argparse.ArgumentTypeError(f"'{text}' is not above 0")
        return value

    return parse


def run_script(name, arguments, compare, table):
    """The exit status: 2 if the comparison fails, 1 if it is invalid because the programs do not agree."""
    try:
        report = compare(arguments)
    except (Failure, OSError) as error:
        print(f"{name}: error: {error}", file=sys.stderr)
        return 2
    print(json.dumps(report, indent=2) if arguments.json else table(report))
    if report["relative_energy_difference"] > SAME_ENERGY:
        print(f"{name}: error: the energies of the start differ: not the same physics", file=sys.stderr)
        return 1
    return 0
