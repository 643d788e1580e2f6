#!/usr/bin/env python3
"""Measure the physics of whole runs, and print the tables of docs/validation.md.

    scripts/validate.py [--dropmd PROGRAM] [--backend cpu|cuda] [PART...]

Parts: drift, order, thermostats, density, water; all of them unless named. Needs numpy.
"""

import argparse
import pathlib
import subprocess
import sys
import tempfile

try:
    import numpy as np
except ImportError as error:
    sys.exit(f"validate: {error} (Debian: apt install python3-numpy)")

BOLTZMANN = 0.0019872041  # kcal/mol/K, CODATA 2018

LJ = """units = "lj"
[system]
structure = "start.xyz"
temperature = {temperature}
random-seed = {seed}
[lennard-jones]
epsilon = 1
sigma = 1
at-cutoff = "{treatment}"
cutoff = 2.5
"""

CHARGED = """units = "real"
[system]
structure = "start.xyz"
mass = 20
temperature = 100
random-seed = 7
[lennard-jones]
epsilon = 0.2
r-min = 2.5
{lennard_jones}
[coulomb]
{coulomb}
"""


WATER = """units = "real"
[system]
structure = "{structure}"
topology = "water.top"
{temperature}
{coulomb}
"""


class Lab:
    """Runs the program in a folder of its own."""

    def __init__(self, program, backend, folder):
        self.program, self.backend, self.folder = program, backend, pathlib.Path(folder)

    def call(self, *words):
        done = subprocess.run([self.program, *map(str, words)], cwd=self.folder, capture_output=True, text=True)
        if done.returncode != 0:
            sys.exit(f"validate: {' '.join(map(str, words))}: {done.stderr.strip()}")

    def droplet(self, *options):
        self.call("generate", "droplet", "-q", "--force", "-o", "start.xyz", *options)

    def run(self, physics, integrator, steps, *options, neighbor="", energy_every=10, frames_every=0, more=""):
        """Columns of energy.csv by name."""
        (self.folder / "run.toml").write_text(
            f"{physics}{more}[neighbor]\n{neighbor}[integrator]\n{integrator}[run]\nsteps = {steps}\n"
            f"[output]\nenergy-every = {energy_every}\ntrajectory-every = {frames_every}\n"
            "checkpoint-every = 0\ncheckpoint-minutes = 0\n"
            'final = "final.xyz"\n'
        )
        self.call("run", "run.toml", "-q", "--force", "-o", "out", "--backend", self.backend, *options)
        return np.genfromtxt(self.folder / "out" / "energy.csv", delimiter=",", names=True, skip_header=1)

    def settle(self, physics, integrator, steps, **others):
        """The last structure of a run becomes the next start."""
        self.run(physics, integrator, steps, **others)
        (self.folder / "out" / "final.xyz").replace(self.folder / "start.xyz")

    def frames(self):
        """Positions of the trajectory, [n_frames][n_atoms][3]."""
        frames = []
        with open(self.folder / "out" / "trajectory.xyz", encoding="utf-8") as file:
            while line := file.readline():
                n = int(line)
                comment = file.readline()
                first = 1 if "Properties=species:S:1:pos:R:3" in comment else None
                if first is None:
                    sys.exit(f"validate: unexpected columns: {comment.strip()}")
                frames.append(np.loadtxt([file.readline() for _ in range(n)], usecols=(1, 2, 3)))
        return np.array(frames)


def block_means(values, blocks):
    return np.array([block.mean() for block in np.array_split(np.asarray(values), blocks)])


def mean_with_error(values, blocks):
    means = block_means(values, blocks)
    return np.mean(means), np.std(means, ddof=1) / np.sqrt(blocks)


def slope_with_error(x, y, blocks=20):
    """A straight line through the means of blocks: its slope, and its error from their scatter around it."""
    (slope, _), covariance = np.polyfit(block_means(x, blocks), block_means(y, blocks), 1, cov=True)
    return slope, np.sqrt(covariance[0, 0])


def settled_liquid(lab, n, seed):
    """A Lennard-Jones droplet at T = 0.7 becomes the next start, velocities included; returns the physics to continue
    with."""
    lab.droplet("--atoms", n, "--density", 0.8, "--lattice", "fcc", "--disorder", 0.05, "--charges", "none")
    physics = LJ.format(temperature=0.7, seed=seed, treatment="force-shift")
    lab.settle(physics, 'form = "langevin"\ntimestep = 0.005\ntemperature = 0.7\nfriction = 1\n', 4000)
    return physics.replace("temperature = 0.7\n", "")


