#!/usr/bin/env python3
"""Time LAMMPS and dropmd in turn on the CPU with the same droplet, and print the ratio.

    python3 bench/lammps_step.py data/droplet-4139.drop --dropmd build/release/dropmd --cutoff 12

LAMMPS is Debian's or Ubuntu's package (apt-get install lammps), which brings Open MPI. It runs with --ranks MPI ranks
and without OpenMP, dropmd with as many threads.

Physics of both: real units, one species with epsilon 0.2 kcal/mol and r_min 2.5 A, mass 20 g/mol, the file's charges,
no wall, constant energy from velocities of 100 K, 1 fs, energies every --energy-every steps, Lennard-Jones and Coulomb
cut at R. LAMMPS: lj/cut/coul/cut, boundary s s s, its default skin and list (2 A, checked from step 10 on), plain
styles, double precision. dropmd: reaction field with a dielectric constant of 1, mixed precision. LAMMPS has no
reaction field; with a constant of 1 it is the cut Coulomb term less a constant for each pair, so the forces are the
same. The potential energies of the start are compared with dropmd's cut form; the two use constants of their own
(1e-8).

What differs: dropmd also recentres the droplet every 100 steps. A time is wall time per step of a piece of --steps
steps after a warm-up (LAMMPS's loop time, without its set-up). The two take turns for --rounds rounds, and the fastest
piece of each counts: on a machine with other work, a median says more about that work. Exit status 1 if the energies of
the start differ.
"""

import argparse
import os
import re
import statistics
import subprocess
import sys
import tempfile
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent))  # Python omits it when it runs isolated (-I)
from step_race import (  # noqa: E402
    EPSILON,
    MASS,
    R_MIN,
    SEED,
    TEMPERATURE,
    TIMESTEP,
    Failure,
    positive,
    read_droplet,
    run_file,
    run_script,
    time_dropmd,
)

PIECES = 3  # of LAMMPS in a round; dropmd has five
PAIR_STYLE = "lj/cut/coul/cut"
INSTALL = "LAMMPS is not installed (Debian and Ubuntu: apt-get install lammps)"


def data_file(positions, charges):
    """LAMMPS's structure; the box shrinks to the atoms."""
    half = 1 + max(abs(x) for position in positions for x in position)
    box = "".join(f"{-half!r} {half!r} {axis}lo {axis}hi\n" for axis in "xyz")
    rows = (f"{i} 1 {q!r} {x!r} {y!r} {z!r}\n" for i, ((x, y, z), q) in enumerate(zip(positions, charges), 1))
    return f"droplet\n\n{len(positions)} atoms\n1 atom types\n{box}\nAtoms # charge\n\n{''.join(rows)}"


def input_script(cutoff, steps, energy_every):
    """A run of 0 steps for the initial energy, a warm-up run, and the timed pieces."""
    return (
        "units real\natom_style charge\nboundary s s s\nread_data droplet.data\n"
        f"mass 1 {MASS}\npair_style {PAIR_STYLE} {cutoff!r}\npair_coeff 1 1 {EPSILON} {R_MIN / 2 ** (1 / 6)!r}\n"
        f"velocity all create {TEMPERATURE} {SEED} mom yes dist gaussian\n"
        f"fix steps all nve\ntimestep {TIMESTEP}\n"
        f"thermo {energy_every}\nthermo_style custom step pe etotal\nthermo_modify norm no format float %.12g\n"
        "run 0\n" + f"run {steps}\n" * (1 + PIECES)
    )


def run_lammps(arguments, folder):
    """The output of LAMMPS."""
    command = [arguments.mpirun, "-np", str(arguments.ranks), arguments.lammps, "-in", "in.lammps", "-log", "none"]
    environment = {**os.environ, "OMP_NUM_THREADS": "1"}
    if os.geteuid() == 0:  # Open MPI requires both variables
        environment |= {"OMPI_ALLOW_RUN_AS_ROOT": "1", "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM": "1"}
    try:
        done = subprocess.run(command, cwd=folder, env=environment, capture_output=True, text=True, check=False)
    except OSError as error:
        raise Failure(f"{command[0]}: {error.strerror}; {INSTALL}") from error
    if done.returncode != 0:
        wrong = (done.stderr.strip() or done.stdout.strip()).splitlines()[-5:]
        raise Failure("\n".join([f"{' '.join(command)}: exit status {done.returncode}; {INSTALL}?", *wrong]))
    return done.stdout


def time_lammps(arguments, folder):
    """One round: version, initial potential energy, and microseconds per step of each piece."""
    text = run_lammps(arguments, folder)
    version = re.search(r"^LAMMPS \((.*)\)", text, re.MULTILINE)
    start = re.search(r"^ *Step +PotEng .*\n +0 +(\S+)", text, re.MULTILINE)
    loops = re.findall(r"^Loop time of (\S+) on (\d+) procs for (\d+) steps", text, re.MULTILINE)[2:]
    if not version or not start or len(loops) != PIECES or any(int(ranks) != arguments.ranks for _, ranks, _ in loops):
        raise Failure(f"LAMMPS printed something other than expected:\n{text[-1000:]}")
    pieces = [float(seconds) * 1e6 / int(steps) for seconds, _, steps in loops]
    return version.group(1), float(start.group(1)), pieces


def dropmd_round(arguments):
    run = run_file(arguments.droplet, arguments.cutoff, "verlet")
    energy_run = run_file(arguments.droplet, arguments.cutoff, "verlet", coulomb="cut")
    options = ["--backend", "cpu", "--threads", str(arguments.ranks)]
    plan = ["--neighbor", arguments.dropmd_neighbor, "--energy-every", str(arguments.energy_every)]
    plan += ["--steps", str(arguments.steps)]
    return time_dropmd(arguments.dropmd, run, energy_run, arguments.dropmd_precision, plan, options)


