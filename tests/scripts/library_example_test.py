#!/usr/bin/env python3
"""Installs the library from a build folder, builds examples/library against it as a user would, and checks its output."""

import argparse
import csv
import io
import itertools
import json
import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

SOURCE = Path(__file__).resolve().parents[2]
EXAMPLE = SOURCE / "examples/library"
HEATING = 1.5**2  # of the kinetic energy
# kcal/mol, at a kinetic energy of 8 to 20. This is twice the error of velocity Verlet at 5 fs, 0.002 before the heating
# and 0.0045 with what the heating adds to it. With half the timestep the error is a quarter of this.
CONSERVED = 0.01
DIGIT = 1e-6  # the last digit of the printed energies


def run(*command):
    """Returns the output. The environment has a path and nothing else: none of the variables with which dropmd was
    built."""
    result = subprocess.run([str(word) for word in command], env={"PATH": os.environ["PATH"]}, text=True,
                            stdout=subprocess.PIPE, stderr=subprocess.STDOUT, check=False)
    if result.returncode != 0:
        sys.exit(f"status {result.returncode} of {' '.join(map(str, command))}:\n{result.stdout}")
    return result.stdout


def check(holds, message):
    if not holds:
        sys.exit(f"library_example_test: {message}")


def check_package(prefix, build):
    """The installed files name no folder of this build, and contain all rooms except those of the program."""
    for file in prefix.rglob("*.cmake"):
        for folder in (SOURCE, build):
            check(str(folder) not in file.read_text(encoding="utf-8"), f"{file} names {folder}")
    check((prefix / "include/dropmd/core/version.h").is_file(), "the generated header is missing")
    rooms = {folder.name for folder in (prefix / "include/dropmd").iterdir()}
    check("engine" in rooms and not rooms & {"bench", "app", "tests"}, f"headers of {sorted(rooms)}")
    for folder in [folder for folder in prefix.rglob("*") if folder.is_dir()]:
        check(any(folder.iterdir()), f"{folder} is empty")


def check_command(folder, prefix, flags):
    """Include directory and definitions reach the user; warnings and instruction sets do not."""
    command = json.loads((folder / "compile_commands.json").read_text(encoding="utf-8"))[0]["command"]
    own = [word for word in command.split() if word.startswith(("-W", "-m", "-f", "-I")) and word not in flags]
    check(not own, f"compiled with {own}: {command}")
    for expected in (f"{prefix}/include/dropmd", "-DDROPMD_HAS_CUDA="):
        check(expected in command, f"compiled without {expected}: {command}")


def lattice_energy():
    """Force-shifted Lennard-Jones energy of the initial cluster, term by term from the formula, kcal/mol."""
    atoms = [place for place in itertools.product(range(-4, 5), repeat=3)
             if sum(place) % 2 == 0 and sum(x * x for x in place) <= 16]

    def lj(r):
        return 4 * 0.238 * ((3.405 / r) ** 12 - (3.405 / r) ** 6)

    def slope(r):
        return -4 * 0.238 * (12 * (3.405 / r) ** 12 - 6 * (3.405 / r) ** 6) / r

    cutoff = 12.0
    distances = (2.7 * sum((x - y) ** 2 for x, y in zip(a, b)) ** 0.5 for a, b in itertools.combinations(atoms, 2))
    return sum(lj(r) - lj(cutoff) - (r - cutoff) * slope(cutoff) for r in distances if r < cutoff)


def check_output(text):
    rows = [{name: float(value) for name, value in row.items()} for row in csv.DictReader(io.StringIO(text))]
    steps = [row["step"] for row in rows]
    check(steps == [*range(0, 2001, 100)], f"steps {steps}")
    first, heated = rows[0], rows[10]  # the heating comes after the printed line
    check(20 < first["temperature"] < 60, f"started at {first['temperature']} K instead of about 40 K")
    expected = lattice_energy()
    check(abs(first["potential"] - expected) < 1e-6 * abs(expected) + DIGIT,
          f"potential energy {first['potential']} of the lattice instead of {expected}")
    check(heated["kinetic"] < 0.8 * first["kinetic"], "the lattice took up no energy: nothing has moved")
    added = (HEATING - 1) * heated["kinetic"]
    for row in rows:
        total = first["total"] + (added if row["step"] > 1000 else 0)
        check(abs(row["total"] - total) < CONSERVED, f"energy is not conserved: {row} instead of {total}")
        check(abs(row["potential"] + row["kinetic"] - row["total"]) < 2 * DIGIT, f"parts do not add up: {row}")
    ratios = [row["temperature"] / row["kinetic"] for row in rows]
    check(max(ratios) / min(ratios) < 1.001, f"temperature is not proportional to kinetic energy: {ratios}")


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--build", type=Path, required=True, help="dropmd's build folder")
    parser.add_argument("--cmake", required=True)
    parser.add_argument("--config", required=True, help="configuration to install and to build")
    parser.add_argument("--flags", default="", help="what dropmd was instrumented with")
    parser.add_argument("settings", nargs="*", help="of the example's configuration: -DNAME=VALUE, -G GENERATOR")
    arguments = parser.parse_args()

    work = arguments.build / "library-example"
    shutil.rmtree(work, ignore_errors=True)
    prefix, folder = work / "prefix", work / "build"
    run(arguments.cmake, "--install", arguments.build, "--config", arguments.config, "--component", "library",
        "--prefix", prefix)
    check_package(prefix, arguments.build)
    run(arguments.cmake, "-S", EXAMPLE, "-B", folder, f"-DCMAKE_PREFIX_PATH={prefix}", *arguments.settings,
        f"-DCMAKE_BUILD_TYPE={arguments.config}", f"-DCMAKE_CXX_FLAGS={arguments.flags}",
        "-DCMAKE_EXPORT_COMPILE_COMMANDS=ON")
    cache = (folder / "CMakeCache.txt").read_text(encoding="utf-8")
    found = re.search(r"^dropmd_DIR:PATH=(.*)$", cache, re.MULTILINE)[1]
    check(Path(found).is_relative_to(prefix), f"found the package in {found} instead of {prefix}")
    check_command(folder, prefix, arguments.flags.split())
    run(arguments.cmake, "--build", folder, "--config", arguments.config)
    check_output(run(next(path for path in folder.rglob("argon_cluster") if path.is_file())))


if __name__ == "__main__":
    main()