def drift(lab):
    print("### Drift of the energy\n")
    physics = settled_liquid(lab, 1000, seed=3)
    steps, timestep = 40000, 0.002
    print(f"Lennard-Jones droplet of 1,000 atoms, T = 0.7, force-shifted at 2.5 sigma, steps of {timestep} tau, {steps} steps.\n")
    print("| precision | method | drift, kT/atom/tau | error |\n|---|---|---|---|")
    for precision in ("mixed", "double"):
        for neighbor in ("all-pairs", "cells", "sorted-cells", "pair-list"):
            skin = "skin = 0.3\n" if neighbor == "pair-list" else ""
            rows = lab.run(physics, f'form = "velocity-verlet"\ntimestep = {timestep}\n', steps,
                           "--precision", precision, neighbor=f'method = "{neighbor}"\n{skin}')
            kt = np.mean(rows["temperature"])
            d, error = slope_with_error(rows["time"], rows["total"] / (1000 * kt))
            print(f"| {precision} | {neighbor} | {d:.1e} | {error:.0e} |", flush=True)
    steps = 1000000 if lab.backend == "cuda" else 100000
    print(f"\nCharged droplet of 1,000 atoms, some 100 K, steps of 0.5 fs, {steps} steps (OpenMM states 4.3e-4 single, 2.3e-5 "
          "mixed, 1.1e-7 double for its own system).\n")
    print("| forces | precision | drift, kT/ns/dof | error |\n|---|---|---|---|")
    for name, lennard_jones, coulomb, neighbor in (
            ("without cutoff", "", 'form = "exact"', 'method = "all-pairs"\n'),
            ("cut at 12 A", 'at-cutoff = "force-shift"\ncutoff = 12', 'form = "reaction-field"\ncutoff = 12',
             'method = "pair-list"\nskin = 0.5\n')):
        physics = CHARGED.format(lennard_jones=lennard_jones, coulomb=coulomb)
        lab.droplet("--atoms", 1000, "--disorder", 0.05)
        lab.settle(physics, 'form = "langevin"\ntimestep = 1\ntemperature = 100\nfriction = 0.005\n', 4000)
        for precision in ("mixed", "double"):
            rows = lab.run(physics.replace("temperature = 100\n", ""), 'form = "velocity-verlet"\ntimestep = 0.5\n', steps,
                           "--precision", precision, neighbor=neighbor, energy_every=100)
            kt = BOLTZMANN * np.mean(rows["temperature"])
            d, error = slope_with_error(rows["time"] * 1e-6, rows["total"] / (3 * 1000 * kt))
            print(f"| {name} | {precision} | {d:.1e} | {error:.0e} |", flush=True)


def order(lab):
    print("\n### Order of the integrator\n")
    physics = settled_liquid(lab, 500, seed=4)
    print("500 atoms, double, 20 tau: standard deviation of the total energy per atom, over that of half the step.\n")
    print("| step, tau | deviation, epsilon | ratio (4 for second order) |\n|---|---|---|")
    before = None
    for timestep in (0.001, 0.002, 0.004, 0.008):
        rows = lab.run(physics, f'form = "velocity-verlet"\ntimestep = {timestep}\n', round(20 / timestep), "--precision",
                       "double", energy_every=1)
        total = rows["total"] / 500
        deviation = np.std(total - np.polyval(np.polyfit(rows["time"], total, 1), rows["time"]))
        print(f"| {timestep} | {deviation:.2e} | {'' if before is None else f'{deviation / before:.2f}'} |", flush=True)
        before = deviation


def thermostats(lab):
    print("\n### Thermostats\n")
    n, t = 300, 0.6
    print(f"Droplet of {n} atoms in a wall at T = {t}, 200,000 steps of 0.004 tau: mean temperature, and variance of the "
          "kinetic energy over that of the canonical ensemble; errors by blocks.\n")
    print("| thermostat | mean temperature | variance, ratio |\n|---|---|---|")
    for form, words in (("langevin", "friction = 1\n"), ("csvr", "relaxation = 0.2\n")):
        lab.droplet("--atoms", n, "--density", 0.7, "--lattice", "fcc", "--disorder", 0.05, "--charges", "none")
        physics = LJ.format(temperature=t, seed=5, treatment="force-shift")
        wall = '[wall]\nform = "harmonic"\nradius = 8\nstiffness = 1\n'
        thermostat = f'form = "{form}"\ntemperature = {t}\ntimestep = 0.004\n{words}'
        lab.settle(physics, thermostat, 10000, more=wall)
        rows = lab.run(physics, thermostat, 200000, energy_every=20, more=wall)
        dof = 2 * np.mean(rows["kinetic"] / rows["temperature"])
        mean, error = mean_with_error(rows["temperature"], blocks=20)
        ratio, ratio_error = mean_with_error((rows["kinetic"] - dof * t / 2) ** 2 / (dof * t * t / 2), blocks=20)
        print(f"| {form} | {mean:.4f} ± {error:.4f} | {ratio:.3f} ± {ratio_error:.3f} |", flush=True)


