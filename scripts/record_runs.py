#!/usr/bin/env python3
"""Record what short runs write, and compare two recordings byte by byte.

    scripts/record_runs.py record PROGRAM DIR [--backend cpu|cuda] [--only WORD] [--jobs N]
    scripts/record_runs.py compare DIR_BEFORE DIR_AFTER [--added-column NAME] [--added-file NAME]
    scripts/record_runs.py list

A change of structure must leave every number as it is. `record` makes the runs of the list below with one build of
dropmd. `compare` compares two such folders: rows of energy.csv, trajectory, final structure, choices, maps, and the
arrays of the checkpoint. What only names the build (comment lines, the run file inside a checkpoint) is left out.
A change that adds a column or a file is declared: what `--added-column` and `--added-file` name may be in the later
recording alone, and `compare` counts how often it is there. The runs cover methods, precisions, integrators, walls,
recentring, momentum removal, intervals of outputs, and runs that stop and resume. Start structures are made here, so
that two programs get the same input.

`compare` reads checkpoints with h5py (Debian: apt install python3-h5py). Exit status 1 if anything differs.
"""

import argparse
import concurrent.futures
import itertools
import pathlib
import random
import subprocess
import sys

METHODS = ("all-pairs", "cells", "sorted-cells", "pair-list", "auto")
INTEGRATORS = {
    "verlet": 'form = "velocity-verlet"\ntimestep = 2.0',
    "langevin": 'form = "langevin"\ntimestep = 2.0\ntemperature = 120\nfriction = 0.01',
    "csvr": 'form = "csvr"\ntimestep = 2.0\ntemperature = 120\nrelaxation = 50',
    "descent": 'form = "descent"\nfactor = 0.0005',
    "fire": 'form = "fire"\nforce-tolerance = 1e-3',
}
AT_CUTOFF = ('"force-shift"', '"shift"', '"cut"', '"switch"\nswitch-from = 8.0')
COULOMB = (
    'form = "reaction-field"\ncutoff = 10',
    'form = "shift"\ncutoff = 9',
    'form = "dsf"\ncutoff = 10\ndamping = 0.2',
    'form = "smoothed"\ncutoff = 10',
    'form = "cut"\ncutoff = 10',
)
WALLS = ("", '[wall]\nform = "harmonic"\nradius = 14.0', '[wall]\nform = "quartic"\nradius = 13.0\nstiffness = 0.01')
CENTRES = ("geometric", "mass", "none")
MOMENTA = ("none", "linear", "angular", "both")
INTERVALS = ((10, 50, 100), (1, 100, 60), (7, 35, 1000), (100, 200, 50))

RUN = """title = "{name}"
units = "real"
[system]
structure = "{structure}"
{mass}temperature = 120
random-seed = 11
{pairs}
[coulomb]
{coulomb}
{wall}
[neighbor]
method = "{method}"
[engine]
precision = "{precision}"
[integrator]
{integrator}
[run]
steps = {steps}
recenter-every = 25
recenter = "{centre}"
remove-momentum = "{momentum}"
[output]
directory = "out"
energy-every = {energies}
trajectory-every = {frames}
checkpoint-every = {checkpoints}
{extra}
"""
ALIKE = "[lennard-jones]\nepsilon = 0.2\nr-min = 2.8\ncutoff = 10\nat-cutoff = {}"
SALT = """[lennard-jones]
cutoff = 10
at-cutoff = {}
[[species]]
name = "Na"
mass = 22.99
epsilon = 0.0874
sigma = 2.439
[[species]]
name = "Cl"
mass = 35.45
epsilon = 0.0356
sigma = 4.478
[[pair]]
species = ["Na", "Cl"]
epsilon = 0.08
sigma = 3.3
"""


def cluster(n_atoms, spacing, seed, names=("X", "X"), charge=0.3):
    """Extended XYZ of the atoms of a jittered cubic lattice nearest to its middle, with alternating charges."""
    draw = random.Random(seed)
    indices = range(-12, 13)
    sites = sorted(itertools.product(indices, repeat=3), key=lambda s: (sum((2 * x + 1) ** 2 for x in s), s))[:n_atoms]
    lines = [str(n_atoms), 'Properties=species:S:1:pos:R:3:charge:R:1 units=real pbc="F F F"']
    for site in sites:
        odd = sum(site) % 2
        place = " ".join(f"{spacing * (x + 0.5) + draw.uniform(-0.1, 0.1):.6f}" for x in site)
        lines.append(f"{names[odd]} {place} {charge if odd else -charge}")
    return "\n".join(lines) + "\n"


