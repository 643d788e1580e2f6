#!/usr/bin/env python3
"""Density and temperature of an evaporating droplet as functions of the distance from its centre.

    python3 profiles.py vacuum          reads vacuum/trajectory.xyz, writes vacuum/profiles.png

Needs ASE and matplotlib: pip install ase matplotlib
"""

import sys
from pathlib import Path

import matplotlib
import numpy as np
from ase import units
from ase.io import read

matplotlib.use("Agg")
import matplotlib.pyplot as plt  # noqa: E402

SHELL = 2.0  # Å
FAR = 35.0  # Å; atoms farther away than this have evaporated
LAST = 40  # number of frames to average


def centre_of_droplet(positions):
    """The mean over the atoms in the droplet. It starts from the median, which evaporated atoms hardly affect."""
    centre = np.median(positions, axis=0)
    for _ in range(5):
        centre = positions[np.linalg.norm(positions - centre, axis=1) < FAR].mean(axis=0)
    return centre


def droplet_of(frame):
    """Distances from the droplet's centre [n] and velocities relative to the droplet [n][3] of all atoms."""
    distance = np.linalg.norm(frame.positions - centre_of_droplet(frame.positions), axis=1)
    velocity = frame.get_velocities()
    return distance, velocity - velocity[distance < FAR].mean(axis=0)


def temperature_of(velocity):
    return mass * (velocity**2).sum() / (3 * len(velocity) * units.kB)


folder = Path(sys.argv[1])
frames = read(folder / "trajectory.xyz", index=":")
mass = frames[0].get_masses()[0]  # g/mol, which is ASE's unit

print("   time, ps   atoms in the droplet   their temperature, K")
for frame in frames[:: (len(frames) - 1) // 5]:
    distance, velocity = droplet_of(frame)
    inside = distance < FAR
    print(f"{frame.info['Time'] / 1000:11.0f} {inside.sum():22d} {temperature_of(velocity[inside]):23.1f}")

edges = np.arange(0, FAR + SHELL, SHELL)
volumes = 4 / 3 * np.pi * (edges[1:] ** 3 - edges[:-1] ** 3)
counts, squares = np.zeros(len(volumes)), np.zeros(len(volumes))
for frame in frames[-LAST:]:
    distance, velocity = droplet_of(frame)
    counts += np.histogram(distance, edges)[0]
    squares += np.histogram(distance, edges, weights=(velocity**2).sum(axis=1))[0]
middles = (edges[1:] + edges[:-1]) / 2
density = counts / LAST / volumes * mass / 0.602214  # g/cm³
enough = counts > 1000  # a temperature of fewer is off by more than 2 K
temperature = mass * squares[enough] / (3 * counts[enough] * units.kB)

print("\n   r, Å   density, g/cm³   temperature, K")
for shell in range(0, len(middles), 2):
    known = f"{mass * squares[shell] / (3 * counts[shell] * units.kB):16.1f}" if enough[shell] else f"{'-':>16}"
    print(f"{middles[shell]:7.0f} {density[shell]:16.3f} {known}")

figure, (left, right) = plt.subplots(1, 2, figsize=(10, 4), layout="constrained")
left.plot(middles, density, color="black")
left.set(xlabel="distance from the centre (Å)", ylabel="density (g/cm³)", ylim=(0, None))
right.plot(middles[enough], temperature, color="#d55e00")
right.set(xlabel="distance from the centre (Å)", ylabel="temperature (K)", ylim=(0, 100))
figure.savefig(folder / "profiles.png", dpi=100)
print(f"\nwrote {folder}/profiles.png")