def density_inside(lab, n, t, bulk):
    """Density within half the radius of a droplet of n atoms, its error, and the radius that follows from that
    density."""
    guess = (3 * n / (4 * np.pi * bulk)) ** (1 / 3)
    lab.droplet("--atoms", n, "--density", bulk, "--lattice", "fcc", "--disorder", 0.05, "--charges", "none")
    physics = LJ.format(temperature=t, seed=6, treatment="shift")
    wall = f'[wall]\nform = "harmonic"\nradius = {1.7 * guess:.3f}\nstiffness = 1\n'
    integrator = f'form = "langevin"\ntimestep = 0.005\ntemperature = {t}\nfriction = 0.2\n'
    lab.settle(physics, integrator, 40000, more=wall)
    lab.run(physics, integrator, 200000, frames_every=1000, energy_every=0, more=wall)
    inside, near = [], []
    for frame in lab.frames():
        centre = frame.mean(axis=0)
        for _ in range(20):  # without the droplet's vapour
            distance = np.linalg.norm(frame - centre, axis=1)
            centre = frame[distance < guess].mean(axis=0)
        distance = np.linalg.norm(frame - centre, axis=1)
        inside.append(np.count_nonzero(distance < guess / 2))
        near.append(np.count_nonzero(distance < guess + 2))
    density, error = mean_with_error(np.array(inside) / (4 / 3 * np.pi * (guess / 2) ** 3), blocks=10)
    return density, error, (3 * np.mean(near) / (4 * np.pi * density)) ** (1 / 3)


def density(lab):
    t, bulk = 0.80, 0.7302
    print("\n### Density of a droplet\n")
    print(f"Truncated and shifted at 2.5 sigma, T = {t:.2f}, Langevin, in a wall of 1.7 radii, 200,000 steps of 0.005 tau: "
          "density within half the radius.\n")
    print("| atoms | radius, sigma | density |\n|---|---|---|")
    rows = []
    for n in (1000, 4000, 16000):
        value, error, radius = density_inside(lab, n, t, bulk)
        rows.append((1 / radius, value, error))
        print(f"| {n} | {radius:.2f} | {value:.4f} ± {error:.4f} |", flush=True)
    x, y, e = np.array(rows).T
    (_, flat), covariance = np.polyfit(x, y, 1, w=1 / e, cov="unscaled")
    print(f"\nStraight line in 1/R, as the pressure of the surface is, for a flat one: {flat:.4f} ± "
          f"{np.sqrt(covariance[1, 1]):.4f}; bulk liquid at coexistence: {bulk}")


def water(lab):
    n = 1000
    print("\n### Rigid water\n")
    print(f"Droplet of {n} SPC/E waters, untruncated, settled at 300 K for 40 ps, then at constant energy: drift, and standard "
          "deviation of the total energy around a straight line.\n")
    print("| Coulomb | precision | step, fs | time, ns | drift, kT/ns/dof | error | deviation, kT/dof |\n|---|---|---|---|---|---|---|")
    lab.call("generate", "water", "-q", "--force", "--model", "spce", "--waters", n, "-o", "water.gro")
    physics = WATER.format(structure="water.gro", temperature="temperature = 300", coulomb="")
    lab.settle(physics, 'form = "langevin"\ntimestep = 2\ntemperature = 300\nfriction = 0.002\n', 20000)
    dof = 6 * n - 3
    mesh = '[lennard-jones]\ncutoff = 12\nat-cutoff = "force-shift"\n[coulomb]\nmethod = "mesh"\naccuracy = 1e-4\n'
    scale = 1 if lab.backend == "cuda" else 0.01
    for name, coulomb, precision, timestep, steps in (
            ("all pairs", "", "double", 2, 250000), ("all pairs", "", "double", 1, 250000), ("all pairs", "", "mixed", 2, 1000000),
            ("mesh, 1e-4", mesh, "mixed", 2, 500000)):
        steps = round(scale * steps)
        rows = lab.run(WATER.format(structure="start.xyz", temperature="", coulomb=coulomb),
                       f'form = "velocity-verlet"\ntimestep = {timestep}\n', steps, "--precision", precision, energy_every=50)
        kt = BOLTZMANN * np.mean(rows["temperature"])
        energy, time = rows["total"] / (dof * kt), rows["time"] * 1e-6
        slope, error = slope_with_error(time, energy)
        deviation = np.std(energy - np.polyval(np.polyfit(time, energy, 1), time))
        print(f"| {name} | {precision} | {timestep} | {time[-1]:.2f} | {slope:.1e} | {error:.0e} | {deviation:.1e} |", flush=True)


PARTS = {"drift": drift, "order": order, "thermostats": thermostats, "density": density, "water": water}


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    root = pathlib.Path(__file__).resolve().parent.parent
    parser.add_argument("--dropmd", default=root / "build" / "default" / "dropmd", type=pathlib.Path)
    parser.add_argument("--backend", default="cpu", choices=("cpu", "cuda"))
    parser.add_argument("parts", nargs="*", metavar="PART")
    options = parser.parse_args()
    if unknown := [part for part in options.parts if part not in PARTS]:
        parser.error(f"no part is called {unknown[0]} ({', '.join(PARTS)})")
    if not options.dropmd.exists():
        parser.error(f"there is no {options.dropmd} (build it, or say where it is: --dropmd)")
    with tempfile.TemporaryDirectory() as folder:
        lab = Lab(options.dropmd.resolve(), options.backend, folder)
        for name in options.parts or PARTS:
            PARTS[name](lab)


if __name__ == "__main__":
    main()