def cpu_name():
    """The processor's name on Linux; nothing elsewhere."""
    try:
        names = re.findall(r"^model name\s*: (.*)$", Path("/proc/cpuinfo").read_text(encoding="utf-8"), re.MULTILINE)
    except OSError:
        names = []
    return names[0] if names else ""


def compare(arguments):
    positions, charges = read_droplet(arguments.droplet)
    theirs, ours, medians = [], [], []
    with tempfile.TemporaryDirectory() as folder:
        (Path(folder) / "droplet.data").write_text(data_file(positions, charges), encoding="utf-8")
        script = input_script(arguments.cutoff, arguments.steps, arguments.energy_every)
        (Path(folder) / "in.lammps").write_text(script, encoding="utf-8")
        for _ in range(arguments.rounds):
            dropmd = dropmd_round(arguments)
            ours += [row["fastest_us_per_step"] for row in dropmd["rows"]]
            medians += [row["us_per_step"] for row in dropmd["rows"]]
            version, lammps_energy, pieces = time_lammps(arguments, folder)
            theirs += pieces
    dropmd_energy = dropmd["potential_kcal_per_mol"]
    return {
        "droplet": str(arguments.droplet),
        "n_atoms": len(positions),
        "cutoff_angstrom": arguments.cutoff,
        "timestep_fs": TIMESTEP,
        "steps": arguments.steps,
        "energy_every_steps": arguments.energy_every,
        "rounds": arguments.rounds,
        "cpu": cpu_name(),
        "relative_energy_difference": abs(lammps_energy - dropmd_energy) / abs(dropmd_energy),
        "lammps": {
            "version": version,
            "pair_style": PAIR_STYLE,
            "ranks": arguments.ranks,
            "potential_kcal_per_mol": lammps_energy,
            "us_per_step": min(theirs),
            "median_us_per_step": statistics.median(theirs),
        },
        "dropmd": {
            "version": dropmd["version"],
            "commit": dropmd["commit"],
            "threads": arguments.ranks,
            "precision": arguments.dropmd_precision,
            "neighbor": arguments.dropmd_neighbor,
            "potential_kcal_per_mol": dropmd_energy,
            "us_per_step": min(ours),
            "median_us_per_step": statistics.median(medians),
        },
        "lammps_over_dropmd": min(theirs) / min(ours),
    }


def table(report):
    """The report as text."""
    lammps, dropmd = report["lammps"], report["dropmd"]
    names = {
        f"LAMMPS, {lammps['pair_style']}, {lammps['ranks']} ranks": lammps,
        f"dropmd, {dropmd['neighbor']}, {dropmd['precision']}, {dropmd['threads']} threads": dropmd,
    }
    lines = [
        f"{report['droplet']}: {report['n_atoms']} atoms, cut at {report['cutoff_angstrom']:g} A, {TIMESTEP:g} fs, "
        f"energies every {report['energy_every_steps']} steps; {report['cpu']}",
        f"LAMMPS {lammps['version']}; dropmd {dropmd['version']} ({dropmd['commit']})",
        f"start: {lammps['potential_kcal_per_mol']:.10g} and {dropmd['potential_kcal_per_mol']:.10g} kcal/mol, "
        f"relative difference {report['relative_energy_difference']:.1e}",
        "",
        f"{'us/step, ' + str(report['rounds']) + ' rounds in turn':<44} {'fastest':>12} {'median':>12}",
    ]
    for name, row in names.items():
        lines.append(f"{name:<44} {row['us_per_step']:>12.1f} {row['median_us_per_step']:>12.1f}")
    lines.append(f"dropmd: {report['lammps_over_dropmd']:.2f} times as fast as LAMMPS")
    return "\n".join(lines)


def arguments_of(words):
    parser = argparse.ArgumentParser(
        prog="lammps_step", description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("droplet", type=Path, help="droplet file (.drop), as dropmd generate droplet writes it")
    parser.add_argument("--dropmd", default="dropmd", metavar="PATH", help="the program (default: on the path)")
    parser.add_argument("--lammps", default="lmp", metavar="PATH", help="the program (default: lmp on the path)")
    parser.add_argument("--mpirun", default="mpirun", metavar="PATH", help="what starts its ranks")
    parser.add_argument("--cutoff", type=positive(float), default=12.0, metavar="R", help="of both terms in A (12)")
    parser.add_argument("--ranks", type=positive(int), default=2, metavar="N", help="MPI ranks, threads of dropmd (2)")
    parser.add_argument("--steps", type=positive(int), default=100, metavar="N", help="steps of a timed piece (100)")
    parser.add_argument("--energy-every", type=positive(int), default=100, metavar="N", help="between energies (100)")
    parser.add_argument("--rounds", type=positive(int), default=3, metavar="N", help="turns of both (3)")
    parser.add_argument("--dropmd-precision", choices=("mixed", "double"), default="mixed")
    parser.add_argument("--dropmd-neighbor", choices=("all-pairs", "cells", "sorted-cells", "pair-list"), default="pair-list")
    parser.add_argument("--json", action="store_true", help="one JSON object instead of the table")
    arguments = parser.parse_args(words)
    if arguments.steps > arguments.energy_every and arguments.steps % arguments.energy_every:
        parser.error("--steps is not a multiple of --energy-every")
    return arguments


if __name__ == "__main__":
    sys.exit(run_script("lammps_step", arguments_of(sys.argv[1:]), compare, table))