def run_of(k, **settings):
    """A run file; settings that are not given vary with the number k."""
    defaults = {
        "structure": "droplet.xyz", "mass": "mass = 20.0\n", "pairs": ALIKE.format(AT_CUTOFF[k % len(AT_CUTOFF)]),
        "coulomb": COULOMB[k % len(COULOMB)], "wall": WALLS[k % len(WALLS)], "method": "auto", "precision": "mixed",
        "integrator": INTEGRATORS["verlet"], "steps": 200, "centre": CENTRES[k // 2 % len(CENTRES)],
        "momentum": MOMENTA[k // 3 % len(MOMENTA)], "extra": "",
    }
    energies, frames, checkpoints = INTERVALS[k % len(INTERVALS)]
    return RUN.format(**{**defaults, "energies": energies, "frames": frames, "checkpoints": checkpoints, **settings})


def runs():
    """(name, run file, words of the command line, step at which the run stops and resumes or None)."""
    product = itertools.product(METHODS, ("mixed", "double"), INTEGRATORS)
    for k, (method, precision, integrator) in enumerate(product):
        name = f"{method}-{precision}-{integrator}"
        text = run_of(k, name=name, method=method, precision=precision, integrator=INTEGRATORS[integrator])
        yield name, text, [], (60 + 17 * (k % 5) if k % 2 else None)
    no_cutoffs = {"coulomb": 'form = "exact"', "pairs": ALIKE.format('"none"').replace("cutoff = 10\n", "")}
    for k, precision in enumerate(("mixed", "double")):
        yield f"untruncated-{precision}", run_of(k, name="u", precision=precision, **no_cutoffs), [], 90
        yield f"no-coulomb-{precision}", run_of(k, name="n", precision=precision, coulomb='form = "none"'), [], None
        salt = {"structure": "salt.xyz", "mass": "", "precision": precision}
        for j, method in enumerate(("all-pairs", "cells", "sorted-cells", "pair-list")):
            pairs = SALT.format(AT_CUTOFF[j])
            yield f"salt-{method}-{precision}", run_of(j, name="s", pairs=pairs, method=method, **salt), [], 110
    for n in (1, 2, 33):
        yield f"atoms-{n}", run_of(n, name="a", structure=f"{n}.xyz", wall=WALLS[1]), [], None
    yield "large", run_of(3, name="l", structure="large.xyz", steps=120, wall=""), [], 70
    yield "large-langevin", run_of(2, name="l", structure="large.xyz", integrator=INTEGRATORS["langevin"]), [], None
    long_run = run_of(0, name="long", steps=1200, wall=WALLS[1], centre="none", momentum="none")
    yield "long", long_run, [], 1050
    yield "one-thread", run_of(5, name="t"), ["--threads", "1"], None
    yield "self-check", run_of(6, name="c", precision="mixed"), ["--self-check", "50"], None
    maps = '[map]\nevery = 50\nspacing = 1.5\npadding = 3.0\nmethod = "{}"\n{}average = true\nfile = "potential.dx"'
    yield "map-direct", run_of(7, name="m", extra=maps.format("direct", "")), [], 100
    yield "map-cutoff", run_of(8, name="m", extra=maps.format("cutoff", 'cutoff = 8\nform = "shift"\n')), [], 75


STRUCTURES = {
    "droplet.xyz": lambda: cluster(700, 2.75, 1),
    "salt.xyz": lambda: cluster(512, 2.9, 2, ("Na", "Cl"), 1.0),
    "large.xyz": lambda: cluster(5000, 2.75, 3),
    "1.xyz": lambda: cluster(1, 2.75, 4), "2.xyz": lambda: cluster(2, 2.75, 5), "33.xyz": lambda: cluster(33, 2.75, 6),
}


def make_run(program, folder, name, text, words, stop, backend):
    """Makes the runs in folder/name; returns (name, None) or (name, what went wrong)."""
    folder = folder / name
    folder.mkdir()
    for structure, make in STRUCTURES.items():
        if f'"{structure}"' in text:
            (folder / structure).write_text(make())
    (folder / "run.toml").write_text(text)
    common = ["-q", "--backend", backend, *words]
    commands = [[program, "run", "run.toml", *common]]
    if stop:
        commands[0] += ["--steps", str(stop)]
        steps = next(line.split("=")[1].strip() for line in text.splitlines() if line.startswith("steps"))
        commands.append([program, "run", "--resume", "out", "--steps", steps, *common])
    for command in commands:
        done = subprocess.run(command, cwd=folder, capture_output=True, text=True)
        (folder / "stderr").open("a").write(done.stderr)
        if done.returncode not in (0, 1):  # 1: a minimiser that has not converged
            return name, f"status {done.returncode}: {done.stderr.strip()[-300:]}"
    return name, None


def record(arguments):
    program, folder = str(pathlib.Path(arguments.program).resolve()), pathlib.Path(arguments.folder).resolve()
    folder.mkdir(parents=True)
    chosen = [run for run in runs() if arguments.only in run[0]]
    failures = 0
    with concurrent.futures.ThreadPoolExecutor(arguments.jobs) as pool:
        made = pool.map(lambda run: make_run(program, folder, *run, arguments.backend), chosen)
        for name, problem in made:
            if problem:
                failures += 1
                print(f"{name}: {problem}", file=sys.stderr)
    print(f"{len(chosen)} runs recorded in {folder}, {failures} of them failed")
    return 1 if failures else 0


def text_of(path):
    """The lines without those that name the build."""
    return [line for line in path.read_bytes().split(b"\n") if not line.startswith(b"# dropmd")]


def arrays_of(path):
    """Maps the name of each array of numbers in a checkpoint to its bytes."""
    import h5py  # only needed here

    arrays = {}

    def visit(name, item):
        if isinstance(item, h5py.Dataset) and item.dtype.kind in "iuf" and not name.startswith("outputs"):
            arrays[name] = item[()].tobytes()

    with h5py.File(path) as file:
        file.visititems(visit)
    return arrays


class Added:
    """What only the later recording may have, and how often it was found there."""

    def __init__(self, columns, files):
        self.columns, self.files = columns, files
        self.found = dict.fromkeys([*columns, *files], 0)

    def is_file(self, name):
        if name not in self.files:
            return False
        self.found[name] += 1
        return True

    def without_columns(self, lines, header_before):
        """The lines of a table without the added columns, if these follow the columns of the earlier header; otherwise
        unchanged."""
        columns, names = lines[0].decode().split(","), header_before.decode().split(",")
        added = columns[len(names):]
        if columns[:len(names)] != names or not added or not set(added) <= set(self.columns):
            return lines
        for column in added:
            self.found[column] += 1
        return [b",".join(line.split(b",")[:len(names)]) for line in lines]


# Files with wall times, and an earlier checkpoint.
NO_RESULTS = ("status.json", "timings.csv", "checkpoint.previous.h5")


def differences(before, after, added):
    """The differences between two runs' folders, in words."""
    names = {path.relative_to(before) for path in (before / "out").rglob("*") if path.is_file()}
    others = {path.relative_to(after) for path in (after / "out").rglob("*") if path.is_file()}
    for name in sorted(names ^ others):
        if name.name in NO_RESULTS:
            continue
        if name in names or not added.is_file(name.name):
            yield f"{name} is only in {before if name in names else after}"
    for name in sorted(names & others):
        if name.name in NO_RESULTS:
            continue
        if name.suffix == ".h5":
            mine, theirs = arrays_of(before / name), arrays_of(after / name)
            for array in sorted(mine):
                if theirs.get(array) != mine[array]:
                    yield f"{name}: {array} differs"
            continue
        mine, theirs = text_of(before / name), text_of(after / name)
        if name.suffix == ".csv":
            theirs = added.without_columns(theirs, mine[0])
        if mine != theirs:
            yield f"{name} differs"


def compare(arguments):
    before, after = pathlib.Path(arguments.before), pathlib.Path(arguments.after)
    runs_before, runs_after = ({path.name for path in folder.iterdir()} for folder in (before, after))
    count, added = 0, Added(arguments.added_column, arguments.added_file)
    for name in sorted(runs_before | runs_after):
        found = (list(differences(before / name, after / name, added)) if name in runs_before & runs_after
                 else ["was recorded in one folder only"])
        for difference in found:
            count += 1
            print(f"{name}: {difference}")
    for name, runs_with in added.found.items():
        print(f"{runs_with} runs have {name} in {after} only")
    print(f"{len(runs_before | runs_after)} runs compared, {count} differences")
    return 1 if count else 0


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    commands = parser.add_subparsers(dest="command", required=True)
    recording = commands.add_parser("record", help="make the runs with one program")
    recording.add_argument("program")
    recording.add_argument("folder")
    recording.add_argument("--backend", choices=("cpu", "cuda"), default="cpu")
    recording.add_argument("--only", default="", help="runs whose names contain this word")
    recording.add_argument("--jobs", type=int, default=2, help="runs at a time")
    comparing = commands.add_parser("compare", help="compare two recordings")
    comparing.add_argument("before")
    comparing.add_argument("after")
    comparing.add_argument("--added-column", action="append", default=[], help="of a table, in the later folder only")
    comparing.add_argument("--added-file", action="append", default=[], help="that is in the later folder only")
    commands.add_parser("list", help="the names of the runs")
    arguments = parser.parse_args()
    if arguments.command == "list":
        print("\n".join(run[0] for run in runs()))
        return 0
    return record(arguments) if arguments.command == "record" else compare(arguments)


if __name__ == "__main__":
    sys.exit(main())
